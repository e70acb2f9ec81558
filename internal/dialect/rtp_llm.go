package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

var rtpPhases = map[string]inference.Phase{
	"wait":    inference.PhaseQueue,
	"prefill": inside(inference.SubphasePrefill),
	"decode":  inside(inference.SubphaseDecode),
}

// readRTPLLM reads RTP-LLM: a SERVER span with the call's attributes, and below
// it phase spans wait, prefill and decode. Its units are its own: time to first
// token in milliseconds, times in the model in nanoseconds.
//
// Source: alibaba/rtp-llm, rtp_llm/telemetry/attributes.py. Its event
// first_response_chunk may be of a chunk without text and is not read.
func readRTPLLM(s *source, f *Facts) bool {
	attrs := s.span.Attributes()
	if system, ok := attrs.Get("gen_ai.system"); ok && system.AsString() == "rtp_llm" {
		d := callDetails(s)
		d.Role = inference.RoleServer
		s.state("gen_ai.response.time_to_first_token", milliseconds, &d.Values, ValueTTFT)
		s.state("rtp_llm.frontend.time_per_output_token_ms", milliseconds, &d.Values, ValueTPOT)
		s.state("gen_ai.latency.time_in_model_prefill", nanoseconds, &d.Values, ValuePrefill)
		s.state("gen_ai.latency.time_in_model_decode", nanoseconds, &d.Values, ValueDecode)
		f.Part, f.Details = PartCall, d
		return true
	}
	phase, ok := rtpPhases[s.name]
	if !ok {
		return false
	}
	if _, ok := attrs.Get("rtp_llm.request_id"); !ok {
		return false
	}
	f.Part, f.Phase, f.Details = PartInside, phase, plainDetails(s)
	return true
}
