package dialect

// readLiteLLM reads the calls of a LiteLLM proxy. Version 1 writes
// litellm_request, or, from 1.81 on, the same attributes on the proxy's own
// SERVER span; raw_gen_ai_request repeats its parent. Version 2 writes CLIENT
// spans of the GenAI semantic conventions. All its other spans are parts of the
// proxy. There is no time to first token on spans. It may be told to hand on its
// caller's context, so that the engine's span lies beside its own.
//
// Source: BerriAI/litellm, litellm/integrations/opentelemetry.py and
// litellm/integrations/otel.
func readLiteLLM(s *source, f *Facts) bool {
	if s.scope != "litellm" {
		return false
	}
	if s.name == "raw_gen_ai_request" {
		return true // known, and no call
	}
	a := &s.attrs
	v1 := a.has(keyRequestType) && (s.name == "litellm_request" || s.name == "Received Proxy Server Request")
	if !v1 && !isModelOperation(a) {
		return false
	}
	readClientCall(s, f)
	f.Kind |= KindGateway
	return true
}
