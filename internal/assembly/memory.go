package assembly

import (
	"sync"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// requests are those that nobody needs any more.
var requests = sync.Pool{New: func() any { return new(inference.Request) }}

// Recycle takes requests that Build has returned and nobody looks at any more, to build others in
// their memory.
func Recycle(list []*inference.Request) {
	for _, r := range list {
		recycle(r)
	}
}

func recycle(r *inference.Request) {
	clear(r.Calls)
	clear(r.Hops)
	*r = inference.Request{Calls: r.Calls[:0], Hops: r.Hops[:0], SiteMeasures: r.SiteMeasures[:0]}
	requests.Put(r)
}

// arena gives out slices with room for one, of memory that is used again for the next trace. Most
// lists of a trace never have a second item.
type arena[T any] struct{ memory []T }

func (a *arena[T]) reset() { a.memory = a.memory[:0] }

// one returns a list of one item.
func (a *arena[T]) one(item T) []T {
	if len(a.memory) == cap(a.memory) {
		// What has been given out stays where it is.
		a.memory = make([]T, 0, max(16, 2*cap(a.memory)))
	}
	n := len(a.memory)
	a.memory = append(a.memory, item)
	return a.memory[n : n+1 : n+1]
}

// push appends an item to a list that begins in the arena.
func (a *arena[T]) push(list []T, item T) []T {
	if len(list) == 0 {
		return a.one(item)
	}
	return append(list, item)
}
