package correlate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: a request of two calls, the first of which failed, each seen from both sides.
// Guarantees: a record gets the numbers of the call that it names, and those of the request
// where it names that, more than one call, or neither.
func TestCallsOfARequest(t *testing.T) {
	r := newRig(t, nil)
	failed := engine(3, 2, "cmpl-"+x+"-1", 1)
	failed.Error = "overloaded"
	r.add(traceOf(1, gateway(1, 0, x), client(2, 1), failed, client(4, 1), engine(5, 4, "cmpl-"+x+"-2", 20)))
	tokens := func(q Query, want int64) *Facts {
		t.Helper()
		a := r.Look(&q)
		require.Equal(t, StateJoined, a.State)
		assert.True(t, a.Failed)
		assert.Equal(t, want, a.Facts.OutputTokens.N())
		return a.Facts
	}
	assert.True(t, tokens(byTrace(1, 3), 1).Error)
	assert.False(t, tokens(byTrace(1, 5), 20).Error)
	assert.InDelta(t, 10, tokens(byTrace(1), 21).Total.Seconds, 1e-9)
	assert.Equal(t, x, tokens(byTrace(1, 1), 21).RequestID)
	seen := tokens(byTrace(1, 4), 20)
	assert.InDelta(t, 0.29, seen.Total.Seconds, 1e-9, "as the caller saw it")
	assert.True(t, seen.Phases[inference.PhaseQueue].Known(), "as its engine tells")
	assert.Equal(t, "vllm", seen.Engine)
	assert.Equal(t, "cmpl-"+x+"-2", tokens(byRequest("cmpl-"+x+"-2"), 20).RequestID)
	tokens(byRequest(x+"-1"), 1)
	tokens(byRequest(x), 21)
}

// Scenario: an agent's trace with two requests, and a third that is still under way.
// Guarantees: a record is about the request at its span, above it or alone below it, or that of
// its request id; one that could be about several gets none of their numbers.
func TestAgent(t *testing.T) {
	r := newRig(t, nil)
	state := func(q Query) (State, int64, bool) {
		a := r.Look(&q)
		if a.Facts == nil {
			return a.State, 0, a.Final
		}
		return a.State, a.Facts.OutputTokens.N(), a.Final
	}
	check := func(q Query, s State, n int64, final bool) {
		t.Helper()
		state, tokens, done := state(q)
		assert.Equal(t, s, state)
		assert.Equal(t, n, tokens)
		assert.Equal(t, final, done)
	}
	r.add(traceOf(1, engine(3, 2, "cmpl-a", 3)))
	check(byTrace(1), StateJoined, 3, true)
	check(byTrace(1, 3), StateJoined, 3, true)
	check(byTrace(1, 2), StateJoined, 3, false) // the parent goes on
	check(byTrace(1, 5), StatePartial, 0, false)
	waits := r.held(byTrace(1, 5))
	late := r.held(byTrace(1, 9))
	require.Equal(t, []*Parcel{waits}, r.add(traceOf(1, engine(5, 4, "cmpl-b", 5))))
	assert.EqualValues(t, 5, waits.Answer.Facts.OutputTokens.N())
	check(byTrace(1), StatePartial, 0, true)
	check(byTrace(1, 4), StateJoined, 5, false)
	r.add(traceOf(1, agent(1, 0), agent(2, 1), agent(4, 1)))
	check(byTrace(1), StatePartial, 0, true)
	check(byTrace(1, 1), StatePartial, 0, true)
	check(byTrace(1, 2), StateJoined, 3, true)
	check(byTrace(1, 4), StateJoined, 5, true)
	check(byTrace(1, 9), StatePartial, 0, false)
	check(byRequest("a"), StateJoined, 3, true)
	check(byRequest("cmpl-b-0-9f3e1a2b"), StateJoined, 5, true)
	require.Equal(t, []*Parcel{late}, r.advance(15*time.Second))
	assert.Equal(t, StatePartial, late.Answer.State)
	assert.Nil(t, late.Answer.Facts)

	// One request id on both: of the trace, not of one of its requests.
	r.add(traceOf(2, agent(1, 0), engine(3, 1, "cmpl-s", 3), engine(5, 1, "cmpl-s", 5)))
	check(byRequest("s"), StatePartial, 0, true)
}

// Scenario: two instrumentations write one span under two ids, with a child below each.
// Guarantees: it is one request; a record that names either id is about it.
func TestTwins(t *testing.T) {
	r := newRig(t, nil)
	twin := gateway(2, 0, "")
	twin.ID = 7
	inside := casetest.Span{ID: 8, Parent: 7, Name: "tokenize", End: time.Second}
	r.add(traceOf(1, engine(5, 4, "", 21), client(4, 7), gateway(2, 0, ""), twin, inside))
	for _, span := range []byte{2, 7, 5, 8} {
		q := byTrace(1, span)
		a := r.Look(&q)
		require.Equal(t, StateJoined, a.State)
		assert.InDelta(t, 10, a.Facts.Total.Seconds, 1e-9)
	}
}

// Scenario: requests of several calls.
// Guarantees: the phases are those of the last successful call, as its engine tells.
func TestDecisive(t *testing.T) {
	call := func(role inference.Role, outer bool, o inference.Outcome) inference.Call {
		return inference.Call{Role: role, Outer: outer, Result: inference.Result{Outcome: o}}
	}
	const server, client, ok, failed = inference.RoleServer, inference.RoleClient, inference.OutcomeOK, inference.OutcomeError
	for name, tt := range map[string]struct {
		calls []inference.Call
		want  int
	}{
		"the last":             {[]inference.Call{call(server, false, ok), call(server, false, ok)}, 1},
		"the successful":       {[]inference.Call{call(server, false, ok), call(server, false, failed)}, 0},
		"the inner":            {[]inference.Call{call(client, true, ok), call(server, false, ok)}, 1},
		"another that worked":  {[]inference.Call{call(server, false, failed), call(client, false, ok)}, 1},
		"the last that failed": {[]inference.Call{call(server, false, failed), call(server, false, failed)}, 1},
	} {
		r := &inference.Request{Calls: tt.calls}
		assert.Same(t, &r.Calls[tt.want], r.PhaseCall(), name)
	}
	assert.Nil(t, (&inference.Request{}).PhaseCall())
}

// Scenario: an engine tells of its call in a trace that is long, and not complete, just after
// that was looked at.
// Guarantees: the record leaves half a second later, without waiting for other spans.
func TestLongTraceCompletes(t *testing.T) {
	r := newRig(t, nil)
	var stages []casetest.Span
	for id := byte(10); id < 60; id++ {
		stages = append(stages, casetest.Span{ID: id, Parent: 1, Name: "queue", Start: time.Duration(id) * ms, End: time.Second})
	}
	p := r.held(byTrace(1))
	r.add(traceOf(1, stages...))
	require.Empty(t, r.add(traceOf(1, engine(3, 2, "", 21))))
	require.Equal(t, []*Parcel{p}, r.advance(rebuildEvery))
	assert.Equal(t, StateJoined, p.Answer.State)
}
