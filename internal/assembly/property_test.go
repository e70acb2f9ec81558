package assembly

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

func testConfig() Config {
	return Config{
		Linger: 10 * time.Second, IdleTimeout: time.Minute, MaxAge: 15 * time.Minute,
		MaxTraces: 1000, MaxSpansPerTrace: 1000, MaxSpans: 100_000, MaxTombstones: 1000,
	}
}

func read(td ptrace.Traces) []dialect.Span {
	spans, _ := dialect.Read(nil, td, nil)
	return spans
}

func facts(td ptrace.Traces) (list []dialect.Facts) {
	for _, s := range read(td) {
		list = append(list, s.Facts)
	}
	return list
}

// randomVLLM returns a vLLM span of random times, some missing, and its
// end-to-end time.
func randomVLLM(random *rand.Rand) casetest.Span {
	queue, prefill, decode, pre, post := random.Float64(), random.Float64(), random.Float64(), random.Float64(), random.Float64()
	attrs := map[string]any{
		"gen_ai.latency.time_in_queue": queue, "gen_ai.latency.time_in_model_prefill": prefill,
		"gen_ai.latency.time_in_model_decode": decode, "gen_ai.latency.time_in_model_inference": prefill + decode,
		"gen_ai.latency.time_to_first_token": pre + queue + prefill, "gen_ai.latency.e2e": pre + queue + prefill + decode + post,
		"gen_ai.usage.completion_tokens": random.IntN(100),
	}
	for key := range attrs {
		if random.IntN(5) == 0 {
			delete(attrs, key)
		}
	}
	attrs["gen_ai.latency.time_in_model_decode"] = decode
	return casetest.Span{
		ID: 1, Parent: 9, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 6 * time.Second, Attrs: attrs,
	}
}

// Scenario: vLLM spans of any times, some of them missing.
// Guarantees: the phases inside a server call and other add up to the call.
func TestPhasesAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var b Builder
		requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, randomVLLM(random))))
		require.Len(t, requests, 1)
		call := requests[0].Calls[0]
		total := 0.0
		for _, m := range call.Phases {
			assert.GreaterOrEqual(t, m.Seconds, 0.0)
			total += m.Seconds
		}
		assert.InDelta(t, call.Duration.Seconds, total, 1e-6, "%+v", call)
	}
}

// requestsOf runs spans through an assembler, one export each, in their order.
func requestsOf(t *testing.T, spans []dialect.Span) []*inference.Request {
	t.Helper()
	var out []*inference.Request
	a := New(testConfig(), func(r *inference.Request) { out = append(out, r.Clone()) })
	now := time.Unix(1e9, 0)
	for i := range spans {
		now = now.Add(100 * time.Millisecond)
		a.Add(now, spans[i:i+1])
		a.Advance(now)
	}
	a.Advance(now.Add(time.Hour))
	require.Zero(t, a.Stats().OpenTraces.Load())
	require.Zero(t, a.Stats().OpenSpans.Load())
	return out
}

func mixed() ptrace.Traces {
	const ms = time.Millisecond
	spans := casetest.Stages("m")
	spans = append(spans,
		casetest.Span{ID: 20, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 300 * ms, End: 580 * ms, Attrs: casetest.VLLM()},
		casetest.Span{ID: 21, Parent: 20, Name: "detail", Start: 300 * ms, End: 310 * ms},
	)
	return casetest.Trace(1, map[string]any{"service.name": "s"}, spans...)
}

// Scenario: the spans come in any order, with duplicates, at other times of
// day, among spans of other traces.
// Guarantees: the request is the same.
func TestInvariance(t *testing.T) {
	want := requestsOf(t, read(mixed()))
	require.Len(t, want, 1)
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		spans := read(mixed())
		shift := int64(random.IntN(1e9)) * 1e6
		for range random.IntN(4) {
			spans = append(spans, spans[random.IntN(len(spans))])
		}
		for id := range byte(random.IntN(3)) {
			spans = append(spans, read(casetest.Trace(100+id, nil, casetest.Span{ID: 1, Name: "GET /", End: time.Second}))...)
		}
		random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		for i := range spans {
			spans[i].Start += shift
			spans[i].End += shift
		}
		got := requestsOf(t, spans)
		require.Len(t, got, 1)
		got[0].Start -= shift
		for i := range got[0].Calls {
			got[0].Calls[i].Start -= shift
		}
		require.Equal(t, fmt.Sprintf("%+v", *want[0]), fmt.Sprintf("%+v", *got[0]))
	}
}

// Scenario: an engine's call lies below an inference stage.
// Guarantees: it is the call; the stage is no second one.
func TestCallBelowStage(t *testing.T) {
	spans := casetest.Stages("m")
	spans = append(spans, casetest.Span{
		ID: 20, Parent: 5, Name: "llm_request", Kind: ptrace.SpanKindServer,
		Start: 300 * time.Millisecond, End: 580 * time.Millisecond, Attrs: casetest.VLLM(),
	})
	var b Builder
	requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, spans...)))
	require.Len(t, requests, 1)
	require.Len(t, requests[0].Calls, 1)
	call := requests[0].Calls[0]
	assert.Equal(t, "vllm", call.Identity.Engine)
	assert.Equal(t, "m", call.Identity.Model)
	assert.InDelta(t, 0.21, call.Phases[inference.PhaseQueue].Seconds, 1e-9, "queue before the engine and in it")
	assert.InDelta(t, 0.03, call.Phases[inference.PhasePostprocess].Seconds-0.005, 1e-9)
}

func TestEstimatedQueue(t *testing.T) {
	spans := casetest.Stages("m")
	spans = append(spans[:3], spans[4:]...) // no queue
	var b Builder
	call := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, spans...)))[0].Calls[0]
	queue := call.Phases[inference.PhaseQueue]
	assert.Equal(t, inference.Estimated, queue.Provenance)
	assert.InDelta(t, 0.2, queue.Seconds, 1e-9)

	spans = append(spans, casetest.Span{ID: 9, Parent: 1, Name: "fetch", Start: 100 * time.Millisecond, End: 150 * time.Millisecond})
	call = b.Build([16]byte{1}, facts(casetest.Trace(1, nil, spans...)))[0].Calls[0]
	assert.False(t, call.Phases[inference.PhaseQueue].Known(), "something else was done in the gap")
}

// Scenario: a request fails while it waits, so that the model never runs.
// Guarantees: it is a request, with its phases and its outcome.
func TestRequestWithoutCall(t *testing.T) {
	spans := casetest.Stages("m")[:4]
	spans[0].Error, spans[0].Attrs["error.type"] = "queue full", "429"
	got := requestsOf(t, read(casetest.Trace(1, nil, spans...)))
	require.Len(t, got, 1)
	assert.True(t, got[0].Seen)
	assert.Equal(t, inference.OutcomeRejected, got[0].Result.Outcome)
	assert.Equal(t, "m", got[0].Identity.Model)
	assert.InDelta(t, 0.2, got[0].Phases[inference.PhaseQueue].Seconds, 1e-9)
}

// Scenario: two attempts, the first failed, as sibling calls of one request.
// Guarantees: one request with one retry; each call under its own outcome.
func TestRetry(t *testing.T) {
	const ms = time.Millisecond
	first := casetest.Span{ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * ms, Attrs: casetest.VLLM(), Error: "boom"}
	second := first
	second.ID, second.Start, second.End, second.Error = 3, 500*ms, 770*ms, ""
	got := requestsOf(t, read(casetest.Trace(1, nil,
		casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 800 * ms}, first, second)))
	require.Len(t, got, 1)
	assert.Equal(t, 1, got[0].Retries)
	assert.Equal(t, inference.OutcomeOK, got[0].Result.Outcome)
	assert.Equal(t, inference.OutcomeError, got[0].Calls[0].Result.Outcome)
	assert.Equal(t, inference.OtherError, got[0].Calls[0].Result.ErrorType)
	assert.InDelta(t, 0.56, got[0].TTFT.Seconds, 1e-9, "to the first token of the attempt that succeeded")
	assert.EqualValues(t, 42, got[0].OutputTokens.N())
}

// Scenario: a gateway and a router above an engine, each with server and client spans.
// Guarantees: each layer's own time, whatever the clocks say.
func TestHops(t *testing.T) {
	const ms = time.Millisecond
	other := map[string]any{"service.name": "router"}
	spans := []casetest.Span{
		{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 400 * ms},
		{ID: 2, Parent: 1, Name: "handler", Start: 1 * ms, End: 399 * ms},
		{ID: 3, Parent: 2, Name: "POST", Kind: ptrace.SpanKindClient, Start: 10 * ms, End: 380 * ms},
		// An hour ahead.
		{ID: 4, Parent: 3, Name: "POST", Kind: ptrace.SpanKindServer, Start: time.Hour, End: time.Hour + 350*ms, Resource: other},
		{ID: 5, Parent: 4, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 20 * ms, End: 290 * ms, Attrs: casetest.VLLM()},
	}
	hops := func() map[string]float64 {
		var b Builder
		requests := b.Build([16]byte{1}, facts(casetest.Trace(1, map[string]any{"service.name": "gateway"}, spans...)))
		require.Len(t, requests, 1)
		found := map[string]float64{}
		for _, h := range requests[0].Hops {
			found[h.Kind.String()+" "+h.Identity.ServiceName] = h.Duration.Seconds
			assert.Equal(t, "vllm", h.Identity.Engine)
		}
		return found
	}
	assert.InDeltaMapValues(t, map[string]float64{"gateway router": 0.085, "network gateway": 0.02, "gateway gateway": 0.03}, hops(), 1e-9)

	second := spans[4]
	second.ID, second.Start, second.End = 6, 300*ms, 570*ms
	spans = append(spans, second)
	assert.Empty(t, hops(), "time between two attempts is no layer's own")
}
