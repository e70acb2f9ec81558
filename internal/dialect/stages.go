package dialect

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

var stageNames = map[string]inference.Phase{
	"receive":     inference.PhaseReceive,
	"preprocess":  inference.PhasePreprocess,
	"queue":       inference.PhaseQueue,
	"inference":   inference.PhaseInference,
	"postprocess": inference.PhasePostprocess,
}

// readStage reads the spans of a service that writes each phase as a span of
// its own: receive, preprocess, queue, inference and postprocess below a span
// that is the request. Name and place decide, not a key.
//
// The first token is the event first_token on the inference span, or any
// attribute that states a time to first token, from that span's start.
func readStage(s *source, f *Facts) bool {
	phase, ok := stageNames[s.name]
	if !ok {
		return false
	}
	// Clients of queues and data bases name spans so, too.
	if k := s.span.Kind(); k == ptrace.SpanKindProducer || k == ptrace.SpanKindConsumer || s.attrs.has(keyMessaging) {
		return false
	}
	f.Part, f.Phase = PartStage, phase
	if phase != inference.PhaseInference {
		f.Details = plainDetails(s)
		return true
	}
	d := callDetails(s)
	d.Role = inference.RoleServer
	if event, ok := firstToken(s.span); ok && f.Timed() {
		d.Values.Set(ValueTTFT, float64(event-f.Start)/1e9)
		if d.Result.Streaming == inference.Unknown {
			d.Result.Streaming = inference.Yes
		}
	} else if s.attrs.has(keyTTFT) {
		s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
	} else {
		s.attrs.duration(keyOpenLITTTFT, &d.Values, ValueTTFT)
	}
	f.Details = d
	return true
}

// firstToken returns the time of the event first_token, in Unix nanoseconds.
func firstToken(span ptrace.Span) (int64, bool) {
	for _, e := range span.Events().All() {
		if e.Name() == "first_token" && e.Timestamp() > 0 {
			return int64(e.Timestamp()), true
		}
	}
	return 0, false
}
