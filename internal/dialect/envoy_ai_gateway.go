package dialect

// readEnvoyAIGateway reads the calls of Envoy AI Gateway, in both of its
// conventions. Its first-token event is written when the span ends and means
// nothing.
//
// Source: envoyproxy/ai-gateway, internal/tracing.
func readEnvoyAIGateway(s *source, f *Facts) bool {
	if s.scope != "envoyproxy/ai-gateway" || !isModelOperation(&s.attrs) && s.attrs.text(keyOpenInferenceKind) != "LLM" &&
		s.attrs.text(keyOpenInferenceKind) != "EMBEDDING" {
		return false
	}
	readClientCall(s, f)
	f.Kind |= KindGateway
	return true
}
