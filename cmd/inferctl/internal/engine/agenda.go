package engine

import (
	"container/heap"
	"time"
)

// event is something to do at a virtual time.
type event struct {
	at time.Duration
	// order breaks ties by age, so that runs do not depend on heap layout.
	order int
	do    func()
}

// agenda holds the events to come, earliest first.
type agenda struct {
	events []event
	added  int
}

func (a *agenda) add(at time.Duration, do func()) {
	a.added++
	heap.Push(a, event{at: at, order: a.added, do: do})
}

// next takes the earliest event; false when none is left.
func (a *agenda) next() (event, bool) {
	if len(a.events) == 0 {
		return event{}, false
	}
	return heap.Pop(a).(event), true
}

// Len, Less, Swap, Push and Pop make the agenda a heap.Interface.
func (a *agenda) Len() int { return len(a.events) }

func (a *agenda) Less(i, j int) bool {
	x, y := a.events[i], a.events[j]
	return x.at < y.at || x.at == y.at && x.order < y.order
}

func (a *agenda) Swap(i, j int) { a.events[i], a.events[j] = a.events[j], a.events[i] }

func (a *agenda) Push(x any) { a.events = append(a.events, x.(event)) }

func (a *agenda) Pop() any {
	last := len(a.events) - 1
	e := a.events[last]
	a.events[last] = event{}
	a.events = a.events[:last]
	return e
}
