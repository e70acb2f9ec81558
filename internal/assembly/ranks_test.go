package assembly

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: two ranks of one engine write the inference stage; only one of
// them, in each turn another, names the model and tells tokens and first token.
// Guarantees: one call, of their union, with all that either of them says.
func TestRanks(t *testing.T) {
	const ms = time.Millisecond
	for name, start := range map[string]time.Duration{"before": 259 * ms, "at once": 260 * ms, "after": 261 * ms} {
		t.Run(name, func(t *testing.T) {
			spans := casetest.Stages("")
			spans[4].Attrs["gen_ai.response.model"] = "m"
			spans = append(spans, casetest.Span{ID: 7, Parent: 1, Name: "inference", Start: start, End: 961 * ms, Error: "rank failed"})
			var b Builder
			requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, spans...)))
			require.Len(t, requests, 1)
			require.Len(t, requests[0].Calls, 1)
			c := requests[0].Calls[0]
			first := min(start, 260*ms)
			assert.InDelta(t, (961*ms - first).Seconds(), c.Duration.Seconds, 1e-9)
			assert.InDelta(t, (360*ms - first).Seconds(), c.TTFT.Seconds, 1e-9)
			assert.EqualValues(t, 65, c.OutputTokens.N())
			assert.Equal(t, "m", c.Identity.Model)
			assert.Equal(t, inference.OutcomeError, c.Result.Outcome)
		})
	}
}

// Scenario: two models answer side by side.
// Guarantees: two calls.
func TestTwoModelsAtOnce(t *testing.T) {
	spans := casetest.Stages("")
	spans[4].Attrs["gen_ai.response.model"] = "a"
	other := spans[4]
	other.ID, other.Attrs = 7, map[string]any{"gen_ai.response.model": "b"}
	var b Builder
	requests := b.Build([16]byte{1}, facts(casetest.Trace(1, nil, append(spans, other)...)))
	require.Len(t, requests, 1)
	assert.Len(t, requests[0].Calls, 2)
}
