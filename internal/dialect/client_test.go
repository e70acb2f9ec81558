package dialect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// calls are spans of callers that no fixture has, each a second long. TTFT and
// TPOT in seconds; 0 is absent.
var calls = map[string]struct {
	scope, name string
	kind        ptrace.SpanKind
	attrs       map[string]any
	event       string // at its end
	engine      string // empty: no call
	ttft, tpot  float64
}{
	"openlit streaming": {
		attrs: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.stream": true,
			"gen_ai.server.time_to_first_token": 0.25, "gen_ai.server.time_per_output_token": 0.02,
		},
		engine: "openlit", ttft: 0.25, tpot: 0.02,
	},
	"openlit not streaming states the whole call": {
		attrs: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.stream": false,
			"gen_ai.server.time_to_first_token": 1.0, "gen_ai.server.time_per_output_token": 0.0,
		},
		engine: "openlit",
	},
	"openlit zero is not measured": {
		attrs: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.stream": true,
			"gen_ai.server.time_to_first_token": 0.0, "gen_ai.server.time_per_output_token": 0.0,
		},
		engine: "openlit",
	},
	"loongsuite nanoseconds": {
		attrs: map[string]any{
			"gen_ai.span.kind": "LLM", "gen_ai.operation.name": "chat", "gen_ai.response.time_to_first_token": 250_000_000,
		},
		kind: ptrace.SpanKindClient, engine: "loongsuite", ttft: 0.25,
	},
	"a gateway's proxy span with LoongSuite's key": {
		attrs: map[string]any{"gen_ai.span.kind": "LLM", "component": "proxy"},
	},
	"langfuse's date in quotes": {
		attrs: map[string]any{
			"gen_ai.operation.name": "chat", "langfuse.observation.completion_start_time": `"2026-01-15T10:00:00.250Z"`,
		},
		engine: "gen_ai", ttft: 0.25,
	},
	"envoy's first token is its last": {
		scope: "envoyproxy/ai-gateway", name: "ChatCompletion", event: "First Token Stream Event",
		attrs: map[string]any{"openinference.span.kind": "LLM", "llm.model_name": "m"}, engine: "envoy_ai_gateway",
	},
	"openinference with an event at the end": {
		name: "ChatCompletion", event: "First Token Stream Event",
		attrs: map[string]any{"openinference.span.kind": "LLM"}, engine: "openinference",
	},
	"openllmetry of today": {
		attrs:  map[string]any{"gen_ai.is_streaming": true, "gen_ai.request.model": "m"},
		engine: "openllmetry",
	},
	"litellm without a span of its own": {
		scope: "litellm", name: "Received Proxy Server Request", kind: ptrace.SpanKindServer,
		attrs: map[string]any{"llm.request.type": "acompletion", "gen_ai.request.model": "m"}, engine: "litellm",
	},
	"litellm's raw request":    {scope: "litellm", name: "raw_gen_ai_request", attrs: map[string]any{"gen_ai.operation.name": "chat"}},
	"a rerank is no call":      {attrs: map[string]any{"gen_ai.operation.name": "rerank"}},
	"retrieval is a step":      {attrs: map[string]any{"gen_ai.operation.name": "retrieval"}},
	"the AI SDK's whole run":   {attrs: map[string]any{"ai.operationId": "ai.streamText", "ai.usage.promptTokens": 3}},
	"an embedding has no TTFT": {attrs: map[string]any{"gen_ai.operation.name": "embeddings"}, engine: "gen_ai"},
}

func TestCallers(t *testing.T) {
	for name, test := range calls {
		t.Run(name, func(t *testing.T) {
			td, span := spanWith(test.name, test.attrs)
			td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName(test.scope)
			span.SetKind(test.kind)
			if test.event != "" {
				e := span.Events().AppendEmpty()
				e.SetName(test.event)
				e.SetTimestamp(span.EndTimestamp())
			}
			f := readOne(t, td)
			if test.engine == "" {
				assert.NotEqual(t, PartCall, f.Part)
				return
			}
			require.Equal(t, PartCall, f.Part)
			assert.Equal(t, test.engine, f.Dialect.Name())
			assert.Equal(t, inference.RoleClient, f.Details.Role)
			ttft, _ := f.Details.Values.Get(ValueTTFT)
			tpot, _ := f.Details.Values.Get(ValueTPOT)
			assert.InDelta(t, test.ttft, ttft, 1e-9)
			assert.InDelta(t, test.tpot, tpot, 1e-9)
			assert.Zero(t, f.Details.Values.Dropped)
		})
	}
}
