package assembly

import (
	"container/heap"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// openTrace is a trace that still waits.
type openTrace struct {
	id       [16]byte
	spans    []dialect.Facts
	first    time.Time // arrival of the first span: Facts.Arrived counts from it
	deadline time.Time // when to look at it; a span may have put off what is due then
	place    int       // in the heap

	older, newer *openTrace // by first arrival
}

// dueHeap has the trace with the earliest deadline on top.
type dueHeap []*openTrace

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].deadline.Before(h[j].deadline) }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is for package heap.
func (h *dueHeap) Push(x any) {
	t := x.(*openTrace)
	t.place = len(*h)
	*h = append(*h, t)
}

// Pop is for package heap.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return t
}

// openTraces is the open traces of one shard: by id, by deadline, by age.
type openTraces struct {
	byID           map[[16]byte]*openTrace
	due            dueHeap
	oldest, newest *openTrace
}

func (o *openTraces) add(t *openTrace) {
	o.byID[t.id] = t
	heap.Push(&o.due, t)
	t.older = o.newest
	if o.newest != nil {
		o.newest.newer = t
	} else {
		o.oldest = t
	}
	o.newest = t
}

func (o *openTraces) remove(t *openTrace) {
	delete(o.byID, t.id)
	heap.Remove(&o.due, t.place)
	if t.older != nil {
		t.older.newer = t.newer
	} else {
		o.oldest = t.newer
	}
	if t.newer != nil {
		t.newer.older = t.older
	} else {
		o.newest = t.older
	}
}

// reschedule moves a trace to another deadline.
func (o *openTraces) reschedule(t *openTrace, deadline time.Time) {
	t.deadline = deadline
	heap.Fix(&o.due, t.place)
}
