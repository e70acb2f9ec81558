package dialect

// readLoongSuite reads the LLM spans of Alibaba's LoongSuite agents: the GenAI
// semantic conventions with gen_ai.span.kind, and a time to first token of
// their own in integer nanoseconds.
//
// Source: alibaba/loongsuite-python-agent, loongsuite-util-genai.
func readLoongSuite(s *source, f *Facts) bool {
	a := &s.attrs
	if a.text(keySpanKind) != "LLM" || !isClientKind(s) {
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
