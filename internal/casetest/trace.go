package casetest

import (
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Epoch is when hand-made traces begin.
var Epoch = time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)

// Span is a span of a hand-made trace. Times count from [Epoch].
type Span struct {
	ID, Parent byte // Parent 0: none
	Name       string
	Kind       ptrace.SpanKind
	Start, End time.Duration
	Attrs      map[string]any
	Error      string                   // a status message; empty: status unset
	Events     map[string]time.Duration // by name
	Resource   map[string]any           // added to that of the trace
}

// Trace returns the spans as one export, each below a resource of its own.
func Trace(id byte, resource map[string]any, spans ...Span) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, s := range spans {
		rs := td.ResourceSpans().AppendEmpty()
		put(rs.Resource().Attributes(), resource)
		put(rs.Resource().Attributes(), s.Resource)
		s.write(id, rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	return td
}

func (s *Span) write(traceID byte, to ptrace.Span) {
	to.SetTraceID(pcommon.TraceID{0: 0xca, 15: traceID})
	to.SetSpanID(pcommon.SpanID{0: 0x5e, 7: s.ID})
	if s.Parent != 0 {
		to.SetParentSpanID(pcommon.SpanID{0: 0x5e, 7: s.Parent})
	}
	to.SetName(s.Name)
	to.SetKind(s.Kind)
	to.SetStartTimestamp(at(s.Start))
	to.SetEndTimestamp(at(s.End))
	put(to.Attributes(), s.Attrs)
	if s.Error != "" {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(s.Error)
	}
	for name, when := range s.Events {
		e := to.Events().AppendEmpty()
		e.SetName(name)
		e.SetTimestamp(at(when))
	}
}

// Retime sets the times of the span with an id to any numbers.
func Retime(td ptrace.Traces, id byte, start, end pcommon.Timestamp) ptrace.Traces {
	for _, rs := range td.ResourceSpans().All() {
		if s := rs.ScopeSpans().At(0).Spans().At(0); s.SpanID()[7] == id {
			s.SetStartTimestamp(start)
			s.SetEndTimestamp(end)
		}
	}
	return td
}

func at(d time.Duration) pcommon.Timestamp { return pcommon.NewTimestampFromTime(Epoch.Add(d)) }

func put(to pcommon.Map, attrs map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(attrs)) {
		if err := to.PutEmpty(k).FromRaw(attrs[k]); err != nil {
			panic(err) // a test's own mistake
		}
	}
}

// Stages returns a whole five-stage request of 1 s: 10 ms receive, 50 ms
// preprocess, 200 ms queue, 700 ms inference with 65 tokens and the first at
// 100 ms, 30 ms postprocess. Its spans have the ids 1 (the request) to 6.
func Stages(model string) []Span {
	const ms = time.Millisecond
	return []Span{
		{ID: 1, Name: "request", Kind: ptrace.SpanKindServer, End: 1000 * ms, Attrs: map[string]any{"gen_ai.request.model": model}},
		{ID: 2, Parent: 1, Name: "receive", End: 10 * ms},
		{ID: 3, Parent: 1, Name: "preprocess", Start: 10 * ms, End: 60 * ms},
		{ID: 4, Parent: 1, Name: "queue", Start: 60 * ms, End: 260 * ms},
		{
			ID: 5, Parent: 1, Name: "inference", Start: 260 * ms, End: 960 * ms,
			Attrs:  map[string]any{"gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 65},
			Events: map[string]time.Duration{"first_token": 360 * ms},
		},
		{ID: 6, Parent: 1, Name: "postprocess", Start: 960 * ms, End: 990 * ms},
	}
}

// VLLM returns the attributes of a vLLM span whose parts add up: queue 10 ms,
// prefill 40 ms, decode 200 ms, 21 tokens.
func VLLM() map[string]any {
	return map[string]any{
		"gen_ai.latency.time_to_first_token":     0.06,
		"gen_ai.latency.e2e":                     0.265,
		"gen_ai.latency.time_in_queue":           0.01,
		"gen_ai.latency.time_in_model_prefill":   0.04,
		"gen_ai.latency.time_in_model_decode":    0.2,
		"gen_ai.latency.time_in_model_inference": 0.24,
		"gen_ai.usage.prompt_tokens":             100,
		"gen_ai.usage.completion_tokens":         21,
	}
}
