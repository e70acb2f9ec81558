package spanphaseconnector

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const ms = time.Millisecond

func vllmCall(id, parent byte, start time.Duration) casetest.Span {
	return casetest.Span{
		ID: id, Parent: parent, Name: "llm_request", Kind: ptrace.SpanKindServer,
		Start: start, End: start + 270*ms, Attrs: casetest.VLLM(),
	}
}

// inTwoParts sends first, lets its request close, then sends second.
func inTwoParts(t *testing.T, change func(*Config), first, second []casetest.Span) *rig {
	t.Helper()
	r := newRig(t, func(cfg *Config) {
		forever(cfg)
		if change != nil {
			change(cfg)
		}
	})
	r.send(t, casetest.Trace(1, engine, first...))
	time.Sleep(time.Minute)
	r.send(t, casetest.Trace(1, engine, second...))
	time.Sleep(2 * time.Minute)
	return r
}

// Scenario: a request with more spans than a tombstone remembers; a call of it
// comes late, and then all of it again.
// Guarantees: one request.
func TestLateCallOfWideRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := []casetest.Span{vllmCall(2, 1, 0), {ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}}
		for i := range byte(70) {
			start := time.Duration(i) * ms
			spans = append([]casetest.Span{{ID: 100 + i, Parent: 1, Name: fmt.Sprint("db", i), Start: start, End: start + ms}}, spans...)
		}
		r := inTwoParts(t, nil, spans, []casetest.Span{vllmCall(3, 1, 400*ms)})
		r.send(t, casetest.Trace(1, engine, spans...))
		time.Sleep(2 * time.Minute)
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.queue", 2)
		r.stop(t)
	})
}

// Scenario: an agent makes 80 calls over a quarter of an hour; the last is delivered again.
// Guarantees: 80 requests: what was observed last is remembered longest.
func TestLongAgentSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		r.send(t, casetest.Trace(1, engine, casetest.Span{ID: 1, Name: "a", Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}}))
		for i := range byte(80) {
			r.send(t, casetest.Trace(1, engine, vllmCall(i+2, 1, time.Duration(i)*12*time.Second)))
			time.Sleep(12 * time.Second)
		}
		time.Sleep(20 * time.Second)
		r.send(t, casetest.Trace(1, engine, vllmCall(81, 1, 79*12*time.Second)))
		time.Sleep(2 * time.Minute)
		r.requireCount(t, "request", 80)
		assert.EqualValues(t, 1, r.value(t, "duplicate_spans", ""))
		r.stop(t)
	})
}

// Scenario: the hop between a request and its call comes later than both, or never.
// Guarantees: the late call went on within the closed request, so it is no other one.
func TestLateCallBelowUnseenHop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inTwoParts(t, nil,
			[]casetest.Span{{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}, vllmCall(2, 1, 0)},
			[]casetest.Span{vllmCall(4, 3, 500*ms)})
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.queue", 2)
		r.stop(t)
	})
}

// Scenario: the late part names no model, with and without default_model.
// Guarantees: it has that of its request.
func TestLateModel(t *testing.T) {
	for _, fallback := range []string{"", "fallback"} {
		synctest.Test(t, func(t *testing.T) {
			spans := casetest.Stages("m")
			r := inTwoParts(t, func(cfg *Config) { cfg.DefaultModel = fallback }, spans[:4], spans[4:])
			count, _ := casetest.Total(r.last(t), "phase.inference", map[string]string{"model": "m"})
			assert.EqualValues(t, 1, count)
			r.stop(t)
		})
	}
}

// Scenario: one trace, two requests below an agent; a phase of the first comes late.
// Guarantees: it has the labels of the first.
func TestLatePhaseOfOneOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := casetest.Stages("a"), casetest.Stages("b")
		for i := range second {
			second[i].ID += 10
			second[i].Parent += 10
			second[i].Start += 5 * time.Second
			second[i].End += 5 * time.Second
		}
		second[4].Events = nil
		first[0].Parent, second[0].Parent = 99, 99
		agent := casetest.Span{ID: 99, Name: "agent", End: 10 * time.Second, Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}}
		r := inTwoParts(t, nil, append(append([]casetest.Span{agent}, first[:5]...), second...), first[5:])
		for _, model := range []string{"a", "b"} {
			count, _ := casetest.Total(r.last(t), "phase.postprocess", map[string]string{"model": model})
			assert.EqualValues(t, 1, count, model)
		}
		r.stop(t)
	})
}

// Scenario: phases of a request that failed come late, or a refused phase is all there is.
// Guarantees: none of them counts as ok.
func TestPhasesOfFailedRequests(t *testing.T) {
	outcomes := func(t *testing.T, r *rig) (seen []string) {
		t.Helper()
		for _, p := range points(r.last(t), "inference.phase.duration") {
			if phase, _ := p.Attributes().Get(inference.AttrPhase); phase.AsString() == "queue" {
				outcome, _ := p.Attributes().Get(inference.AttrOutcome)
				seen = append(seen, outcome.AsString())
			}
		}
		return seen
	}
	synctest.Test(t, func(t *testing.T) {
		spans := casetest.Stages("m")
		spans[0].Error = "timeout"
		r := inTwoParts(t, nil, []casetest.Span{spans[0], spans[4]}, spans[1:4])
		assert.Equal(t, []string{"timeout"}, outcomes(t, r))
		r.stop(t)
	})
	synctest.Test(t, func(t *testing.T) {
		spans := casetest.Stages("m")
		spans[3].Error, spans[3].Attrs = "queue full", map[string]any{"error.type": "429"}
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine, spans[1:4]...))
		r.stop(t)
		assert.Equal(t, []string{"rejected"}, outcomes(t, r))
	})
}

// Scenario: the request span tells the tokens, and its call, late, tells them again.
// Guarantees: they are counted once.
func TestLateTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := casetest.Stages("m")
		spans[0].Attrs["gen_ai.usage.output_tokens"] = 65
		r := inTwoParts(t, nil, spans[:4], spans[4:])
		total := 0.0
		for _, p := range points(r.last(t), "inference.token.usage") {
			total += p.Sum()
		}
		assert.InDelta(t, 65, total, 1e-9)
		r.stop(t)
	})
}

// Scenario: the queue span comes late, or first and alone; meanwhile it might be estimated.
// Guarantees: the queue is observed once.
func TestLateQueue(t *testing.T) {
	spans := casetest.Stages("m")
	for name, parts := range map[string][2][]casetest.Span{
		"last":  {{spans[0], spans[2], spans[4]}, {spans[3]}},
		"first": {{spans[0], spans[3]}, {spans[2], spans[4]}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := inTwoParts(t, nil, parts[0], parts[1])
				r.requireCount(t, "phase.queue", 1)
				r.stop(t)
			})
		})
	}
}

// Scenario: an agent's own code writes stages directly below it.
// Guarantees: each inference is a request.
func TestStagesBelowAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := casetest.Stages("m")
		spans[0].Attrs["gen_ai.operation.name"] = "invoke_agent"
		spans = append(spans, casetest.Span{ID: 9, Parent: 1, Name: "inference", Start: 1100 * ms, End: 1200 * ms})
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine, spans...))
		time.Sleep(11 * time.Second)
		require.EqualValues(t, 2, r.value(t, "closed_requests", "complete"))
		r.stop(t)
		r.requireCount(t, "request", 2)
	})
}

// Scenario: two requests go on side by side below an agent that is exported
// much later; a part of the second comes after the first was closed.
// Guarantees: two requests. Only what nothing is above has all below it.
func TestParallelBelowOpenAgent(t *testing.T) {
	for name, trace := range map[string][2][]casetest.Span{
		"unseen agent": {
			{
				{ID: 10, Parent: 99, Name: "POST", Kind: ptrace.SpanKindClient, End: 10 * time.Second},
				vllmCall(11, 10, 100*ms),
				{ID: 20, Parent: 99, Name: "POST", Kind: ptrace.SpanKindClient, Start: time.Second, End: 9 * time.Second},
			},
			{vllmCall(21, 20, 1100*ms)},
		},
		"agent below the request": {
			{
				{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 10 * time.Second},
				vllmCall(2, 1, 100*ms),
				{ID: 3, Parent: 1, Name: "agent", End: 9 * time.Second, Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}},
			},
			{vllmCall(4, 3, 1100*ms)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, forever)
				r.send(t, casetest.Trace(1, engine, trace[0]...))
				time.Sleep(3 * time.Second)
				r.send(t, casetest.Trace(1, engine, trace[1]...))
				time.Sleep(3 * time.Minute)
				r.requireCount(t, "request", 2)
				r.stop(t)
			})
		})
	}
}

// Scenario: a hop is never exported; what it called comes in the batch of its
// request, or after it.
// Guarantees: the same either way.
func TestUnseenHopAnyTime(t *testing.T) {
	for _, later := range []time.Duration{0, time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, forever)
			r.send(t, casetest.Trace(1, engine, casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}, vllmCall(2, 1, 0)))
			time.Sleep(later)
			r.send(t, casetest.Trace(1, engine, vllmCall(4, 3, 400*ms)))
			time.Sleep(3 * time.Minute)
			r.requireCount(t, "request", 1)
			r.requireCount(t, "phase.queue", 2)
			r.stop(t)
		})
	}
}

// Scenario: an engine exports at once, the service around it a minute later.
// Guarantees: the call, and so the request, is observed once; the service's
// phases are added.
func TestEngineFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := inTwoParts(t, nil, []casetest.Span{vllmCall(20, 5, 300*ms)}, casetest.Stages("m"))
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.inference", 1)
		r.requireCount(t, "phase.receive", 1)
		r.stop(t)
	})
}

// Scenario: a service writes one phase directly below an agent whose requests
// follow each other for minutes.
// Guarantees: each request closes in its time.
func TestStageBesideRequestsOfAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		r.send(t, casetest.Trace(1, engine,
			casetest.Span{ID: 1, Name: "agent", Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}},
			casetest.Span{ID: 2, Parent: 1, Name: "preprocess", End: 50 * ms}))
		for i := range byte(10) {
			r.send(t, casetest.Trace(1, engine, vllmCall(i+3, 1, time.Duration(i)*8*time.Second)))
			time.Sleep(8 * time.Second)
		}
		assert.GreaterOrEqual(t, r.value(t, "closed_requests", "complete"), int64(8))
		r.stop(t)
		r.requireCount(t, "request", 10)
	})
}

// Scenario: requests start at SERVER spans below a job; one comes after another
// was closed.
// Guarantees: two requests: the job is part of none.
func TestRequestsBelowJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := func(id byte, start time.Duration) casetest.Span {
			return casetest.Span{ID: id, Parent: 1, Name: "POST", Kind: ptrace.SpanKindServer, Start: start, End: start + time.Second}
		}
		r := inTwoParts(t, func(cfg *Config) { cfg.RequestBoundary = boundaryFirstServer },
			[]casetest.Span{{ID: 1, Name: "job", End: time.Hour}, server(2, 0), vllmCall(3, 2, 0)},
			[]casetest.Span{server(4, time.Minute), vllmCall(5, 4, time.Minute)})
		r.requireCount(t, "request", 2)
		r.stop(t)
	})
}
