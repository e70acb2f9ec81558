package assembly

import (
	"container/heap"
	"math/bits"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// openTrace is a trace that still waits.
type openTrace struct {
	id       [16]byte
	spans    []dialect.Facts
	first    time.Time // arrival of the first span: Facts.Arrived counts from it
	deadline time.Time // when to look at it; a span may have put off what is due then
	place    int       // in the heap
	twins    []twin    // of spans that it has

	inferring    bool       // see infers
	named        bool       // a span of it names a model
	stages       uint8      // bit per phase
	older, newer *openTrace // in its age list
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

// ageList is traces by first arrival.
type ageList struct {
	oldest, newest *openTrace
	n              int
}

func (l *ageList) push(t *openTrace) {
	l.n++
	t.older, t.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = t
	} else {
		l.oldest = t
	}
	l.newest = t
}

func (l *ageList) remove(t *openTrace) {
	l.n--
	if t.older != nil {
		t.older.newer = t.newer
	} else {
		l.oldest = t.newer
	}
	if t.newer != nil {
		t.newer.older = t.older
	} else {
		l.newest = t.older
	}
}

// openTraces is the open traces of one shard: by id, by deadline, and by age,
// those of inference apart: traces of other services must not crowd them out.
type openTraces struct {
	byID map[[16]byte]*openTrace
	due  dueHeap
	ages [2]ageList // by EvictedKind
}

func (o *openTraces) add(t *openTrace) {
	o.byID[t.id] = t
	heap.Push(&o.due, t)
	o.ages[t.kind()].push(t)
}

func (o *openTraces) remove(t *openTrace) {
	delete(o.byID, t.id)
	heap.Remove(&o.due, t.place)
	o.ages[t.kind()].remove(t)
}

// promote makes t a trace of inference.
func (o *openTraces) promote(t *openTrace) {
	if !t.inferring {
		o.ages[EvictedOther].remove(t)
		t.inferring = true
		o.ages[EvictedInference].push(t)
	}
}

// oldest returns the trace to close first when there is no room, another than
// except if there is one; nil if there is none. Traces of other services go
// first where they take more than a quarter of the room: fewer are mostly
// requests of which the first span has just come.
func (o *openTraces) oldest(except *openTrace) *openTrace {
	others, inferring := &o.ages[EvictedOther], &o.ages[EvictedInference]
	first, second := inferring, others
	if others.n > len(o.byID)/4 {
		first, second = others, inferring
	}
	for _, list := range []*ageList{first, second} {
		t := list.oldest
		if t != nil && t == except {
			t = t.newer
		}
		if t != nil {
			return t
		}
	}
	return except
}

// infers reports whether f shows that t is a trace of inference: a call, the
// model at work, a second phase, or a phase where a model is named. A span that
// is called queue, and nothing else, does not.
func (t *openTrace) infers(f *dialect.Facts) bool {
	t.named = t.named || f.Details != nil && f.Details.Model != ""
	switch f.Part {
	case dialect.PartPlain, dialect.PartAgent:
	case dialect.PartInside:
		return f.Timed() // else a batch tells of a trace that may never come
	case dialect.PartStage:
		t.stages |= 1 << f.Phase
		if f.Phase == inference.PhaseInference {
			return true
		}
	default:
		return true
	}
	return t.stages != 0 && (t.named || bits.OnesCount8(t.stages) > 1)
}

func (t *openTrace) kind() EvictedKind {
	if t.inferring {
		return EvictedInference
	}
	return EvictedOther
}

// reschedule moves a trace to another deadline.
func (o *openTraces) reschedule(t *openTrace, deadline time.Time) {
	t.deadline = deadline
	heap.Fix(&o.due, t.place)
}
