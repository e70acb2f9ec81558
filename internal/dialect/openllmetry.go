package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readOpenLLMetry reads the call spans of OpenLLMetry (traceloop): openai.chat
// and its like. It writes an event for each chunk of a stream.
//
// Source: traceloop/openllmetry, opentelemetry-semantic-conventions-ai; the
// event's prefix changed from llm. to gen_ai. with 0.5.
func readOpenLLMetry(s *source, f *Facts) bool {
	a := &s.attrs
	switch a.text(keyRequestType) {
	case "chat", "completion", "embedding":
	case "":
		if !a.has(keyLegacyStream) || a.has(keyTraceloopKind) {
			return false
		}
	default:
		return false
	}
	d := readClientCall(s, f)
	if d.Result.Streaming == inference.Unknown {
		d.Result.Streaming = a.flag(keyLegacyStream)
	}
	eventTimes(s, f, &d.Values, "llm.content.completion.chunk", "gen_ai.content.completion.chunk")
	return true
}
