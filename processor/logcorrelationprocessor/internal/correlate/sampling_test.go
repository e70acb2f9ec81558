package correlate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: a sampler keeps a trace, before or after it is complete, late, or not at all; or
// there is none, or it is gone.
// Guarantees: true where it kept it, false where it had the time to, else unknown; records wait
// for that where they shall.
func TestSampling(t *testing.T) {
	trace := traceOf(1, engine(1, 0, "", 21))
	sampler := true
	start := func(t *testing.T, wait bool) (*rig, *Parcel) {
		t.Helper()
		sampler = true
		r := newRig(t, func(c *Config) {
			c.WaitForSampled, c.SampledAfter, c.Sampling = wait, 10*time.Second, func() bool { return sampler }
		})
		p := r.held(byTrace(1))
		return r, p
	}
	is := func(t *testing.T, p *Parcel, s Sampled, cause Cause) {
		t.Helper()
		assert.Equal(t, StateJoined, p.Answer.State)
		assert.Equal(t, s, p.Answer.Sampled)
		assert.Equal(t, cause, p.Cause)
	}
	keep := func(r *rig) []*Parcel {
		out := r.Sample(r.now, [][16]byte{{}, traceID(9), traceID(1), traceID(1)})
		r.consistent()
		return out
	}
	t.Run("kept", func(t *testing.T) {
		r, p := start(t, true)
		require.Empty(t, r.add(trace))
		require.Empty(t, r.advance(9*time.Second))
		require.Equal(t, []*Parcel{p}, keep(r))
		is(t, p, SampledTrue, CauseComplete)
		require.Empty(t, keep(r))
	})
	t.Run("kept before it is complete", func(t *testing.T) {
		r, p := start(t, true)
		r.add(traceOf(1, gateway(2, 1, "")))
		require.Empty(t, keep(r))
		require.Equal(t, []*Parcel{p}, r.add(trace))
		is(t, p, SampledTrue, CauseComplete)
	})
	t.Run("not kept, then late", func(t *testing.T) {
		r, p := start(t, true)
		r.add(trace)
		require.Equal(t, []*Parcel{p}, r.advance(10*time.Second))
		is(t, p, SampledFalse, CauseComplete)
		require.Empty(t, keep(r))
		q := byTrace(1)
		assert.Equal(t, SampledTrue, r.Look(&q).Sampled)
	})
	t.Run("undecided at the deadline", func(t *testing.T) {
		r, p := start(t, true)
		r.advance(6 * time.Second)
		r.add(trace)
		require.Equal(t, []*Parcel{p}, r.advance(9*time.Second))
		is(t, p, SampledUnknown, CauseDeadline)
	})
	t.Run("not waited for", func(t *testing.T) {
		r, p := start(t, false)
		require.Equal(t, []*Parcel{p}, r.add(trace))
		is(t, p, SampledUnknown, CauseComplete)
		r.advance(10 * time.Second)
		q := byTrace(1)
		assert.Equal(t, SampledFalse, r.Look(&q).Sampled)
	})
	t.Run("no sampler", func(t *testing.T) {
		r, p := start(t, true)
		sampler = false
		require.Equal(t, []*Parcel{p}, r.add(trace))
		is(t, p, SampledUnknown, CauseComplete)
		r.advance(time.Minute)
		q := byTrace(1)
		assert.Equal(t, SampledUnknown, r.Look(&q).Sampled)
	})
	t.Run("it is gone", func(t *testing.T) {
		r, p := start(t, true)
		r.add(trace)
		sampler = false
		require.Equal(t, []*Parcel{p}, r.Advance(r.now.Add(10*time.Second)))
		is(t, p, SampledUnknown, CauseComplete)
	})
	t.Run("forgotten while it is open", func(t *testing.T) {
		r, p := start(t, true)
		r.cfg.TTL = 5 * time.Second
		r.add(trace)
		require.Empty(t, r.advance(5*time.Second))
		require.Equal(t, []*Parcel{p}, r.advance(10*time.Second))
		is(t, p, SampledUnknown, CauseDeadline)
	})
}
