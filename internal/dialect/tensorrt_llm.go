package dialect

// readTensorRT reads the span that TensorRT-LLM writes for each request:
// llm_request with vLLM's keys, but no time in the model and no model; -1 is
// what it does not know.
//
// Source: tensorrt_llm/executor/result.py and tensorrt_llm/llmapi/otlp_tracing.py.
func readTensorRT(s *source, f *Facts) bool {
	if s.name != "llm_request" || !s.attrs.has(keyVLLME2E) {
		return false
	}
	d := engineDetails(s)
	deriveModelTimes(&d.Values)
	f.Part, f.Details = PartCall, d
	return true
}
