package correlate

import (
	"cmp"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// view is one request or call of a trace, by the span that it is.
type view struct {
	span  [8]byte
	facts *Facts
	of    *Facts // the request's, of which facts are or are a part
	call  bool   // a call beside others of its request
	outer bool   // a call that is seen from further in, too
}

// place is where a span is: the index of the view at it and of the span above it, or none.
type place struct{ view, parent int32 }

const none = int32(-1)

// stages is the engine of requests that are told by several spans.
const stages = "stages"

// build makes views and places anew. index is scratch.
func (t *trace) build(b *assembly.Builder, index map[[8]byte]int32) {
	t.dirty = false
	t.views = t.views[:0]
	if t.infers {
		requests := b.Build(t.id, t.spans)
		for _, r := range requests {
			t.view(r)
			for i := range r.Calls {
				c := &r.Calls[i]
				t.known = t.known || c.Duration.Known()
				// What an engine says of a call on one span is all there is to come; stages
				// are told by several spans.
				t.served = t.served || c.Role == inference.RoleServer && c.Duration.Known() &&
					(c.Identity.Engine != stages || r.Seen && t.top)
			}
		}
		assembly.Recycle(requests)
	}
	t.place(index)
	for i := range t.views {
		if v := &t.views[i]; v.outer {
			if engine := t.below(v.span, func(v *view) bool { return !v.outer }); engine != nil {
				v.facts.lend(engine)
			}
		}
	}
}

// view adds the views of a request and of its calls.
func (t *trace) view(r *inference.Request) {
	f := ofRequest(r)
	f.RequestID = t.requestID(r)
	several := calls(r) > 1
	// Several calls of a request that was not seen may be of several requests.
	whole := r.Seen || !several
	if whole {
		t.views = append(t.views, view{span: r.SpanID, facts: f, of: f})
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.SpanID == r.SpanID {
			continue
		}
		v := view{span: c.SpanID, facts: f, of: f}
		if several {
			v.facts, v.call, v.outer = ofCall(c), whole, c.Outer
			v.facts.RequestID = cmp.Or(t.named(c.SpanID), f.RequestID)
			if !whole {
				v.of = v.facts
			}
		}
		t.views = append(t.views, v)
	}
}

// place finds the places of all spans.
func (t *trace) place(index map[[8]byte]int32) {
	if cap(t.places) < len(t.spans) {
		t.places = make([]place, len(t.spans))
	}
	t.places = t.places[:len(t.spans)]
	clear(index)
	for i := range t.spans {
		if _, twice := index[t.spans[i].SpanID]; !twice {
			index[t.spans[i].SpanID] = int32(i)
		}
		t.places[i].view = none
	}
	for i := range t.spans {
		parent, seen := index[t.spans[i].ParentID]
		if !seen {
			parent = none
		}
		t.places[i].parent = parent
	}
	for i := range t.views {
		if at, seen := index[t.views[i].span]; seen {
			t.places[at].view = int32(i)
		}
	}
}

// requestID is what the spans of a request call it.
func (t *trace) requestID(r *inference.Request) string {
	if raw := t.named(r.SpanID); raw != "" {
		return raw
	}
	for i := range r.Calls {
		if raw := t.named(r.Calls[i].SpanID); raw != "" {
			return raw
		}
	}
	return ""
}

func (t *trace) named(span [8]byte) string {
	for i := range t.keys {
		if t.keys[i].span == span {
			return t.keys[i].raw
		}
	}
	return ""
}
