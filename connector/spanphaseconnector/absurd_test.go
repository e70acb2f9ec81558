package spanphaseconnector

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// largest returns the largest mean of all histogram series in seconds.
func (r *rig) largest(t *testing.T) (largest float64) {
	t.Helper()
	for id := range inference.NumMetrics {
		if m := inference.Registry(id); m.Unit == "s" {
			for _, p := range points(r.last(t), m.Name) {
				largest = max(largest, p.Sum()/float64(p.Count()))
			}
		}
	}
	return largest
}

// Scenario: one span of a request has no times, or impossible ones.
// Guarantees: no duration comes of it, of any metric, and it is counted.
func TestImpossibleTimes(t *testing.T) {
	start := pcommon.NewTimestampFromTime(casetest.Epoch)
	for name, times := range map[string][2]pcommon.Timestamp{
		"no times":         {0, 0},
		"no start":         {0, start + 1e9},
		"monotonic clock":  {5e9, 6e9},
		"end before start": {start, start - 1},
		"never ends":       {start, math.MaxInt64},
		"beyond any date":  {math.MaxUint64 - 1, math.MaxUint64},
	} {
		for id := range byte(6) {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, nil)
					spans := casetest.Stages("m")
					spans = append(spans[:3], spans[4:]...) // without queue: it may be estimated
					r.send(t, casetest.Retime(casetest.Trace(1, engine, spans...), id+1, times[0], times[1]))
					dropped := int64(1)
					if id+1 == 4 {
						dropped = 0 // there is no such span
					}
					time.Sleep(2 * time.Minute)
					assert.Equal(t, dropped, r.value(t, "dropped_values", "time"), "span %d", id+1)
					assert.LessOrEqual(t, r.largest(t), 1.0, "span %d", id+1)
					r.stop(t)
				})
			})
		}
	}
}

// Scenario: broken times on spans that have nothing to do with inference.
// Guarantees: they are none of our business.
func TestImpossibleTimesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, casetest.Retime(casetest.Trace(1, engine, casetest.Span{ID: 1, Name: "GET /"}), 1, 7, 6))
		time.Sleep(time.Minute)
		assert.Zero(t, r.value(t, "dropped_values", ""))
		r.stop(t)
	})
}

// Scenario: numbers at the ends of what a double and an int can hold.
// Guarantees: no sum overflows; what was left out is counted.
func TestHugeNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		for id := range byte(3) {
			attrs := casetest.VLLM()
			attrs["gen_ai.latency.e2e"], attrs["gen_ai.usage.prompt_tokens"] = math.MaxFloat64, int64(math.MaxInt64)
			attrs["gen_ai.usage.completion_tokens"] = -1
			r.send(t, casetest.Trace(id+1, engine, casetest.Span{
				ID: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 300 * time.Millisecond, Attrs: attrs,
			}))
		}
		assert.EqualValues(t, 3, r.value(t, "dropped_values", "time"))
		assert.EqualValues(t, 3, r.value(t, "dropped_values", "negative"))
		assert.EqualValues(t, 3, r.value(t, "dropped_values", "not_finite"))
		r.stop(t)
		casetest.CheckSane(t, r.last(t))
		r.requireCount(t, "request", 3)
	})
}

// Scenario: a client sends a model name of a megabyte.
// Guarantees: the label is short: it stands on the page once for each bucket.
func TestLongLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages(strings.Repeat("模", 1<<20))...))
		r.stop(t)
		model, _ := points(r.last(t), requestDuration)[0].Attributes().Get(inference.AttrModelName)
		assert.Len(t, model.AsString(), 255, "whole runes only")
	})
}

// Scenario: an engine says that a request waited longer than until its first token.
// Guarantees: phases do not add up to more than the call.
func TestContradiction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		attrs := casetest.VLLM()
		attrs["gen_ai.latency.time_in_queue"] = 0.2
		r.send(t, casetest.Trace(1, engine, casetest.Span{
			ID: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: attrs,
		}))
		require.EqualValues(t, 0, r.value(t, "dropped_values", "exceeds_call"))
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, r.value(t, "dropped_values", "exceeds_call"))
		total := 0.0
		for _, p := range points(r.last(t), "inference.phase.duration") {
			total += p.Sum()
		}
		assert.InDelta(t, 0.265, total, 1e-9)
		r.stop(t)
	})
}

// Scenario: a shop's span that is called queue.
// Guarantees: that name alone makes no inference request.
func TestOtherServicesQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine,
			casetest.Span{ID: 1, Name: "POST /orders", Kind: ptrace.SpanKindServer, End: time.Second},
			casetest.Span{ID: 2, Parent: 1, Name: "queue", End: time.Second}))
		r.send(t, casetest.Trace(2, engine, casetest.Span{ID: 2, Parent: 1, Name: "receive", End: time.Second}))
		time.Sleep(20 * time.Minute)
		assert.Zero(t, r.value(t, "open_traces", ""))
		assert.Empty(t, r.sink.AllMetrics())
		r.stop(t)
	})
}
