package correlate

// list is a doubly linked list, the oldest first, of which a member leaves in constant time.
// Nodes may be parts of their values.
type list[T any] struct {
	front, back *node[T]
	n           int
}

type node[T any] struct {
	value      T
	prev, next *node[T]
	in         *list[T] // nil: in none
}

func (l *list[T]) push(value T) *node[T] {
	n := &node[T]{value: value}
	l.append(n)
	return n
}

// append adds a node that is in no list.
func (l *list[T]) append(n *node[T]) {
	n.in, n.prev, n.next = l, l.back, nil
	if l.back != nil {
		l.back.next = n
	} else {
		l.front = n
	}
	l.back = n
	l.n++
}

// touch makes a node of the list the youngest.
func (l *list[T]) touch(n *node[T]) {
	if l.back != n {
		remove(n)
		l.append(n)
	}
}

// remove takes a node out of the list that it is in, if any.
func remove[T any](n *node[T]) {
	if n == nil || n.in == nil {
		return
	}
	l := n.in
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		l.front = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		l.back = n.prev
	}
	n.in, n.prev, n.next = nil, nil, nil
	l.n--
}
