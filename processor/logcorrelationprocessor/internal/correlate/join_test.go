package correlate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const x = "b8ecb8d239dfd40503b8c873443ee32b"

// Scenario: a record comes before or after its trace, naming it in each way that there is.
// Guarantees: both orders end alike; what comes first waits and leaves with its trace.
func TestJoin(t *testing.T) {
	trace := traceOf(1, engine(1, 0, "cmpl-"+x, 21))
	for name, q := range map[string]Query{
		"trace id":                  byTrace(1),
		"trace and span id":         byTrace(1, 1),
		"span that is not exported": byTrace(1, 9),
		"lower half":                {Trace: [16]byte{15: 1}, Low64: true},
		"request id as it is":       byRequest("cmpl-" + x),
		"without its prefix":        byRequest(x),
		"as a UUID":                 byRequest("B8ECB8D2-39df-d405-03b8-c873443ee32b"),
		"with a prompt":             byRequest("cmpl-" + x + "-0"),
		"with a random suffix":      byRequest("cmpl-" + x + "-0-9f3e1a2b."),
		"with another prefix":       byRequest("chatcmpl-" + x),
		"second of two ids":         byRequest("unknown", x),
		"two forms of one id":       byRequest(x, "cmpl-"+x),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			before := r.held(q)
			r.advance(3 * time.Second)
			out := r.add(trace)
			require.Equal(t, []*Parcel{before}, out)
			assert.Equal(t, CauseComplete, before.Cause)
			assert.Equal(t, 3*time.Second, before.Left.Sub(before.Arrived))
			after, out := r.hold(q)
			require.Equal(t, []*Parcel{after}, out)
			for _, a := range []Answer{before.Answer, after.Answer, r.Look(&q)} {
				require.Equal(t, StateJoined, a.State, a.State.String())
				assert.True(t, a.Final)
				assert.Equal(t, traceID(1), a.Trace)
				assert.EqualValues(t, 21, a.Facts.OutputTokens.N())
				assert.EqualValues(t, 100, a.Facts.InputTokens.N())
				assert.Equal(t, "cmpl-"+x, a.Facts.RequestID)
				assert.Equal(t, "vllm", a.Facts.Engine)
				assert.Equal(t, "inference", a.Facts.SlowestPhase)
				assert.InDelta(t, 0.01, a.Facts.Phases[inference.PhaseQueue].Seconds, 1e-9)
				assert.InDelta(t, 0.06, a.Facts.TTFT.Seconds, 1e-9)
				assert.False(t, a.Facts.Error || a.Failed)
			}
			assert.EqualValues(t, 2, r.Stats.Released[CauseComplete].Load())
			r.advance(time.Hour)
			r.empty()
		})
	}
}

// Scenario: ids that are alike and are not the same.
// Guarantees: they do not meet, however their forms are cut.
func TestOtherRequestID(t *testing.T) {
	r := newRig(t, nil)
	r.add(traceOf(1, engine(1, 0, "cmpl-"+x, 21)))
	r.add(traceOf(2, engine(1, 0, "cmpl-job-1", 21)))
	for _, raw := range []string{"cmpl-" + x + "a-0", x + "a", "chatcmpl-0011223344556677", "job-2", "cmpl-job-2", "job-12"} {
		q := byRequest(raw)
		assert.Equal(t, Answer{State: StateUnmatched}, r.Look(&q), raw)
	}
	q := byRequest("job")
	assert.Equal(t, traceID(2), r.Look(&q).Trace, "a server may have counted on")
}

// Scenario: nothing is known until the deadline; half a trace is; there are no ids.
// Guarantees: the state says which, and the record leaves when its time is over, not before.
func TestDeadline(t *testing.T) {
	r := newRig(t, nil)
	none, out := r.hold(Query{})
	require.Equal(t, []*Parcel{none}, out)
	assert.Equal(t, StateNoID, none.Answer.State)

	unmatched, unmatchedID, partial := r.held(byTrace(1)), r.held(byRequest(x)), r.held(byTrace(2))
	r.add(traceOf(2, gateway(2, 1, "")))
	require.Empty(t, r.advance(15*time.Second-1))
	require.Equal(t, []*Parcel{unmatched, unmatchedID, partial}, r.advance(1))
	for p, state := range map[*Parcel]State{unmatched: StateUnmatched, unmatchedID: StateUnmatched, partial: StatePartial} {
		assert.Equal(t, state, p.Answer.State)
		assert.Equal(t, CauseDeadline, p.Cause)
		assert.Nil(t, p.Answer.Facts)
	}
	assert.Equal(t, traceID(2), partial.Answer.Trace)

	over := &Parcel{Query: byTrace(9), Records: 1, Deadline: r.now}
	require.Equal(t, []*Parcel{over}, r.Hold(r.now, over), "its time is over when it comes")
	assert.Equal(t, CauseDeadline, over.Cause)
}

// Scenario: one request id in two live traces.
// Guarantees: ambiguous, and no trace; when one of them is forgotten the record joins the other.
func TestAmbiguous(t *testing.T) {
	r := newRig(t, func(c *Config) { c.TTL = 20 * time.Second })
	upper := traceOf(3, engine(1, 0, "", 2))
	upper.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetTraceID([16]byte{0: 1, 15: 3})
	r.add(traceOf(1, engine(1, 0, "cmpl-"+x, 1)))
	r.add(upper)
	r.advance(10 * time.Second)
	r.add(traceOf(2, engine(1, 0, "chatcmpl-"+x, 2)))
	r.add(traceOf(3, engine(1, 0, "", 2)))
	byID, byHalf := byRequest("unknown", x+"-0"), Query{Trace: [16]byte{15: 3}, Low64: true}
	for _, q := range []Query{byID, byHalf} {
		assert.Equal(t, Answer{State: StateAmbiguous}, r.Look(&q))
	}
	both := []*Parcel{r.held(byID), r.held(byHalf)}
	require.Equal(t, both, r.advance(10*time.Second))
	for i, p := range both {
		assert.Equal(t, StateJoined, p.Answer.State)
		assert.Equal(t, CauseComplete, p.Cause)
		assert.Equal(t, traceID(byte(2+i)), p.Answer.Trace)
	}

	r.add(traceOf(4, engine(1, 0, "chatcmpl-"+x, 2)))
	p := r.held(byID)
	require.Equal(t, []*Parcel{p}, r.Drain(r.now, nil))
	assert.Equal(t, StateAmbiguous, p.Answer.State)
}

// Scenario: the caller's span comes, the engine's seconds later, or never.
// Guarantees: records wait for it for linger after the last span, and no longer.
func TestLinger(t *testing.T) {
	r := newRig(t, nil)
	p := r.held(byTrace(1))
	require.Empty(t, r.add(traceOf(1, client(2, 0))))
	require.Empty(t, r.advance(4*time.Second))
	require.Equal(t, []*Parcel{p}, r.add(traceOf(1, engine(3, 2, "", 21))))
	assert.True(t, p.Answer.Facts.Phases[inference.PhaseQueue].Known())

	p = r.held(byTrace(2))
	r.add(traceOf(2, client(2, 0)))
	require.Empty(t, r.advance(3*time.Second))
	r.add(traceOf(2, agent(1, 0)))
	r.add(traceOf(2, client(2, 0)))
	require.Empty(t, r.advance(3*time.Second))
	r.Add(r.now, nil, []SpanName{{traceID(2), spanID(2), "raw", requestKeys("raw")}}, nil)
	require.Equal(t, []*Parcel{p}, r.advance(2*time.Second))
	assert.Equal(t, StateJoined, p.Answer.State)
	assert.EqualValues(t, 20, p.Answer.Facts.OutputTokens.N())
	assert.False(t, p.Answer.Facts.Phases[inference.PhaseQueue].Known())
}

// Scenario: spans come after their trace was taken for complete.
// Guarantees: later records get what they add; the same spans again are not counted; a
// request id that comes late lets go what waits for it, even without room for its span.
func TestLateSpans(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxSpansPerTrace = 2 })
	r.add(traceOf(1, engine(3, 1, "", 21)))
	waits := r.held(byRequest("order-5"))
	q := byTrace(1)
	require.Empty(t, r.Look(&q).Facts.RequestID)
	for range 2 {
		require.Empty(t, r.add(traceOf(1, gateway(1, 0, "order-4"))))
	}
	assert.EqualValues(t, 1, r.Stats.LateSpans.Load())
	assert.Equal(t, "order-4", r.Look(&q).Facts.RequestID)
	assert.InDelta(t, 10, r.Look(&q).Facts.Total.Seconds, 1e-9)
	require.Equal(t, []*Parcel{waits}, r.add(traceOf(1, gateway(8, 1, "order-5"))))
	r.add(traceOf(2, engine(3, 0, "", 21)))
	q = byTrace(2)
	require.Empty(t, r.Look(&q).Facts.RequestID)
	r.Add(r.now, nil, []SpanName{{traceID(2), spanID(3), "raw", requestKeys("raw")}}, nil)
	assert.Equal(t, "raw", r.Look(&q).Facts.RequestID)
	assert.EqualValues(t, 1, r.Stats.RefusedSpans.Load())
}
