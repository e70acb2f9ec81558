package assembly

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const legsCase = "../../tests/cases/221-sglang-legs-in-the-callers-trace"

// legs returns the spans of SGLang's two engines for one call, below parents
// that were not seen.
func legs(t *testing.T) (prefill, decode []dialect.Span) {
	t.Helper()
	c := casetest.Load(t, legsCase)
	require.Len(t, c.Steps, 2)
	return read(c.Steps[0].Traces), read(c.Steps[1].Traces)
}

func checkLegs(t *testing.T, r *inference.Request) {
	t.Helper()
	require.Len(t, r.Calls, 1)
	c := r.Calls[0]
	for _, m := range []struct {
		want float64
		got  inference.Measure
	}{
		{1.801, r.Duration},
		{0.4, r.TTFT},
		{1.801, c.Duration},
		{0.4, c.TTFT},
		{0.01401, c.TPOT},
		{0.008, c.Phases[inference.PhasePreprocess]},
		{0.1, c.Phases[inference.PhaseQueue]},
		{1.621, c.Phases[inference.PhaseInference]},
		{0.008, c.Phases[inference.PhasePostprocess]},
		{0.2, c.Subphases[inference.SubphasePrefill]},
		{0.06, c.Subphases[inference.SubphaseKVTransfer]},
		{1.421, c.Subphases[inference.SubphaseDecode]},
	} {
		assert.InDelta(t, m.want, m.got.Seconds, 1e-9)
	}
	assert.EqualValues(t, 2000, r.InputTokens.N())
	assert.EqualValues(t, 101, r.OutputTokens.N())
	assert.Equal(t, "stop", r.FinishReason)
}

// Scenario: the spans of both legs come in any order.
// Guarantees: one request and one call, with the same numbers.
func TestLegsInAnyOrder(t *testing.T) {
	prefill, decode := legs(t)
	spans := slices.Concat(prefill, decode)
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(spans), func(i, k int) { spans[i], spans[k] = spans[k], spans[i] })
		got := requestsOf(t, spans)
		require.Len(t, got, 1)
		checkLegs(t, got[0])
	}
}

// Scenario: the decode leg ends minutes after the prefill leg.
// Guarantees: until max_age one request; from then on the prefill leg is none,
// and the decode leg one by itself. Neither has the other's first token.
func TestDecodeLegLater(t *testing.T) {
	prefill, decode := legs(t)
	play := func(after time.Duration) (out []*inference.Request, stats *Stats) {
		a := New(testConfig(), func(r *inference.Request) { out = append(out, r.Clone()) })
		now := time.Unix(1e9, 0)
		a.Add(now, prefill)
		for range int(after / time.Second) {
			now = now.Add(time.Second)
			a.Advance(now)
		}
		a.Add(now, decode)
		a.Advance(now.Add(time.Hour))
		return out, a.Stats()
	}
	out, stats := play(14 * time.Minute)
	require.Len(t, out, 1)
	checkLegs(t, out[0])
	assert.Zero(t, stats.OpenTraces.Load())

	out, stats = play(16 * time.Minute)
	require.Len(t, out, 2)
	assert.EqualValues(t, 1, stats.Incomplete.Load())
	assert.Zero(t, stats.Late.Load())
	assert.Zero(t, stats.OpenTraces.Load())
	half, whole := out[0], out[1]
	assert.False(t, half.Seen)
	require.Len(t, half.Calls, 1)
	c := half.Calls[0]
	for _, m := range []inference.Measure{half.TTFT, half.Duration, c.Duration, c.TTFT, c.TPOT, c.Phases[inference.PhaseInference], c.Phases[inference.PhaseOther]} {
		assert.False(t, m.Known())
	}
	assert.InDelta(t, 0.08, c.Phases[inference.PhaseQueue].Seconds, 1e-9)
	assert.InDelta(t, 0.2, c.Subphases[inference.SubphasePrefill].Seconds, 1e-9)
	assert.False(t, half.InputTokens.Known() || half.OutputTokens.Known())
	assert.True(t, whole.Seen)
	assert.InDelta(t, 1.8, whole.Duration.Seconds, 1e-9)
	assert.InDelta(t, 0.399, whole.TTFT.Seconds, 1e-9)
}
