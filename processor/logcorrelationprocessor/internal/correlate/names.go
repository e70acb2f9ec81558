package correlate

// named is the traces that name a request id, each once as it is and once with an end cut off.
// Everything about it takes the same time however many they are: callers choose request ids,
// and cmpl-job-1 to cmpl-job-50000 have the cut form job in common.
type named struct{ whole, cut list[*trace] }

func (n *named) of(cut bool) *list[*trace] {
	if cut {
		return &n.cut
	}
	return &n.whole
}

// trace returns the one trace that a key meets, or that there are several.
func (n *named) trace(key Key) (t *trace, several bool) {
	switch {
	case n == nil:
		return nil, false
	case n.whole.n > 1:
		return nil, true
	case n.whole.n == 1:
		t = n.whole.front.value
	}
	if key.Cut || n.cut.n == 0 {
		return t, false
	}
	if n.cut.n > 1 {
		return nil, true
	}
	if other := n.cut.front.value; t == nil || t == other {
		return other, false
	}
	return nil, true
}
