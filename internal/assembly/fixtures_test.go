package assembly

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// want is what a fixture's expect.md says of its request and calls, in
// seconds; 0 is absent.
type want struct {
	engine, model           string
	request, requestTTFT    float64
	role                    inference.Role
	duration, ttft, tpot    float64
	pre, queue, infer, post float64
	prefill, decode         float64
	input, output, cached   int64
	finish                  string
	streaming               inference.Tristate
	gateway                 float64
	calls                   int // of the request, each seen once
}

var wants = map[string]want{
	"vllm_v1": {
		engine: "vllm", model: "unknown", request: 2.0508, requestTTFT: 0.1843, duration: 2.0508, ttft: 0.1843, tpot: 1.865 / 127,
		pre: 0.0130, queue: 0.0512, infer: 1.9851, post: 0.0015, prefill: 0.1201, decode: 1.8650, input: 512, output: 128, calls: 1,
	},
	"vllm_v0": {
		engine: "vllm", model: "facebook/opt-125m", request: 3, requestTTFT: 0.5, duration: 3, ttft: 0.5, tpot: 0.025,
		queue: 0.2, infer: 2.8, prefill: 0.3, decode: 2.5, input: 64, output: 101, calls: 1,
	},
	"tensorrt_llm": {
		engine: "tensorrt_llm", model: "unknown", request: 1, requestTTFT: 0.1, duration: 1, ttft: 0.1, tpot: 0.015,
		queue: 0.02, infer: 0.98, prefill: 0.08, decode: 0.9, input: 300, output: 61, calls: 1,
	},
	"production_stack_vllm": {
		engine: "vllm", model: "Qwen/Qwen3-8B", request: 2.07, requestTTFT: 0.1943, duration: 2.0508, ttft: 0.1843, tpot: 1.865 / 127,
		pre: 0.0130, queue: 0.0512, infer: 1.9851, post: 0.0015, prefill: 0.1201, decode: 1.8650, input: 512, output: 128, calls: 1,
	},
	"sglang": {
		engine: "sglang", model: "Qwen/Qwen3-8B", request: 1.5, requestTTFT: 0.17, duration: 1.5, ttft: 0.17, tpot: 0.014,
		pre: 0.0135, queue: 0.051, infer: 1.427, post: 0.008, prefill: 0.1, decode: 1.327, input: 1024, output: 96, cached: 256, finish: "stop", calls: 1,
	},
	"rtp_llm": {
		engine: "rtp_llm", model: "qwen", request: 1, requestTTFT: 0.19, duration: 1, ttft: 0.19, tpot: 0.02,
		pre: 0.017, queue: 0.023, infer: 0.95, prefill: 0.15, decode: 0.8, input: 700, output: 41, calls: 1,
	},
	"tgi": {
		engine: "tgi", model: "unknown", request: 0.1240456, requestTTFT: 0.0640456, duration: 0.1240456, ttft: 0.0640456, tpot: 0.015,
		pre: 0.0032, queue: 0.0008456, infer: 0.12, prefill: 0.06, decode: 0.06, output: 5, calls: 1,
	},
	"triton": {
		engine: "triton", model: "resnet50", request: 0.0152, duration: 0.0142,
		pre: 0.0005, queue: 0.005, infer: 0.008, post: 0.0005, calls: 1,
	},
	"triton_ensemble": {
		engine: "triton", model: "detector_ensemble", request: 0.0394, duration: 0.0078,
		pre: 0.0001, queue: 0.0005, infer: 0.007, post: 0.0001, calls: 3,
	},
	"llmd_pd": {
		engine: "vllm", model: "meta-llama/Llama-3.1-8B-Instruct", request: 1.31, requestTTFT: 0.301, duration: 1.289, ttft: 0.289, tpot: 0.00999,
		pre: 0.018, queue: 0.014, infer: 1.249, post: 0.001, prefill: 0.18, decode: 0.999, input: 2000, output: 101, gateway: 0.021, calls: 1,
	},
	"dynamo": {
		engine: "dynamo", model: "Qwen/Qwen3-0.6B", request: 0.9, requestTTFT: 0.1, duration: 0.889, ttft: 0.092, tpot: 0.0195,
		input: 128, output: 41, finish: "stop", calls: 1,
	},
	"semconv_client_1_41": {
		engine: "gen_ai", model: "gpt-4o-2024-08-06", request: 3, requestTTFT: 0.6, role: inference.RoleClient, duration: 3, ttft: 0.6, tpot: 0.02,
		input: 100, output: 121, cached: 64, finish: "stop", streaming: inference.Yes, calls: 1,
	},
	"semconv_client_legacy": {
		engine: "gen_ai", model: "gpt-4o-2024-08-06", request: 3, role: inference.RoleClient, duration: 3, input: 100, output: 121, finish: "stop", calls: 1,
	},
	"openinference": {
		engine: "openinference", model: "gpt-4o-mini-2024-07-18", request: 1.4, requestTTFT: 0.4, role: inference.RoleClient, duration: 1.4, ttft: 0.4,
		tpot: 0.02, input: 12, output: 51, calls: 1,
	},
	"openllmetry": {
		engine: "openllmetry", model: "gpt-4o-mini-2024-07-18", request: 0.7, requestTTFT: 0.6, role: inference.RoleClient, duration: 0.7, ttft: 0.6,
		tpot: 0.02, input: 12, output: 5, streaming: inference.Yes, calls: 1,
	},
	"pydantic_ai": {
		engine: "pydantic_ai", model: "gpt-4o-2024-08-06", request: 1.2, requestTTFT: 0.4, role: inference.RoleClient, duration: 1.2, ttft: 0.4,
		tpot: 0.02, input: 50, output: 41, finish: "stop", calls: 1,
	},
	"vercel_ai_genai": {
		engine: "vercel_ai", model: "gpt-4o-2024-08-06", request: 1.9995, requestTTFT: 0.50025, role: inference.RoleClient, duration: 1.9995,
		ttft: 0.50025, tpot: 0.0249875, input: 30, output: 61, finish: "stop", calls: 1,
	},
	"vercel_ai_legacy": {
		engine: "vercel_ai", model: "gpt-4o-2024-08-06", request: 1.9995, requestTTFT: 0.50025, role: inference.RoleClient, duration: 1.9995,
		ttft: 0.50025, tpot: 0.0249875, input: 30, output: 61, finish: "stop", calls: 1,
	},
	"litellm_v1": {
		engine: "litellm", model: "gpt-4o-mini-2024-07-18", request: 1.812, role: inference.RoleClient, duration: 1.79,
		input: 11, output: 64, finish: "length", streaming: inference.Yes, gateway: 0.022, calls: 1,
	},
	"litellm_v2": {
		engine: "litellm", model: "gpt-4o-mini-2024-07-18", request: 1.812, role: inference.RoleClient, duration: 1.79,
		input: 11, output: 64, finish: "length", streaming: inference.Yes, gateway: 0.022, calls: 1,
	},
	"envoy_ai_gateway_genai": {
		engine: "envoy_ai_gateway", model: "qwen3-8b", request: 2.5, role: inference.RoleClient, duration: 2.5, input: 40, output: 81, finish: "stop", calls: 1,
	},
}

// Scenario: a trace of each engine and SDK, as they write them.
// Guarantees: the values that were calculated by hand beside it.
func TestFixtures(t *testing.T) {
	for name, w := range wants {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../tests/fixtures/otlp/" + name + ".json")
			require.NoError(t, err)
			requests := requestsOf(t, read(casetest.Unmarshal(t, data)))
			require.Len(t, requests, 1)
			w.check(t, requests[0])
		})
	}
}

func (w *want) check(t *testing.T, r *inference.Request) {
	t.Helper()
	is := func(want float64, got inference.Measure, what string) {
		t.Helper()
		assert.Equal(t, want != 0, got.Known(), what)
		assert.InDelta(t, want, got.Seconds, 1e-7, what)
	}
	require.True(t, r.Seen)
	assert.Equal(t, w.engine, r.Identity.Engine)
	assert.Equal(t, w.model, r.Identity.Model)
	is(w.request, r.Duration, "request")
	is(w.requestTTFT, r.TTFT, "request ttft")
	assert.Equal(t, w.input, r.InputTokens.N)
	assert.Equal(t, w.output, r.OutputTokens.N)
	assert.Equal(t, w.cached, r.CachedTokens.N)
	assert.Equal(t, w.finish, r.FinishReason)
	assert.Equal(t, w.streaming, r.Result.Streaming)
	require.Len(t, r.Calls, w.calls)
	c := &r.Calls[0]
	assert.Equal(t, w.role, c.Role)
	is(w.duration, c.Duration, "call")
	is(w.ttft, c.TTFT, "ttft")
	is(w.tpot, c.TPOT, "tpot")
	is(w.pre, c.Phases[inference.PhasePreprocess], "preprocess")
	is(w.queue, c.Phases[inference.PhaseQueue], "queue")
	is(w.infer, c.Phases[inference.PhaseInference], "inference")
	is(w.post, c.Phases[inference.PhasePostprocess], "postprocess")
	is(w.prefill, c.Subphases[inference.SubphasePrefill], "prefill")
	is(w.decode, c.Subphases[inference.SubphaseDecode], "decode")
	if w.gateway > 0 {
		require.Len(t, r.Hops, 1)
		assert.Equal(t, inference.HopGateway, r.Hops[0].Kind)
		is(w.gateway, r.Hops[0].Duration, "gateway")
	}
}

// Scenario: the spans of each fixture come in any order, some of them twice.
// Guarantees: the request is the same.
func TestFixturesInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for name := range wants {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../tests/fixtures/otlp/" + name + ".json")
			require.NoError(t, err)
			spans := read(casetest.Unmarshal(t, data))
			first := fmt.Sprintf("%+v", *requestsOf(t, spans)[0])
			for range 20 {
				shuffled := append(slices.Clone(spans), spans[random.IntN(len(spans))])
				random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
				again := requestsOf(t, shuffled)
				require.Len(t, again, 1)
				require.Equal(t, first, fmt.Sprintf("%+v", *again[0]))
			}
		})
	}
}

// Scenario: an SDK calls a gateway's SDK, which calls an engine: one call, seen
// from three sides.
// Guarantees: each view is observed; calls and tokens count once; the engine
// decides what the request was; the hops lie between the views.
func TestViewsOfOneCall(t *testing.T) {
	const ms = time.Millisecond
	client := func(id, parent byte, start, end time.Duration) casetest.Span {
		return casetest.Span{ID: id, Parent: parent, Name: "chat m", Kind: ptrace.SpanKindClient, Start: start, End: end, Attrs: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": "alias", "gen_ai.usage.output_tokens": 21,
			"gen_ai.response.time_to_first_chunk": 0.1, "gen_ai.request.stream": true,
		}}
	}
	engine := casetest.Span{
		ID: 4, Parent: 3, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 20 * ms, End: 286 * ms, Attrs: casetest.VLLM(),
	}
	var b Builder
	requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil,
		client(1, 0, 0, 400*ms), casetest.Span{ID: 2, Parent: 1, Name: "POST", Kind: ptrace.SpanKindServer, Start: 10 * ms, End: 380 * ms},
		client(3, 2, 15*ms, 300*ms), engine)))
	require.Len(t, requests, 1)
	r := requests[0]
	require.Len(t, r.Calls, 3)
	assert.Equal(t, []bool{true, true, false}, []bool{r.Calls[0].Outer, r.Calls[1].Outer, r.Calls[2].Outer})
	assert.Equal(t, "vllm", r.Identity.Engine)
	assert.InDelta(t, 0.4, r.Duration.Seconds, 1e-9)
	assert.InDelta(t, 0.08, r.TTFT.Seconds, 1e-9, "as the engine measured it, from the start of the request")
	assert.EqualValues(t, 21, r.OutputTokens.N)
	assert.EqualValues(t, 100, r.InputTokens.N)
	assert.Zero(t, r.Retries)
	assert.Equal(t, inference.Yes, r.Result.Streaming)
	var hops []string
	for _, h := range r.Hops {
		hops = append(hops, fmt.Sprintf("%s %.3f", h.Kind, h.Duration.Seconds))
	}
	assert.Equal(t, []string{"network 0.020", "gateway 0.085", "network 0.030"}, hops)
}

// Scenario: the caller's spans alone; the engine exports nothing.
// Guarantees: tokens of the innermost caller, once.
func TestCallersOnly(t *testing.T) {
	span := func(id, parent byte, tokens int) casetest.Span {
		return casetest.Span{ID: id, Parent: parent, Name: "chat m", Kind: ptrace.SpanKindClient, End: time.Second, Attrs: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.output_tokens": tokens,
		}}
	}
	outer, inner := span(1, 0, 21), span(2, 1, 20)
	inner.End = 900 * time.Millisecond
	var b Builder
	r := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, outer, inner)))[0]
	assert.EqualValues(t, 20, r.OutputTokens.N)
	assert.False(t, r.TTFT.Known())
	assert.Empty(t, r.Hops)
}

// Scenario: an engine exports the parts of a call as they end; its root comes
// minutes later.
// Guarantees: the parts wait for it.
func TestPartsWaitForTheirCall(t *testing.T) {
	for _, name := range []string{"sglang", "rtp_llm", "tgi"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../tests/fixtures/otlp/" + name + ".json")
			require.NoError(t, err)
			var out []*inference.Request
			a := New(testConfig(), func(r *inference.Request) { out = append(out, r) })
			now := time.Unix(1e9, 0)
			for _, span := range slices.Backward(read(casetest.Unmarshal(t, data))) {
				if span.Part == dialect.PartCall {
					now = now.Add(5 * time.Minute)
				}
				a.Advance(now)
				a.Add(now, []dialect.Span{span})
			}
			a.Advance(now.Add(time.Hour))
			require.Len(t, out, 1)
			w := wants[name]
			w.check(t, out[0])
			assert.Zero(t, a.Stats().OpenTraces.Load())
		})
	}
}

// Scenario: a front end alone tells of a call; its engine exports nothing.
// Guarantees: it stands for the call.
func TestStandIn(t *testing.T) {
	data, err := os.ReadFile("../../tests/fixtures/otlp/dynamo.json")
	require.NoError(t, err)
	spans := read(casetest.Unmarshal(t, data))
	r := requestsOf(t, spans[:1])[0]
	require.Len(t, r.Calls, 1)
	assert.InDelta(t, 0.1, r.Calls[0].TTFT.Seconds, 1e-9)
	assert.InDelta(t, 0.1, r.TTFT.Seconds, 1e-9)
	assert.InDelta(t, 0.9, r.Duration.Seconds, 1e-9)
}
