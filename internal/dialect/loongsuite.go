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
	// Gateways write this key on proxy spans, which are hops; RTP-LLM, an
	// engine, writes it with another unit.
	for _, mark := range []string{"component", "gen_ai.system"} {
		if v, ok := s.span.Attributes().Get(mark); ok && (v.AsString() == "proxy" || v.AsString() == "rtp_llm") {
			return false
		}
	}
	d := readClientCall(s, f)
	if v, ok := s.span.Attributes().Get("gen_ai.response.time_to_first_token"); ok {
		ns, isNumber := number(v)
		if !isNumber {
			d.Values.Drop(ValueTTFT, ReasonType)
			return true
		}
		d.Values.Set(ValueTTFT, ns*1e-9)
	}
	return true
}
