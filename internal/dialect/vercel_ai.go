package dialect

import "strings"

// readVercelAI reads the calls of Vercel's AI SDK. Its older spans have the
// scope ai and are calls where ai.operationId ends with .doStream or
// .doGenerate: the span around them repeats their numbers. Its newer ones have
// the scope gen_ai and write names of metrics as attributes.
//
// Source: vercel/ai, packages/otel and packages/ai/src/telemetry. The events of
// the older spans may be written when a step ends, so only the attributes count.
func readVercelAI(s *source, f *Facts) bool {
	operation := s.attrs.text(keyAIOperation)
	older := strings.HasSuffix(operation, ".doStream") || strings.HasSuffix(operation, ".doGenerate") ||
		strings.HasSuffix(operation, ".doEmbed")
	newer := s.scope == "gen_ai" && isModelOperation(&s.attrs)
	if !older && !newer {
		return false
	}
	readClientCall(s, f)
	return true
}
