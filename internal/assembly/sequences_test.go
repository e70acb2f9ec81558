package assembly

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// Scenario: one call asks an engine for three sequences.
// Guarantees: one call, of the longest; its input once, the outputs summed.
func TestSequences(t *testing.T) {
	const ms = time.Millisecond
	sequence := func(id byte, decode float64, tokens int) casetest.Span {
		attrs := casetest.VLLM()
		attrs["gen_ai.request.id"] = "cmpl-1"
		attrs["gen_ai.latency.time_in_model_decode"] = decode
		attrs["gen_ai.latency.time_in_model_inference"] = decode + 0.04
		attrs["gen_ai.latency.e2e"] = decode + 0.065
		attrs["gen_ai.usage.completion_tokens"] = tokens
		return casetest.Span{
			ID: id, Parent: 9, Name: "llm_request", Kind: ptrace.SpanKindServer,
			End: time.Duration((decode+0.066)*1e3) * ms, Attrs: attrs,
		}
	}
	spans := []casetest.Span{sequence(1, 0.2, 21), sequence(2, 0.4, 31), sequence(3, 0, 1)}
	for range 3 {
		spans = append(spans[1:], spans[0])
		got := requestsOf(t, read(casetest.Trace(1, nil, spans...)))
		require.Len(t, got, 1)
		require.Len(t, got[0].Calls, 1)
		c := got[0].Calls[0]
		assert.EqualValues(t, 2, c.SpanID[7])
		assert.InDelta(t, 0.465, c.Duration.Seconds, 1e-9)
		assert.InDelta(t, 0.465, got[0].Duration.Seconds, 1e-9)
		assert.InDelta(t, 0.6/50, c.TPOT.Seconds, 1e-9)
		assert.EqualValues(t, 53, got[0].OutputTokens.N())
		assert.EqualValues(t, 100, got[0].InputTokens.N())
	}
}
