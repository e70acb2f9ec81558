package dialect

// isAgent reports whether a span runs calls for a purpose of its own: an
// agent, workflow, chain or tool. Sources: the GenAI semantic conventions'
// gen_ai.operation.name, OpenLLMetry's traceloop.span.kind, OpenInference's
// openinference.span.kind.
func isAgent(a *attributes) bool {
	switch a.text(keyOperation) {
	case "invoke_agent", "create_agent", "invoke_workflow", "plan", "execute_tool":
		return true
	}
	if a.text(keyTraceloopKind) != "" {
		return true
	}
	switch a.text(keyOpenInferenceKind) {
	case "", "LLM", "EMBEDDING":
		return false
	}
	return true
}
