package correlate

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// Scenario: more bytes, or more records of one trace, than may be held; one parcel that is too
// much by itself.
// Guarantees: the oldest leave, evicted, with what is known; limits hold at each step.
func TestEvicted(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxHeldBytes, c.MaxHeldPerTrace = 10*(100+overhead), 4 })
	r.add(traceOf(1, gateway(2, 1, "")))
	var all []*Parcel
	for range 4 {
		all = append(all, r.held(byTrace(1)))
	}
	p, out := r.hold(byTrace(1))
	require.Equal(t, all[:1], out)
	assert.Equal(t, CauseMaxHeldPerTrace, all[0].Cause)
	assert.Equal(t, StateEvicted, all[0].Answer.State)
	assert.Equal(t, traceID(1), all[0].Answer.Trace)
	all = append(all[1:], p)
	for i := range byte(6) {
		all = append(all, r.held(byTrace(10+i)))
	}
	p, out = r.hold(byTrace(20))
	require.Equal(t, all[:1], out)
	assert.Equal(t, CauseMaxHeldBytes, all[0].Cause)
	all = append(all[1:], p)

	large := &Parcel{Query: byTrace(1), Records: 1, Data: make([]byte, 6*(100+overhead)), Deadline: r.now.Add(time.Minute)}
	require.Equal(t, []*Parcel{large}, r.Hold(r.now, large))
	assert.Equal(t, CauseMaxHeldBytes, large.Cause)
	many := &Parcel{Query: byTrace(1), Records: 5, Deadline: r.now.Add(time.Minute)}
	require.Equal(t, []*Parcel{many}, r.Hold(r.now, many))
	assert.Equal(t, CauseMaxHeldPerTrace, many.Cause)
	assert.Equal(t, all, r.Drain(r.now, nil))
	for _, p := range all {
		assert.Equal(t, CauseShutdown, p.Cause)
	}
	r.advance(time.Hour)
	r.empty()
}

// Scenario: a trace is forgotten, by age or for others, while records wait for it.
// Guarantees: they wait on and join if it comes again; if not, they leave with what was known.
func TestForgottenWhileRecordsWait(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTraces = 1 })
	again, lost := r.held(byTrace(1)), r.held(byRequest(x))
	r.add(traceOf(1, gateway(2, 1, x)))
	require.Empty(t, r.add(traceOf(2, gateway(2, 1, ""))))
	require.EqualValues(t, 1, r.Stats.EvictedTraces.Load())
	require.Equal(t, []*Parcel{again}, r.add(traceOf(1, engine(1, 0, "", 21))))
	assert.Equal(t, StateJoined, again.Answer.State)
	require.Equal(t, []*Parcel{lost}, r.advance(15*time.Second))
	assert.Equal(t, StatePartial, lost.Answer.State)
	assert.Equal(t, traceID(1), lost.Answer.Trace)
}

// Scenario: there are more traces than may be remembered, and older ones still get spans.
// Guarantees: the one whose last span is oldest is forgotten first, by number and by age.
func TestOldestIsForgotten(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTraces = 3 })
	known := func() (all []byte) {
		for id := range byte(9) {
			if r.traces[traceID(id)] != nil {
				all = append(all, id)
			}
		}
		return all
	}
	for _, id := range []byte{1, 2, 3, 1, 4} {
		r.advance(time.Second)
		r.add(traceOf(id, agent(1, 0)))
	}
	assert.Equal(t, []byte{1, 3, 4}, known())
	r.now = r.now.Add(r.cfg.TTL - 2*time.Second)
	r.advance(0)
	assert.Equal(t, []byte{1, 4}, known())
	r.add(traceOf(3, agent(1, 0)))
	r.advance(time.Second)
	assert.Equal(t, []byte{3, 4}, known())
	r.add(traceOf(1, agent(1, 0)))
	// It has few request ids, and others make room for more.
	var names []SpanName
	for i := range maxKeysPerTrace {
		names = append(names, SpanName{traceID(3), spanID(1), "raw", []Key{{Text: strconv.Itoa(i)}}})
	}
	r.Add(r.now, nil, append([]SpanName{{traceID(1), spanID(1), "raw", []Key{{Text: "one"}}}}, names...), nil)
	r.consistent()
	assert.Contains(t, known(), byte(3))
	r.advance(r.cfg.TTL - 3*time.Second)
	r.advance(3 * time.Second)
	r.empty()
}

// Scenario: one trace names more request ids than are remembered, and traces with many ids or
// spans are more than have room.
// Guarantees: what is beyond is refused, of all traces together the oldest are forgotten, and
// each is counted.
func TestFactsHaveLimits(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTraces, c.MaxSpansPerTrace = 3, 20 })
	name := func(trace byte, from, to int) {
		var names []SpanName
		for i := from; i < to; i++ {
			names = append(names, SpanName{traceID(trace), spanID(1), "raw", []Key{{Text: strconv.Itoa(i)}}})
		}
		r.Add(r.now, nil, names, nil)
		r.consistent()
	}
	r.add(traceOf(1, agent(1, 0)))
	r.add(traceOf(2, agent(1, 0)))
	name(1, 0, maxKeysPerTrace+1)
	assert.EqualValues(t, 1, r.Stats.RefusedIDs.Load())
	assert.EqualValues(t, maxKeysPerTrace, r.Stats.RequestIDs.Load())
	assert.Zero(t, r.Stats.EvictedTraces.Load())
	name(2, 0, 1)
	assert.EqualValues(t, 1, r.Stats.RequestIDs.Load(), "the other made room")
	assert.EqualValues(t, 1, r.Stats.EvictedTraces.Load())
	for trace := byte(3); trace < 5; trace++ {
		for span := range byte(21) {
			r.add(traceOf(trace, agent(span+1, 9)))
		}
	}
	assert.EqualValues(t, 2, r.Stats.RefusedSpans.Load())
	assert.EqualValues(t, 3, r.Stats.EvictedTraces.Load(), "20 spans are left of 41")
	require.Empty(t, r.Add(r.now, make([]dialect.Span, 1), nil, nil), "without an id it is of no trace")
	r.consistent()
	assert.Equal(t, "max_held_per_trace", CauseMaxHeldPerTrace.String())
}
