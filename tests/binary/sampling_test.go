package binary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: the shipped gateway keeps none of the usual traces; five come, of which one failed, one
// has its first token late, one takes long, and one takes long without being of a model.
// Guarantees: exactly the three of them that tell something about models are kept, and all four of
// models are counted.
func TestSampling(t *testing.T) {
	t.Parallel()
	sink := otlpsink.Start(t)
	gateway := collector.StartShipped(t, "gateway.yaml", t.TempDir(), []string{
		"TRACES_ENDPOINT=" + sink.Addr, "SAMPLING_PERCENTAGE=0", "SLOW_TTFT_SECONDS=0.5", "SLOW_REQUEST=10s", "HOSTNAME=gateway",
	}, fleet.Quick)
	send := otlpclient.GRPC(t, gateway.GRPC)
	call := func(id byte, took time.Duration, ttft float64, failure string) ptrace.Traces {
		return casetest.Trace(id, map[string]any{"service.name": "vllm"},
			casetest.Span{ID: 1, Name: "POST /v1/chat/completions", Kind: ptrace.SpanKindServer, End: took, Error: failure},
			casetest.Span{ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: took, Attrs: map[string]any{
				"gen_ai.latency.time_to_first_token": ttft, "gen_ai.latency.e2e": took.Seconds(), "gen_ai.response.model": "m",
				"gen_ai.usage.completion_tokens": int64(10), "gen_ai.request.id": "r",
			}})
	}
	const usual, failed, lateToken, slow, other = 1, 2, 3, 4, 5
	for _, td := range []ptrace.Traces{
		call(usual, 2*time.Second, 0.1, ""), call(failed, 2*time.Second, 0.1, "out of memory"),
		call(lateToken, 2*time.Second, 0.9, ""), call(slow, 11*time.Second, 0.1, ""),
		casetest.Trace(other, nil, casetest.Span{ID: 1, Name: "nightly", Kind: ptrace.SpanKindServer, End: time.Hour}),
	} {
		require.NoError(t, send(t.Context(), td))
	}
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), gateway.Page)
		require.NoError(ct, err)
		assert.EqualValues(ct, 4, p.Histogram(requestDuration, nil).Count)
		// The sampler has decided on all.
		own, err := page.Fetch(t.Context(), gateway.Own)
		require.NoError(ct, err)
		assert.InDelta(ct, 5, own.Value("otelcol_processor_tail_sampling_global_count_traces_sampled", nil), 0)
	})
	require.Zero(t, gateway.Stop(t), "exit code")
	kept := map[byte]bool{}
	sink.EachSpan(func(s ptrace.Span) {
		id := s.TraceID()
		kept[id[15]] = true
	})
	assert.Equal(t, map[byte]bool{failed: true, lateToken: true, slow: true}, kept)
}
