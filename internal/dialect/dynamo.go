package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readDynamo reads NVIDIA Dynamo: the frontend's http-request, which tells what
// the frontend saw, and the worker's engine.generate, which is the call. Latencies
// are text in milliseconds, counts may be text. Queue and prefill are not told.
//
// Source: lib/runtime/src/logging.rs and lib/llm/src/http/service/metrics.rs.
func readDynamo(s *source, f *Facts) bool {
	attrs := s.span.Attributes()
	switch s.name {
	case "http-request":
		if _, served := attrs.Get("request.outcome"); !served {
			return false
		}
	case "engine.generate":
		if !s.attrs.has(keyTTFT) && !s.attrs.has(keyOutputTokens) {
			return false
		}
	default:
		return false
	}
	d := callDetails(s)
	d.Role, d.StandIn = inference.RoleServer, s.name == "http-request"
	s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
	s.state("avg_itl_ms", milliseconds, &d.Values, ValueTPOT)
	for _, key := range []string{"request.outcome", "error_kind"} {
		if v, ok := attrs.Get(key); ok && d.Result.Outcome == inference.OutcomeOK {
			d.Result.Outcome = dynamoOutcome(v.AsString())
		}
	}
	if v, ok := attrs.Get("cancelled"); ok && v.AsString() == "true" {
		d.Result.Outcome = inference.OutcomeAborted
	}
	f.Part, f.Details = PartCall, d
	if d.StandIn {
		f.Kind |= KindGateway
	}
	return true
}

func dynamoOutcome(word string) inference.Outcome {
	switch word {
	case "", "success":
		return inference.OutcomeOK
	case "cancelled":
		return inference.OutcomeAborted
	case "rejected":
		return inference.OutcomeRejected
	case "timeout":
		return inference.OutcomeTimeout
	}
	return inference.OutcomeError
}
