package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readGenAI reads inference spans of the OpenTelemetry GenAI semantic
// conventions, from 1.26 on: a span for each operation of a caller. A span of
// kind SERVER is the engine's view.
//
// Source: semantic-conventions-genai, docs/gen-ai/gen-ai-spans.md. The time to
// first chunk is of 1.41; before there is none on spans.
func readGenAI(s *source, f *Facts) bool {
	if !isModelOperation(&s.attrs) {
		return false
	}
	d := readClientCall(s, f)
	if !isClientKind(s) {
		d.Role = inference.RoleServer
	}
	return true
}
