package assembly

import (
	"fmt"
	"math/rand/v2"
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

const fixturesDir = "../../tests/fixtures/otlp"

// Scenario: a trace of each engine and SDK, as they write them.
// Guarantees: the values that were calculated by hand beside it.
func TestFixtures(t *testing.T) {
	for name, w := range casetest.Fixtures {
		t.Run(name, func(t *testing.T) {
			requests := requestsOf(t, read(casetest.LoadFixture(t, fixturesDir, name)))
			require.Len(t, requests, 1)
			checkFixture(t, &w, requests[0])
		})
	}
}

func checkFixture(t *testing.T, w *casetest.Fixture, r *inference.Request) {
	t.Helper()
	is := func(want float64, got inference.Measure, what string) {
		t.Helper()
		assert.Equal(t, want != 0, got.Known(), what)
		assert.InDelta(t, want, got.Seconds, 1e-7, what)
	}
	require.True(t, r.Seen)
	assert.Equal(t, w.Engine, r.Identity.Engine)
	assert.Equal(t, w.Model, r.Identity.Model)
	is(w.Request, r.Duration, "request")
	is(w.RequestTTFT, r.TTFT, "request ttft")
	assert.Equal(t, w.Input, r.InputTokens.N())
	assert.Equal(t, w.Output, r.OutputTokens.N())
	assert.Equal(t, w.Cached, r.CachedTokens.N())
	assert.Equal(t, w.Finish, r.FinishReason)
	assert.Equal(t, w.Streaming, r.Result.Streaming)
	require.Len(t, r.Calls, w.Calls)
	c := &r.Calls[0]
	assert.Equal(t, w.Role, c.Role)
	is(w.Duration, c.Duration, "call")
	is(w.TTFT, c.TTFT, "ttft")
	is(w.TPOT, c.TPOT, "tpot")
	is(w.Preprocess, c.Phases[inference.PhasePreprocess], "preprocess")
	is(w.Queue, c.Phases[inference.PhaseQueue], "queue")
	is(w.Inference, c.Phases[inference.PhaseInference], "inference")
	is(w.Postprocess, c.Phases[inference.PhasePostprocess], "postprocess")
	is(w.Prefill, c.Subphases[inference.SubphasePrefill], "prefill")
	is(w.Decode, c.Subphases[inference.SubphaseDecode], "decode")
	if w.Gateway > 0 {
		require.Len(t, r.Hops, 1)
		assert.Equal(t, inference.HopGateway, r.Hops[0].Kind)
		is(w.Gateway, r.Hops[0].Duration, "gateway")
	}
}

// Scenario: the spans of each fixture come in any order, some of them twice.
// Guarantees: the request is the same.
func TestFixturesInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for name := range casetest.Fixtures {
		t.Run(name, func(t *testing.T) {
			spans := read(casetest.LoadFixture(t, fixturesDir, name))
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
	assert.EqualValues(t, 21, r.OutputTokens.N())
	assert.EqualValues(t, 100, r.InputTokens.N())
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
	assert.EqualValues(t, 20, r.OutputTokens.N())
	assert.False(t, r.TTFT.Known())
	assert.Empty(t, r.Hops)
}

// Scenario: an engine exports the parts of a call as they end; its root comes
// minutes later.
// Guarantees: the parts wait for it.
func TestPartsWaitForTheirCall(t *testing.T) {
	for _, name := range []string{"sglang", "rtp_llm", "tgi"} {
		t.Run(name, func(t *testing.T) {
			var out []*inference.Request
			a := New(testConfig(), func(r *inference.Request) { out = append(out, r.Clone()) })
			now := time.Unix(1e9, 0)
			for _, span := range slices.Backward(read(casetest.LoadFixture(t, fixturesDir, name))) {
				if span.Part == dialect.PartCall {
					now = now.Add(5 * time.Minute)
				}
				a.Advance(now)
				a.Add(now, []dialect.Span{span})
			}
			a.Advance(now.Add(time.Hour))
			require.Len(t, out, 1)
			w := casetest.Fixtures[name]
			checkFixture(t, &w, out[0])
			assert.Zero(t, a.Stats().OpenTraces.Load())
		})
	}
}

// Scenario: a front end alone tells of a call; its engine exports nothing.
// Guarantees: it stands for the call.
func TestStandIn(t *testing.T) {
	spans := read(casetest.LoadFixture(t, fixturesDir, "dynamo"))
	r := requestsOf(t, spans[:1])[0]
	require.Len(t, r.Calls, 1)
	assert.InDelta(t, 0.1, r.Calls[0].TTFT.Seconds, 1e-9)
	assert.InDelta(t, 0.1, r.TTFT.Seconds, 1e-9)
	assert.InDelta(t, 0.9, r.Duration.Seconds, 1e-9)
}

// Scenario: a batch, in a trace of its own, links to the requests in it.
// Guarantees: the request's call knows its size, whichever trace comes first.
func TestLinkedBatch(t *testing.T) {
	spans := read(casetest.LoadFixture(t, fixturesDir, "tgi"))
	for range 2 {
		requests := requestsOf(t, spans)
		require.Len(t, requests, 1)
		assert.EqualValues(t, 1, requests[0].Calls[0].BatchSize.N())
		slices.Reverse(spans)
	}
}

// Scenario: vLLM writes its phases as spans below its call, and states none.
// Guarantees: they are those of the call.
func TestVLLMParts(t *testing.T) {
	const ms = time.Millisecond
	attrs := casetest.VLLM()
	for _, key := range []string{"time_in_queue", "time_in_model_prefill", "time_in_model_decode"} {
		delete(attrs, "gen_ai.latency."+key)
	}
	part := func(id byte, name string, start, end time.Duration) casetest.Span {
		return casetest.Span{ID: id, Parent: 1, Name: name, Start: start, End: end}
	}
	r := requestsOf(t, read(casetest.Trace(1, nil,
		casetest.Span{ID: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 266 * ms, Attrs: attrs},
		part(2, "vllm_queue", 10*ms, 20*ms), part(3, "vllm_async_kv_transfer", 20*ms, 25*ms),
		part(4, "vllm_prefill", 25*ms, 60*ms), part(5, "vllm_decode", 60*ms, 260*ms))))[0]
	c := r.Calls[0]
	assert.InDelta(t, 0.01, c.Phases[inference.PhaseQueue].Seconds, 1e-9)
	assert.InDelta(t, 0.005, c.Subphases[inference.SubphaseKVTransfer].Seconds, 1e-9)
	assert.InDelta(t, 0.2, c.TPOT.Seconds*20, 1e-3)
}

// Scenario: Triton's request span comes without its model's, or in a circle.
// Guarantees: it is a request, or none; it never lacks a model's label.
func TestMarkedRequestAlone(t *testing.T) {
	spans := read(casetest.LoadFixture(t, fixturesDir, "triton"))
	r := requestsOf(t, spans[:1])
	require.Len(t, r, 1)
	assert.True(t, r[0].Seen)
	assert.Equal(t, inference.UnknownModel, r[0].Identity.Model)
	assert.Equal(t, "triton", r[0].Identity.Engine)
	assert.InDelta(t, 0.0152, r[0].Duration.Seconds, 1e-9)

	spans[0].ParentID = spans[1].SpanID
	for _, r := range requestsOf(t, spans) {
		assert.False(t, r.Seen)
		assert.NotEmpty(t, r.Identity.Model)
	}
}

// Scenario: a batch links to a request that is never exported.
// Guarantees: nothing is observed, and it is not waited for as a model's work is.
func TestLinkedBatchOfUnseenRequest(t *testing.T) {
	var batch []dialect.Span
	for _, s := range read(casetest.LoadFixture(t, fixturesDir, "tgi")) {
		if s.Part == dialect.PartInside && !s.Timed() {
			batch = append(batch, s)
		}
	}
	require.Len(t, batch, 1)
	a := New(testConfig(), func(*inference.Request) { assert.Fail(t, "observed") })
	now := time.Unix(1e9, 0)
	a.Add(now, batch)
	a.Advance(now.Add(2 * time.Minute))
	assert.Zero(t, a.Stats().OpenTraces.Load())
}
