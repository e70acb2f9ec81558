package dialect

// readLoongSuite reads the LLM and EMBEDDING spans of Alibaba's LoongSuite
// agents: the GenAI semantic conventions with gen_ai.span.kind, and a time to
// first token of their own in integer nanoseconds. An ENTRY span is what an
// application does for one question; it may say when its user saw the first
// token.
//
// Source: alibaba/loongsuite-python-agent, util/opentelemetry-util-genai.
func readLoongSuite(s *source, f *Facts) bool {
	switch s.attrs.text(keySpanKind) {
	case "LLM", "EMBEDDING":
	case "ENTRY":
		d := callDetails(s)
		s.state("gen_ai.response.time_to_first_token", nanoseconds, &d.Values, ValueTTFT)
		s.state("gen_ai.user.time_to_first_token", nanoseconds, &d.Values, ValueTTFT)
		f.Details = d
		return true
	default:
		return false
	}
	if !isClientKind(s) {
		return false
	}
	// Gateways write this key on proxy spans, which are hops. RTP-LLM writes it,
	// too, and was read before.
	if v, ok := s.span.Attributes().Get("component"); ok && v.AsString() == "proxy" {
		return false
	}
	d := readClientCall(s, f)
	s.state("gen_ai.response.time_to_first_token", nanoseconds, &d.Values, ValueTTFT)
	return true
}
