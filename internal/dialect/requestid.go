package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// idRules tell what is an id, and what stands for none.
var idRules = ids.DefaultRules()

// readRequestID adds what the span calls its request.
func readRequestID(s *source, f *Facts) {
	if f.Details != nil && f.Details.RequestID != "" {
		return // by a key of its dialect's own
	}
	id := s.named.requestID(s.span.Attributes())
	if id == "" {
		return
	}
	if f.Part == PartCall {
		f.Details.RequestID = id
		return
	}
	if n := &s.named; n.made == nil || n.without != f.Details || n.made.RequestID != id {
		d := f.copyOfDetails()
		d.RequestID = id
		n.without, n.made = f.Details, d
	}
	f.Details = s.named.made
}

// named is what was read last of request ids: mostly all spans of a request have one, and say nothing
// else but what the one before says. Then they share it.
type named struct {
	raw, id       string   // an attribute, and the id in it
	without, made *Details // before and with the id
}

// requestID returns the best of the request ids that attributes hold, as it is written there; empty
// if there is none.
func (n *named) requestID(attrs pcommon.Map) (id string) {
	best := ids.Field{Rank: 255}
	for name, v := range attrs.All() {
		if field, ok := ids.RequestFieldOf(name); ok && field.Rank < best.Rank {
			if written := n.written(v); written != "" {
				best, id = field, written
			}
		}
	}
	return id
}

// written returns the request id in v. A header is recorded as a list.
func (n *named) written(v pcommon.Value) string {
	if v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() > 0 {
		v = v.Slice().At(0)
	}
	if v.Type() != pcommon.ValueTypeStr && v.Type() != pcommon.ValueTypeInt {
		return ""
	}
	raw := v.AsString()
	if raw == n.raw {
		return n.id
	}
	n.raw, n.id = raw, ""
	var forms ids.Forms
	if idRules.Parse(raw, &forms) == ids.OK {
		n.id = label(forms.Written(raw))
	}
	return n.id
}
