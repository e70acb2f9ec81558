package dialect

import (
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// ID is a dialect's place in the table; 0 is no dialect.
type ID uint8

// source is one span with its attributes read. Views, valid only during Read.
type source struct {
	attrs attributes
	span  ptrace.Span
	name  string
	scope string // name of the instrumentation scope
	// custom is the configured dialect that the span is of; nil: none.
	custom *Custom
	// plain is what plainDetails read last.
	plain *Details
	named named
	// extras reads what only Options ask for, nil if nothing; extra is what the
	// span says of that.
	extras *extraReader
	extra  *Extra
	// What is kept from batch to batch.
	origins origins
}

// forget lets go of all that is a batch's.
func (s *source) forget() {
	s.attrs.forget()
	s.span, s.name, s.scope, s.plain, s.named, s.custom = ptrace.Span{}, "", "", nil, named{}, nil
	s.extras, s.extra = nil, nil
}

// dialect is how one engine or SDK writes spans.
type dialect struct {
	// name is the value of inference.engine.
	name string
	// read recognises a span and completes f; false leaves f as it was. A span
	// that is known to be nothing but a detail stays plain.
	read func(s *source, f *Facts) bool
}

// table holds the dialects; the first that recognises a span reads it: those
// with marks of their own, then the stages, whose name decides and no key, then
// those that share keys, from the particular to the general.
var table = []dialect{
	{name: "vllm", read: readVLLM},
	{name: "tensorrt_llm", read: readTensorRT},
	{name: "triton", read: readTriton},
	{name: "sglang", read: readSGLang},
	{name: "rtp_llm", read: readRTPLLM},
	{name: "tgi", read: readTGI},
	{name: "dynamo", read: readDynamo},
	{name: "aibrix", read: readAIBrix},
	{name: "litellm", read: readLiteLLM},
	{name: "envoy_ai_gateway", read: readEnvoyAIGateway},
	{name: "pydantic_ai", read: readPydanticAI},
	{name: "vercel_ai", read: readVercelAI},
	{name: "stages", read: readStage},
	{name: "openinference", read: readOpenInference},
	{name: "openlit", read: readOpenLIT},
	{name: "loongsuite", read: readLoongSuite},
	{name: "openllmetry", read: readOpenLLMetry},
	{name: "gen_ai", read: readGenAI},
	{name: "annotation", read: readAnnotation},
}

// idOf returns the dialect with a name, 0 if there is none.
func idOf(name string) ID {
	return ID(slices.Index(*names.Load(), name) + 1)
}

// names are those of the table, and behind them those of custom dialects. The table itself refers
// to code that needs them.
var names atomic.Pointer[[]string]

func init() {
	var list []string
	for i := range table {
		list = append(list, table[i].name)
	}
	names.Store(&list)
}

// Name returns the dialect's name, the value of inference.engine; empty for 0.
func (id ID) Name() string {
	if id == 0 {
		return ""
	}
	return (*names.Load())[id-1]
}
