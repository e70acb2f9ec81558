package spanphaseconnector

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// points returns the histogram data points of a metric, in order.
func points(m pmetric.Metrics, name string) (list []pmetric.HistogramDataPoint) {
	for _, rm := range m.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, metric := range sm.Metrics().All() {
				if metric.Name() == name && metric.Type() == pmetric.MetricTypeHistogram {
					for _, p := range metric.Histogram().DataPoints().All() {
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

var requestDuration = inference.Registry(inference.MetricRequestDuration).Name

// Scenario: a series begins.
// Guarantees: it is exported at zero for first_point_hold, then with all that
// it counted meanwhile, under one start time.
func TestFirstPointHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(61 * time.Second)
		var counts []uint64
		starts := map[time.Time]bool{}
		for _, m := range r.sink.AllMetrics() {
			for _, p := range points(m, requestDuration) {
				counts = append(counts, p.Count())
				starts[p.StartTimestamp().AsTime()] = true
			}
		}
		assert.Equal(t, []uint64{0, 0, 1, 1}, counts)
		assert.Len(t, starts, 1)
		r.stop(t)
	})
}

// Scenario: Shutdown comes while requests are open and series are held.
// Guarantees: the last export holds everything.
func TestShutdownFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		for id := range byte(50) {
			r.send(t, casetest.Trace(id+1, engine, casetest.Stages("m")...))
		}
		require.NoError(t, r.Shutdown(t.Context()))
		r.requireCount(t, "request", 50)
		r.requireCount(t, "phase.queue", 50)
		require.NoError(t, r.Shutdown(t.Context()), "a second time")
	})
}

// Scenario: nothing is observed for series_expiry, then again.
// Guarantees: a mark that the series ended, in a Metric after the live ones;
// nothing afterwards; a new start time when it returns.
func TestSeriesExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("old")...))
		time.Sleep(10 * time.Minute)
		r.send(t, casetest.Trace(2, engine, casetest.Stages("live")...))
		time.Sleep(5*time.Minute + 45*time.Second)
		ended := r.withMark(t)
		require.Len(t, ended, 1, "one export holds the marks")
		var order []bool
		for _, p := range points(ended[0], requestDuration) {
			order = append(order, p.Flags().NoRecordedValue())
		}
		assert.Equal(t, []bool{false, true}, order, "live first, the mark after it")
		before := points(ended[0], requestDuration)[1].StartTimestamp()

		r.send(t, casetest.Trace(3, engine, casetest.Stages("old")...))
		time.Sleep(time.Minute)
		again := points(r.last(t), requestDuration)
		require.Len(t, again, 2)
		for _, p := range again {
			if model, _ := p.Attributes().Get(inference.AttrModelName); model.AsString() == "old" {
				assert.Greater(t, p.StartTimestamp(), before)
				assert.EqualValues(t, 1, p.Count())
			}
		}
		assert.Positive(t, r.value(t, "expired_series", ""))
		r.stop(t)
	})
}

func (r *rig) withMark(t *testing.T) (list []pmetric.Metrics) {
	t.Helper()
	for _, m := range r.sink.AllMetrics() {
		for _, p := range points(m, requestDuration) {
			if p.Flags().NoRecordedValue() {
				list = append(list, m)
				break
			}
		}
	}
	return list
}

// Scenario: two services that differ only in their environment.
// Guarantees: two series: identity is in the data point, not the resource.
func TestEnvironmentsAreSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		for id, environment := range []string{"prod", "staging"} {
			resource := map[string]any{"service.name": "chat", "deployment.environment.name": environment}
			r.send(t, casetest.Trace(byte(id+1), resource, casetest.Stages("m")...))
		}
		r.stop(t)
		list := points(r.last(t), requestDuration)
		require.Len(t, list, 2)
		seen := map[string]bool{}
		for _, p := range list {
			v, ok := p.Attributes().Get(inference.AttrEnvironment)
			require.True(t, ok)
			seen[v.AsString()] = true
		}
		assert.Equal(t, map[string]bool{"prod": true, "staging": true}, seen)
	})
}

// Scenario: clients send more models and error types than there may be.
// Guarantees: all are observed, the surplus under one value each.
func TestLabelLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxModels = 3; cfg.MaxErrorTypes = 2 })
		for i := range byte(10) {
			spans := casetest.Stages(fmt.Sprint("m", i))
			spans[0].Error, spans[0].Attrs["error.type"] = "failed", fmt.Sprint("e", i)
			r.send(t, casetest.Trace(i+1, engine, spans...))
		}
		r.stop(t)
		models, errors, total := map[string]bool{}, map[string]bool{}, uint64(0)
		for _, p := range points(r.last(t), requestDuration) {
			model, _ := p.Attributes().Get(inference.AttrModelName)
			errorType, _ := p.Attributes().Get(inference.AttrErrorType)
			models[model.AsString()], errors[errorType.AsString()] = true, true
			total += p.Count()
		}
		assert.Len(t, models, 4)
		assert.True(t, models["other"])
		assert.Len(t, errors, 3)
		assert.True(t, errors["_OTHER"])
		assert.EqualValues(t, 10, total)
	})
}

// Scenario: more series than max_series.
// Guarantees: what has no room is counted in an overflow series, and the number of series is
// bounded.
func TestMaxSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxSeries = 20 })
		for i := range byte(100) {
			r.send(t, casetest.Trace(i+1, engine, casetest.Stages(fmt.Sprint("m", i))...))
		}
		time.Sleep(time.Minute)
		r.requireCount(t, "request", 100)
		assert.Less(t, r.value(t, "series", ""), int64(20+40))
		assert.Positive(t, r.value(t, "limited_observations", "max_series"))
		overflow := 0
		for _, p := range points(r.last(t), requestDuration) {
			if _, ok := p.Attributes().Get(inference.AttrOverflow); ok {
				overflow++
			}
		}
		assert.Equal(t, 1, overflow)
		r.stop(t)
	})
}

func TestBoundsAndExemplars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.SLO = []SLO{{Model: ".*", Request: 1234 * time.Millisecond}}
			cfg.Bounds = map[string][]float64{"inference.call.time_to_first_token": {0.1, 1}}
		})
		r.send(t, casetest.Trace(7, engine, casetest.Stages("m")...))
		r.stop(t)
		request := points(r.last(t), requestDuration)[0]
		assert.Contains(t, request.ExplicitBounds().AsRaw(), 1.234)
		assert.Contains(t, request.ExplicitBounds().AsRaw(), 600.0)
		assert.Equal(t, []float64{0.1, 1}, points(r.last(t), "inference.call.time_to_first_token")[0].ExplicitBounds().AsRaw())
		require.Equal(t, 1, request.Exemplars().Len())
		e := request.Exemplars().At(0)
		assert.EqualValues(t, 7, e.TraceID()[15])
		assert.EqualValues(t, 1, e.SpanID()[7])
		assert.InDelta(t, 1.0, e.DoubleValue(), 1e-9)
	})
}

// Scenario: a caller's own SERVER span lies inside an INTERNAL one.
// Guarantees: request_boundary decides which of them is the request.
func TestRequestBoundary(t *testing.T) {
	for boundary, want := range map[string]float64{
		"outermost":                        3,
		"first_server_span":                2,
		`span.attributes["entry"] == true`: 1.5,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(cfg *Config) { cfg.RequestBoundary = boundary })
			r.send(t, casetest.Trace(1, engine,
				casetest.Span{ID: 1, Name: "job", Kind: ptrace.SpanKindInternal, End: 3 * time.Second},
				casetest.Span{ID: 2, Parent: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 2 * time.Second},
				casetest.Span{ID: 3, Parent: 2, Name: "chat", End: 1500 * time.Millisecond, Attrs: map[string]any{"entry": true}},
				casetest.Span{ID: 4, Parent: 3, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: casetest.VLLM()},
			))
			r.stop(t)
			count, sum := r.total(t, "request")
			assert.EqualValues(t, 1, count, boundary)
			assert.InDelta(t, want, sum, 1e-9, boundary)
		})
	}
}

// Scenario: the sender reuses the memory of a batch after it was consumed.
// Guarantees: nothing of it was kept.
func TestNothingOfABatchIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		td := casetest.Trace(1, engine, casetest.Stages("m")...)
		require.NoError(t, r.ConsumeTraces(t.Context(), td))
		for _, rs := range td.ResourceSpans().All() {
			rs.Resource().Attributes().PutStr("service.name", "overwritten")
			for _, span := range rs.ScopeSpans().At(0).Spans().All() {
				span.SetName("overwritten")
				span.Attributes().Clear()
				span.SetEndTimestamp(0)
			}
		}
		r.stop(t)
		count, sum := casetest.Total(r.last(t), "request", map[string]string{"model": "m"})
		assert.EqualValues(t, 1, count)
		assert.InDelta(t, 1.0, sum, 1e-9)
	})
}
