package spanphaseconnector

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

var engine = map[string]any{"service.name": "engine", "host.name": "node-1"}

// total returns count and sum of a measure in the last export.
func (r *rig) total(t *testing.T, measure string) (uint64, float64) {
	t.Helper()
	all := r.sink.AllMetrics()
	require.NotEmpty(t, all)
	return casetest.Total(all[len(all)-1], measure, nil)
}

// requireCount checks how many observations of a measure there are.
func (r *rig) requireCount(t *testing.T, measure string, want uint64) {
	t.Helper()
	count, _ := r.total(t, measure)
	require.Equal(t, want, count, "count of %s", measure)
}

// forever keeps every series for as long as a test waits.
func forever(cfg *Config) { cfg.SeriesExpiry = 24 * time.Hour }

// Scenario: the spans of one request come in every order, each in an export of
// its own, some of them twice.
// Guarantees: the numbers are those of one export.
func TestAnyOrder(t *testing.T) {
	c := casetest.Load(t, casesDir+"/04-spans-in-many-batches")
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, forever)
			shuffled := append(slices.Clone(c.Steps), c.Steps[random.IntN(len(c.Steps))])
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for _, s := range shuffled {
				r.send(t, s.Traces)
				time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
			}
			time.Sleep(2 * time.Minute)
			casetest.Check(t, c, r.sink.AllMetrics())
			assert.EqualValues(t, 1, r.value(t, "duplicate_spans", ""))
			r.stop(t)
		})
	}
}

// Scenario: a batch is delivered again, within the wait and long after it.
// Guarantees: each span is observed once and counted as a duplicate.
func TestDuplicatesLongAfter(t *testing.T) {
	c := casetest.Load(t, casesDir+"/26-duplicate-batch-after-retry")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		r.send(t, c.Steps[0].Traces)
		time.Sleep(5 * time.Minute)
		r.send(t, c.Steps[1].Traces)
		time.Sleep(5 * time.Minute)
		casetest.Check(t, c, r.sink.AllMetrics())
		assert.EqualValues(t, 6, r.value(t, "duplicate_spans", ""))
		assert.EqualValues(t, 1, r.value(t, "closed_requests", "complete"))
		r.stop(t)
	})
}

func TestCaseTelemetry(t *testing.T) {
	for _, test := range []struct {
		name, counter, reason string
		want                  int64
	}{
		{"09-missing-parent", "incomplete_requests", "", 1},
		{"09-missing-parent", "closed_requests", "idle", 1},
		{"26-duplicate-batch-after-retry", "duplicate_spans", "", 6},
		{"41-ttft-sentinel-values", "dropped_values", "negative", 4},
		{"41-ttft-sentinel-values", "dropped_values", "zero", 1},
		{"13-long-streaming-request", "closed_requests", "complete", 1},
	} {
		t.Run(test.name+" "+test.counter+" "+test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				r.play(t, casetest.Load(t, casesDir+"/"+test.name))
				assert.Equal(t, test.want, r.value(t, test.counter, test.reason))
				r.stop(t)
			})
		})
	}
}

// Scenario: the stream goes on for longer than linger after its request span
// has ended.
// Guarantees: what comes late is added, and there is one request.
func TestLateSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		spans := casetest.Stages("m")
		r.send(t, casetest.Trace(1, engine, spans[:4]...))
		time.Sleep(time.Minute)
		r.send(t, casetest.Trace(1, engine, spans[4:]...))
		time.Sleep(2 * time.Minute)
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.queue", 1)
		r.requireCount(t, "phase.inference", 1)
		r.requireCount(t, "phase.postprocess", 1)
		count, _ := casetest.Total(r.last(t), "phase.inference", map[string]string{"model": "m"})
		assert.EqualValues(t, 1, count, "the late call has the model of its request")
		assert.EqualValues(t, 1, r.value(t, "late_requests", ""))
		assert.Zero(t, r.value(t, "incomplete_requests", ""))
		r.stop(t)
	})
}

func (r *rig) last(t *testing.T) pmetric.Metrics {
	t.Helper()
	all := r.sink.AllMetrics()
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// Scenario: an engine whose caller exports nothing.
// Guarantees: its call is the request, closed by linger, not by idle_timeout.
func TestEngineBehindUnexportedCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		r.send(t, casetest.Trace(1, engine, casetest.Span{
			ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: casetest.VLLM(),
		}))
		time.Sleep(12 * time.Second)
		assert.EqualValues(t, 1, r.value(t, "closed_requests", "complete"))
		time.Sleep(time.Minute)
		count, sum := r.total(t, "request")
		assert.EqualValues(t, 1, count)
		assert.InDelta(t, 0.265, sum, 1e-9)
		r.stop(t)
	})
}

// Scenario: more traces are open than max_traces.
// Guarantees: the oldest is observed with what is known, none is lost, and the
// number of open traces stays at the limit.
func TestMaxTraces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxTraces = 10; cfg.Assembly.MaxTombstones = 10 })
		for id := range byte(200) {
			r.send(t, casetest.Trace(id+1, engine, casetest.Stages("m")...))
			require.LessOrEqual(t, r.value(t, "open_traces", ""), int64(10))
		}
		time.Sleep(5 * time.Minute)
		r.requireCount(t, "request", 200)
		r.requireCount(t, "phase.inference", 200)
		assert.GreaterOrEqual(t, r.value(t, "evicted_traces", ""), int64(190))
		assert.LessOrEqual(t, r.value(t, "tombstones", ""), int64(10))
		r.stop(t)
	})
}

func TestMaxSpansPerTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxSpansPerTrace = 5 })
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		assert.EqualValues(t, 1, r.value(t, "refused_spans", "max_spans_per_trace"))
		assert.EqualValues(t, 5, r.value(t, "open_spans", ""))
		r.stop(t)
	})
}

// Scenario: spans whose parents go in a circle, and one that is its own parent.
// Guarantees: no loop, no request; the call itself is observed.
func TestCycles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, forever)
		call := casetest.Span{ID: 1, Parent: 2, Name: "llm_request", End: 270 * time.Millisecond, Attrs: casetest.VLLM()}
		r.send(t, casetest.Trace(1, engine, call,
			casetest.Span{ID: 2, Parent: 3, Name: "b", End: time.Second}, casetest.Span{ID: 3, Parent: 1, Name: "c", End: time.Second}))
		call.Parent = 1
		r.send(t, casetest.Trace(2, engine, call))
		time.Sleep(3 * time.Minute)
		r.requireCount(t, "request", 0)
		r.requireCount(t, "phase.queue", 2)
		assert.EqualValues(t, 2, r.value(t, "span_cycles", ""))
		r.stop(t)
	})
}

// Scenario: an agent makes two calls, and its span comes first or last.
// Guarantees: each call is a request of its own; the agent is none.
func TestAgentIsNoRequest(t *testing.T) {
	agent := casetest.Span{ID: 1, Name: "invoke_agent", End: 10 * time.Second, Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}}
	call := func(id byte, start time.Duration) casetest.Span {
		return casetest.Span{
			ID: id, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer,
			Start: start, End: start + 270*time.Millisecond, Attrs: casetest.VLLM(),
		}
	}
	for name, exports := range map[string][]casetest.Span{
		"first": {agent, call(2, 0), call(3, 5*time.Second)},
		"last":  {call(2, 0), call(3, 5*time.Second), agent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, forever)
				for _, s := range exports {
					r.send(t, casetest.Trace(1, engine, s))
					time.Sleep(2 * time.Second)
				}
				time.Sleep(3 * time.Minute)
				count, sum := r.total(t, "request")
				assert.EqualValues(t, 2, count)
				assert.InDelta(t, 2*0.265, sum, 1e-9)
				r.stop(t)
			})
		})
	}
}
