package dialect

import "strings"

// isAgent reports whether a span runs calls for a purpose of its own: an
// agent, workflow, chain, step or tool. Sources: the GenAI semantic conventions'
// gen_ai.operation.name, OpenLLMetry's traceloop.span.kind, OpenInference's
// openinference.span.kind, the AI SDK's ai.operationId, LoongSuite's
// gen_ai.span.kind and LangSmith's langsmith.span.kind.
func isAgent(s *source) bool {
	a := &s.attrs
	switch a.text(keyOperation) {
	case "invoke_agent", "create_agent", "invoke_workflow", "plan", "execute_tool", "agent_step":
		return true
	}
	if a.text(keyTraceloopKind) != "" || a.text(keyAIOperation) != "" {
		return true
	}
	switch strings.ToUpper(a.text(keyOpenInferenceKind)) {
	case "", "LLM", "EMBEDDING":
	default:
		return true
	}
	switch strings.ToUpper(a.text(keySpanKind)) {
	case "AGENT", "CHAIN", "STEP", "TOOL", "TASK", "WORKFLOW", "RETRIEVER", "RERANKER", "MEMORY":
		return true
	}
	switch strings.ToLower(a.text(keyLangSmithKind)) {
	case "", "llm":
		return false
	}
	return true
}
