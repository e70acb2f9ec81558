package dialect

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// readClientCall reads a span as a call to a model seen by who makes it: an SDK
// or a proxy. Its duration is what it states as the whole operation, else its
// own.
func readClientCall(s *source, f *Facts) *Details {
	d := callDetails(s)
	d.Role = inference.RoleClient
	s.attrs.duration(keyClientDuration, &d.Values, ValueE2E)
	s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
	if !s.attrs.has(keyTTFT) && s.attrs.has(keyCompletionStart) && f.Timed() {
		s.since(f.Start, s.attrs.text(keyCompletionStart), &d.Values, ValueTTFT)
	}
	f.Part, f.Details = PartCall, d
	return d
}

// since stores the time from start to a date in ISO 8601, which Langfuse's older
// SDKs wrap in quotes.
func (s *source) since(start int64, date string, v *Values, i Value) {
	at, err := time.Parse(time.RFC3339Nano, strings.Trim(date, `"`))
	if err != nil {
		v.Drop(i, ReasonType)
		return
	}
	v.Set(i, float64(at.UnixNano()-start)/1e9)
}

// isModelOperation reports whether gen_ai.operation.name is that of a call to
// a model. Source: the GenAI semantic conventions. Retrieval is a step of a
// caller, not a call.
func isModelOperation(a *attributes) bool {
	switch a.text(keyOperation) {
	case "chat", "text_completion", "generate_content", "embeddings":
		return true
	}
	return false
}

// eventTimes sets time to first token and generation time from events of which
// the caller writes one for each chunk that it receives.
func eventTimes(s *source, f *Facts, v *Values, names ...string) {
	if !f.Timed() {
		return
	}
	var first, last int64
	for _, e := range s.span.Events().All() {
		for _, name := range names {
			if at := int64(e.Timestamp()); e.Name() == name && at > 0 {
				if first == 0 || at < first {
					first = at
				}
				last = max(last, at)
			}
		}
	}
	if first == 0 {
		return
	}
	v.Set(ValueTTFT, float64(first-f.Start)/1e9)
	v.Set(ValueGeneration, float64(last-first)/1e9)
}

// firstTokenEvent sets the time to first token from an event. Some libraries
// write it when the span ends: one within a hundredth of the end is no first
// token.
func firstTokenEvent(s *source, f *Facts, v *Values, name string) {
	if !f.Timed() {
		return
	}
	for _, e := range s.span.Events().All() {
		if e.Name() != name {
			continue
		}
		at := int64(e.Timestamp())
		if f.End-at > (f.End-f.Start)/100 {
			v.Set(ValueTTFT, float64(at-f.Start)/1e9)
		}
		return
	}
}

// isClientKind reports whether the span may be a caller's own: SDKs write
// CLIENT or INTERNAL spans.
func isClientKind(s *source) bool {
	switch s.span.Kind() {
	case ptrace.SpanKindServer, ptrace.SpanKindProducer, ptrace.SpanKindConsumer:
		return false
	}
	return true
}
