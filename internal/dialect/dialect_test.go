package dialect

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// spanWith returns a batch of one span with a second's duration.
func spanWith(name string, attrs map[string]any) (ptrace.Traces, ptrace.Span) {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	start := time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)
	span.SetName(name)
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{1})
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Second)))
	if err := span.Attributes().FromRaw(attrs); err != nil {
		panic(err) // a test's own mistake
	}
	return td, span
}

func readOne(t *testing.T, td ptrace.Traces) Facts {
	t.Helper()
	spans, orphans := Read(nil, td, nil)
	require.Len(t, spans, 1)
	require.Zero(t, orphans)
	return spans[0].Facts
}

// The memory of an open trace is this for each span: see the limits in DESIGN.
func TestFactsAreSmall(t *testing.T) { assert.LessOrEqual(t, unsafe.Sizeof(Facts{}), uintptr(64)) }

func TestVLLM(t *testing.T) {
	td, _ := spanWith("llm_request", map[string]any{
		"gen_ai.latency.e2e": 0.5, "gen_ai.latency.time_in_queue": 1, "gen_ai.latency.time_in_model_inference": "0.25",
		"gen_ai.latency.time_to_first_token": -1.0, "gen_ai.latency.time_in_model_prefill": math.NaN(),
		"gen_ai.latency.time_in_model_decode": true, "gen_ai.usage.prompt_tokens": "12", "gen_ai.usage.completion_tokens": 0,
	})
	f := readOne(t, td)
	require.Equal(t, PartCall, f.Part)
	assert.Equal(t, "vllm", f.Dialect.Name())
	d := f.Details
	for v, want := range map[Value]float64{ValueE2E: 0.5, ValueQueue: 1, ValueInference: 0.25} {
		got, ok := d.Values.Get(v)
		assert.True(t, ok)
		assert.InDelta(t, want, got, 0)
	}
	for _, v := range []Value{ValueTTFT, ValuePrefill, ValueDecode} {
		_, ok := d.Values.Get(v)
		assert.False(t, ok)
		assert.True(t, d.Values.Invalid(v))
	}
	assert.Equal(t, [NumReasons]uint8{ReasonNegative: 1, ReasonNotFinite: 1, ReasonType: 1}, d.Values.Dropped)
	assert.Equal(t, inference.NewCount(12), d.InputTokens)
	assert.Equal(t, inference.NewCount(0), d.OutputTokens)
}

// Scenario: spans that have a dialect's name but not its marks.
// Guarantees: they are plain.
func TestNotRecognised(t *testing.T) {
	for name, attrs := range map[string]map[string]any{
		"llm_request": {"gen_ai.latency.time_in_queue": 1.0},
		"queue":       {"messaging.system": "kafka"},
		"Inference":   nil,
	} {
		td, _ := spanWith(name, attrs)
		assert.Equal(t, PartPlain, readOne(t, td).Part, name)
	}
	td, span := spanWith("receive", nil)
	span.SetKind(ptrace.SpanKindConsumer)
	assert.Equal(t, PartPlain, readOne(t, td).Part)
}

func TestStages(t *testing.T) {
	for name, phase := range stageNames {
		td, _ := spanWith(name, nil)
		f := readOne(t, td)
		assert.Equal(t, PartStage, f.Part)
		assert.Equal(t, phase, f.Phase)
		assert.Equal(t, "stages", f.Dialect.Name())
	}
	td, span := spanWith("inference", map[string]any{"ttft_ms": "250"})
	ttft, _ := readOne(t, td).Details.Values.Get(ValueTTFT)
	assert.InDelta(t, 0.25, ttft, 1e-9, "a stated time, in its unit")
	e := span.Events().AppendEmpty()
	e.SetName("first_token")
	e.SetTimestamp(span.StartTimestamp() + 100e6)
	ttft, _ = readOne(t, td).Details.Values.Get(ValueTTFT)
	assert.InDelta(t, 0.1, ttft, 1e-9, "the event before the attribute")
}

func TestModel(t *testing.T) {
	for want, attrs := range map[string]map[string]any{
		"response": {"gen_ai.request.model": "request", "gen_ai.response.model": "response"},
		"request":  {"gen_ai.request.model": " request ", "gen_ai.response.model": ""},
		"kept":     {"model": "kept", "gen_ai.request.model": "None", "gen_ai.response.model": nil},
		"":         {"model": 7, "model_name": "null"},
		"a\uFFFDb": {"model": "a\xffb"},
	} {
		td, _ := spanWith("llm_request", attrs)
		f := readOne(t, td)
		got := ""
		if f.Details != nil {
			got = f.Details.Model
		}
		assert.Equal(t, want, got)
	}
}

func TestFinishReason(t *testing.T) {
	for want, value := range map[string]any{
		"stop":           []any{"length", "stop"},
		"length":         `["length"]`,
		"tool_calls":     `["stop", "tool_calls"]`,
		"content_filter": "CONTENT_FILTER",
		"other":          "gone fishing",
		"":               []any{},
	} {
		td, _ := spanWith("inference", map[string]any{"gen_ai.response.finish_reasons": value})
		assert.Equal(t, want, readOne(t, td).Details.FinishReason)
	}
}

func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		attrs   map[string]any
		failed  bool
		message string
		want    inference.Outcome
	}{
		{want: inference.OutcomeOK},
		{attrs: map[string]any{"http.response.status_code": 200}, want: inference.OutcomeOK},
		{failed: true, want: inference.OutcomeError},
		{failed: true, message: "request timed out", want: inference.OutcomeTimeout},
		{failed: true, message: "14290 bytes too many", want: inference.OutcomeError},
		{attrs: map[string]any{"error.type": "429"}, want: inference.OutcomeRejected},
		{attrs: map[string]any{"error.type": "client_disconnected"}, want: inference.OutcomeAborted},
		{attrs: map[string]any{"http.response.status_code": 499}, want: inference.OutcomeAborted},
		{attrs: map[string]any{"http.status_code": "504"}, want: inference.OutcomeTimeout},
		{attrs: map[string]any{"http.response.status_code": 500}, want: inference.OutcomeError},
		{failed: true, attrs: map[string]any{"rpc.grpc.status_code": 4}, want: inference.OutcomeTimeout},
	} {
		td, span := spanWith("inference", test.attrs)
		if test.failed {
			span.Status().SetCode(ptrace.StatusCodeError)
			span.Status().SetMessage(test.message)
		}
		assert.Equal(t, test.want, readOne(t, td).Details.Result.Outcome, "%v %s", test.attrs, test.message)
	}
}

func TestTimes(t *testing.T) {
	const good = pcommon.Timestamp(1768471200e9)
	for name, times := range map[string][2]pcommon.Timestamp{
		"end before start": {good, good - 1},
		"no start":         {0, good},
		"no time":          {0, 0},
		"monotonic clock":  {5e9, 6e9},
		"beyond any date":  {math.MaxUint64 - 1, math.MaxUint64},
		"end beyond":       {good, math.MaxUint64},
	} {
		td, span := spanWith("queue", nil)
		span.SetStartTimestamp(times[0])
		span.SetEndTimestamp(times[1])
		f := readOne(t, td)
		assert.Zero(t, f.Seconds(), name)
		if times[0] != times[1] {
			require.NotNil(t, f.Details, name)
			assert.EqualValues(t, 1, f.Details.Values.Dropped[ReasonTime], name)
		}
	}
}

func TestOrigin(t *testing.T) {
	td, _ := spanWith("x", nil)
	resource := td.ResourceSpans().At(0).Resource().Attributes()
	resource.PutStr("deployment.environment", "old")
	assert.Equal(t, "old", readOne(t, td).Origin.Value().Environment)
	assert.Equal(t, inference.UnknownService, readOne(t, td).Origin.Value().ServiceName)
	resource.PutStr("deployment.environment.name", "new")
	resource.PutStr("service.name", "s")
	assert.Equal(t, "new", readOne(t, td).Origin.Value().Environment)
	assert.Equal(t, "s", readOne(t, td).Origin.Value().ServiceName)
}

func TestOrphans(t *testing.T) {
	td, span := spanWith("x", nil)
	span.SetTraceID(pcommon.TraceID{})
	spans, orphans := Read(nil, td, nil)
	assert.Empty(t, spans)
	assert.Equal(t, 1, orphans)
}

func TestAgent(t *testing.T) {
	for _, attrs := range []map[string]any{
		{"gen_ai.operation.name": "invoke_agent"},
		{"traceloop.span.kind": "workflow"},
		{"openinference.span.kind": "CHAIN"},
	} {
		td, _ := spanWith("x", attrs)
		assert.Equal(t, PartAgent, readOne(t, td).Part, "%v", attrs)
	}
	td, _ := spanWith("x", map[string]any{"gen_ai.operation.name": "chat", "openinference.span.kind": "LLM"})
	assert.Equal(t, PartCall, readOne(t, td).Part)
}

// Every alias must lead somewhere, and a key's ranks must be distinct: which
// of two wins may not depend on their order on the span.
func TestAliases(t *testing.T) {
	seen := map[[2]uint8]string{}
	for name, a := range aliases {
		require.Less(t, a.key, numKeys, name)
		at := [2]uint8{uint8(a.key), a.rank}
		assert.Empty(t, seen[at], "%s and %s have one rank", name, seen[at])
		seen[at] = name
	}
}
