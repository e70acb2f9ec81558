package dialect

// readOpenInference reads OpenInference's spans of kind LLM and EMBEDDING; all
// its other kinds are agents, chains and tools.
//
// Source: Arize-ai/openinference, spec/semantic_conventions.md. The event First
// Token Stream Event is written as it happens by the Python instrumentations.
func readOpenInference(s *source, f *Facts) bool {
	switch s.attrs.text(keyOpenInferenceKind) {
	case "LLM", "EMBEDDING":
	default:
		return false
	}
	d := readClientCall(s, f)
	firstTokenEvent(s, f, &d.Values, "First Token Stream Event")
	return true
}
