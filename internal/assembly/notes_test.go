package assembly

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// annotated builds the call of a vLLM span with more attributes.
func annotated(t *testing.T, more map[string]any) (inference.Call, *Builder) {
	t.Helper()
	attrs := casetest.VLLM()
	maps.Copy(attrs, more)
	b := &Builder{}
	requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, casetest.Span{
		ID: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: attrs,
	})))
	require.Len(t, requests, 1)
	return requests[0].Calls[0], b
}

// Scenario: an earlier tier annotated the span.
// Guarantees: measured here > annotation > derived here; a contradiction is counted.
func TestAnnotation(t *testing.T) {
	c, b := annotated(t, map[string]any{
		"inference.annotation.version":        1,
		"inference.role":                      "server",
		"inference.phase.queue.duration":      0.02, // measured here: 0.01
		"inference.phase.preprocess.duration": 0.03, // derived here: 0.01
		"inference.phase.receive.duration":    0.002,
		"inference.call.time_to_first_token":  0.0601, // measured here: 0.06
	})
	assert.InDelta(t, 0.01, c.Phases[inference.PhaseQueue].Seconds, 1e-9)
	assert.InDelta(t, 0.03, c.Phases[inference.PhasePreprocess].Seconds, 1e-9)
	assert.InDelta(t, 0.002, c.Phases[inference.PhaseReceive].Seconds, 1e-9)
	assert.InDelta(t, 0.06, c.TTFT.Seconds, 1e-9)
	assert.EqualValues(t, 1, b.Disagreed, "the queue; the time to first token is within 1 %%")
}

// Scenario: attributes in our namespace without our version, or of no role.
// Guarantees: they mean nothing.
func TestForeignAnnotation(t *testing.T) {
	for _, more := range []map[string]any{
		{"inference.role": "server", "inference.phase.preprocess.duration": 0.03},
		{"inference.annotation.version": 1, "inference.phase.preprocess.duration": 0.03},
		{"inference.annotation.version": "x", "inference.role": "server", "inference.phase.preprocess.duration": 0.03},
	} {
		c, b := annotated(t, more)
		assert.InDelta(t, 0.01, c.Phases[inference.PhasePreprocess].Seconds, 1e-9)
		assert.Zero(t, b.Disagreed)
	}
}

// Scenario: a proxy hands a stream on only when it is complete.
// Guarantees: the caller's call is marked, and only then.
func TestBuffered(t *testing.T) {
	for name, test := range map[string]struct {
		ttft float64
		want bool
	}{"held back": {0.29, true}, "handed on": {0.08, false}} {
		t.Run(name, func(t *testing.T) {
			var b Builder
			requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil,
				casetest.Span{
					ID: 1, Name: "chat m", Kind: ptrace.SpanKindClient, End: 300 * time.Millisecond,
					Attrs: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.response.time_to_first_chunk": test.ttft},
				},
				casetest.Span{
					ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 10 * time.Millisecond,
					End: 280 * time.Millisecond, Attrs: casetest.VLLM(),
				})))
			require.Len(t, requests[0].Calls, 2)
			assert.Equal(t, test.want, requests[0].Calls[0].Buffered)
			assert.False(t, requests[0].Calls[1].Buffered)
		})
	}
}
