package dialect

// readPydanticAI reads the model requests of Pydantic AI. Its agent runs are
// agents.
//
// Source: pydantic/pydantic-ai, pydantic_ai/models/instrumented.py; the time to
// first chunk is an attribute, in seconds, since 2026-07.
func readPydanticAI(s *source, f *Facts) bool {
	if s.scope != "pydantic-ai" || !isModelOperation(&s.attrs) {
		return false
	}
	readClientCall(s, f)
	return true
}
