// Package hub shares state among the component instances that the collector makes of one
// configuration: one per signal, or per pair of signals. It is made when the first instance
// starts and ends when the last one shuts down; the collector's own sharedcomponent ends it at
// the first.
package hub

import "sync"

// Hub holds the shared states by key, which is the pointer to a configuration: the collector
// gives the same to all instances of one component id. The zero value is ready for use. Its
// methods may be called at once.
type Hub[K comparable, V any] struct {
	mu      sync.Mutex
	members map[K]*shared[V]
}

type shared[V any] struct {
	value V
	users int
}

// Join returns the state of a key, and makes it for the first.
func (h *Hub[K, V]) Join(key K, create func() (V, error)) (V, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.members[key]; ok {
		s.users++
		return s.value, nil
	}
	value, err := create()
	if err != nil {
		return value, err
	}
	if h.members == nil {
		h.members = map[K]*shared[V]{}
	}
	h.members[key] = &shared[V]{value, 1}
	return value, nil
}

// Leave ends what Join began. For the last it ends the state. Leaving what was not joined is
// no error.
func (h *Hub[K, V]) Leave(key K, end func(V) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.members[key]
	if !ok {
		return nil
	}
	if s.users--; s.users > 0 {
		return nil
	}
	delete(h.members, key)
	return end(s.value)
}

// Len is the number of states, for tests of leaks.
func (h *Hub[K, V]) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.members)
}
