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
	id := requestID(s.span.Attributes())
	if id == "" {
		return
	}
	if f.Part == PartCall {
		f.Details.RequestID = id
		return
	}
	var d Details
	if f.Details != nil {
		d = *f.Details // which others may have, too
	}
	d.RequestID = id
	f.Details = &d
}

// requestID returns the best of the request ids that attributes hold, as it is written there; empty
// if there is none.
func requestID(attrs pcommon.Map) (id string) {
	best := ids.Field{Rank: 255}
	for name, v := range attrs.All() {
		if field, ok := ids.RequestFieldOf(name); ok && field.Rank < best.Rank {
			if written := writtenID(v); written != "" {
				best, id = field, written
			}
		}
	}
	return label(id)
}

// writtenID returns the request id in v. A header is recorded as a list.
func writtenID(v pcommon.Value) string {
	if v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() > 0 {
		v = v.Slice().At(0)
	}
	if v.Type() != pcommon.ValueTypeStr && v.Type() != pcommon.ValueTypeInt {
		return ""
	}
	raw := v.AsString()
	var forms ids.Forms
	if idRules.Parse(raw, &forms) != ids.OK {
		return ""
	}
	return forms.Written(raw)
}
