package dialect

import "go.opentelemetry.io/collector/pdata/ptrace"

// ID is a dialect's place in the table; 0 is no dialect.
type ID uint8

// source is one span with its attributes read. Views, valid only during Read.
type source struct {
	attrs attributes
	span  ptrace.Span
	name  string
}

// dialect is how one engine or SDK writes spans.
type dialect struct {
	// name is the value of inference.engine.
	name string
	// read recognises a span and completes f; false leaves f as it was.
	read func(s *source, f *Facts) bool
}

// table holds the dialects; the first that recognises a span reads it.
// Specific marks come before general ones.
var table = []dialect{
	{name: "vllm", read: readVLLM},
	{name: "stages", read: readStage},
}

// Name returns the dialect's name, the value of inference.engine; empty for 0.
func (id ID) Name() string {
	if id == 0 {
		return ""
	}
	return table[id-1].name
}
