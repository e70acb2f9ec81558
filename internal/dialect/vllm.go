package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readVLLM reads the one span that a vLLM V1 engine writes for each finished
// request: llm_request, whose times are attributes in seconds.
//
// Source: vllm/v1/engine/output_processor.py and vllm/tracing. The queue and
// the model's times are of the engine's monotonic clock, e2e and time to first
// token of the API server's wall clock, from the arrival of the request.
//
// V0 and TensorRT-LLM name their span alike, but state no time in the model.
func readVLLM(s *source, f *Facts) bool {
	if s.name != "llm_request" {
		return false
	}
	a := &s.attrs
	if !a.has(keyVLLMInference) && !a.has(keyVLLMPrefill) && !a.has(keyVLLMDecode) {
		return false
	}
	d := callDetails(s)
	d.Role = inference.RoleServer
	a.duration(keyVLLME2E, &d.Values, ValueE2E)
	a.duration(keyTTFT, &d.Values, ValueTTFT)
	a.duration(keyVLLMQueue, &d.Values, ValueQueue)
	a.duration(keyVLLMInference, &d.Values, ValueInference)
	a.duration(keyVLLMPrefill, &d.Values, ValuePrefill)
	a.duration(keyVLLMDecode, &d.Values, ValueDecode)
	f.Part, f.Details = PartCall, d
	return true
}
