package correlate

// find returns the facts that a record is about. A record with the id of a span is about the
// request or call at that span, above it, or, if there is only one, below it; one with a
// request id is about the span that names it; and one with neither is about the only request
// of the trace. nil: the trace has no request, or several.
//
// It is not sure where the span of the record has not come: in a trace that goes on, as an
// agent's does, that may be a request of its own, and the only one so far is another.
func (t *trace) find(span [8]byte, keys []Key) (f *Facts, sure bool) {
	at, parent := none, false
	if span != [8]byte{} {
		at, parent = t.seek(t.itself(span))
		if at != none && !parent && !t.placed(at) {
			return nil, false
		}
		if at != none && !parent {
			if v := t.above(at); v != nil {
				return v.facts, true
			}
		}
	}
	for _, key := range keys {
		if f := t.byKey(key); f != nil {
			return f, true
		}
	}
	if at != none {
		if f := t.below(t.itself(span), func(v *view) bool { return !v.call }); f != nil {
			return f, !parent || t.top
		}
	}
	f = t.only()
	switch {
	case span == [8]byte{} || at != none && !parent:
		return f, true
	case t.top:
		// Either its span is not exported, or several requests are there, and it may be of
		// one more.
		return f, f != nil || len(t.views) == 0
	}
	return nil, false
}

// seek returns the index of a span; of one that is below it, if only its children came; or
// none.
func (t *trace) seek(span [8]byte) (at int32, parent bool) {
	at = none
	for i := range t.spans {
		switch span {
		case t.spans[i].SpanID:
			return int32(i), false
		case t.spans[i].ParentID:
			at = int32(i)
		}
	}
	return at, at != none
}

// placed tells whether the places were made after a span came.
func (t *trace) placed(at int32) bool { return int(at) < len(t.places) }

// above returns the view at a span or nearest above it, or nil.
func (t *trace) above(at int32) *view {
	for range len(t.places) {
		if at == none {
			return nil
		}
		if v := t.places[at].view; v != none {
			return &t.views[v]
		}
		at = t.places[at].parent
	}
	return nil // spans that are their own ancestors
}

// below returns the facts of the one view of a kind below a span, or nil.
func (t *trace) below(span [8]byte, is func(*view) bool) *Facts {
	var found *Facts
	for i := range t.places {
		v := t.places[i].view
		if v == none || t.views[v].facts == found || !is(&t.views[v]) || !t.isBelow(int32(i), span) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t.views[v].facts
	}
	return found
}

func (t *trace) isBelow(at int32, span [8]byte) bool {
	for range len(t.places) {
		if at == none {
			return false
		}
		if t.spans[at].ParentID == span {
			return true
		}
		at = t.places[at].parent
	}
	return false
}

// byKey returns the facts of what a request id names: of one call, of the request if it names
// more of it, or nil if it names several requests, or none.
func (t *trace) byKey(key Key) *Facts {
	var found, of *Facts
	for i := range t.keys {
		k := &t.keys[i]
		if k.key.Text != key.Text || k.key.Cut && key.Cut {
			continue
		}
		at, parent := t.seek(t.itself(k.span))
		if at == none || parent || !t.placed(at) {
			continue
		}
		v := t.above(at)
		switch {
		case v == nil || v.facts == found:
		case found == nil:
			found, of = v.facts, v.of
		case v.of == of:
			found = of
		default:
			return nil
		}
	}
	return found
}

// only returns the facts of the one request of the trace.
func (t *trace) only() *Facts {
	var found *Facts
	for i := range t.views {
		if v := &t.views[i]; !v.call {
			if found != nil && found != v.facts {
				return nil
			}
			found = v.facts
		}
	}
	return found
}
