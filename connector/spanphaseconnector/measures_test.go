package spanphaseconnector

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const hitRatio = "feature_cache.hit_ratio"

// Scenario: a span of a request states a measure in many forms, or wrongly.
// Guarantees: numbers are observed, nothing is no observation, and what is wrong is counted.
func TestMeasureValues(t *testing.T) {
	for name, c := range map[string]struct {
		value   any
		want    float64
		dropped string
	}{
		"double":       {value: 0.75, want: 0.75},
		"int":          {value: 3, want: 3},
		"zero":         {value: 0, want: 0},
		"numeric text": {value: " 0.5 ", want: 0.5},
		"nothing":      {want: -1},
		"text":         {value: "high", want: -1, dropped: "wrong_type"},
		"truth":        {value: true, want: -1, dropped: "wrong_type"},
		"list":         {value: []any{1.0}, want: -1, dropped: "wrong_type"},
		"negative":     {value: -0.1, want: -1, dropped: "negative"},
		"not a number": {value: math.NaN(), want: -1, dropped: "not_finite"},
		"infinite":     {value: math.Inf(1), want: -1, dropped: "not_finite"},
		"too large":    {value: 1e300, want: -1, dropped: "not_finite"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) {
					cfg.Measures = []MeasureConfig{{Name: hitRatio, Value: `span.attributes["cache.hit_ratio"]`, Unit: "1"}}
				})
				spans := casetest.Stages("m")
				if c.value != nil {
					spans[2].Attrs = map[string]any{"cache.hit_ratio": c.value}
				}
				td := casetest.Trace(1, engine, spans...)
				r.send(t, td)
				r.send(t, td)
				time.Sleep(time.Minute)
				list := points(r.last(t), hitRatio)
				if c.want < 0 {
					assert.Empty(t, list)
				} else {
					require.Len(t, list, 1)
					assert.EqualValues(t, 1, list[0].Count())
					assert.InDelta(t, c.want, list[0].Sum(), 1e-9)
					assert.EqualValues(t, 3, list[0].Exemplars().At(0).SpanID()[7], "the span that states it")
				}
				if c.dropped != "" {
					assert.Positive(t, r.value(t, "dropped_values", c.dropped))
				} else {
					assert.Zero(t, r.value(t, "dropped_values", ""))
				}
				r.requireCount(t, "request", 1)
				r.stop(t)
			})
		})
	}
}

// Scenario: an agent, a feature service and an engine state measures; one of them is calculated.
// Guarantees: those of the request's spans have the request's model and outcome and their own service and dimensions,
// a call's has the call's; the agent's, which is above requests, is none.
func TestMeasureSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.Dimensions = []DimensionConfig{{Name: "tenant"}}
			cfg.Measures = []MeasureConfig{
				{Name: hitRatio, Value: `span.attributes["hits"] / span.attributes["lookups"]`, Unit: "1"},
				{Name: "data.read_time", Value: `span.end_time - span.start_time`, Unit: "s"},
				{Name: "data.size", Value: `span.attributes["size"]`, Unit: "By"},
			}
			cfg.Metrics = map[string]MetricConfig{"data.size": {Histogram: histogramExponential}}
		})
		feature := map[string]any{"service.name": "features", "deployment.environment.name": "prod"}
		r.send(t, casetest.Trace(1, engine,
			casetest.Span{ID: 1, Name: "invoke_agent a", End: 5 * time.Second, Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent", "size": 1}},
			casetest.Span{ID: 2, Parent: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second, Attrs: map[string]any{"tenant": "a"}, Error: "failed"},
			casetest.Span{ID: 3, Parent: 2, Name: "read", End: 250 * time.Millisecond, Attrs: map[string]any{"hits": 3.0, "lookups": 4.0, "size": 2}, Resource: feature},
			casetest.Span{ID: 4, Parent: 2, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: func() map[string]any {
				m := casetest.VLLM()
				m["gen_ai.response.model"], m["size"] = "m", 4
				return m
			}()},
		))
		r.stop(t)
		list := points(r.last(t), hitRatio)
		require.Len(t, list, 1, "not where it cannot be calculated")
		assert.InDelta(t, 0.75, list[0].Sum(), 1e-9)
		assert.Equal(t, map[string]any{
			"service.name": "features", "deployment.environment.name": "prod", "collector.instance.id": "test",
			"inference.model.name": "m", "inference.engine": "vllm", "inference.outcome": "error", "error.type": "_OTHER", "tenant": "a",
		}, list[0].Attributes().AsRaw())
		reads := points(r.last(t), "data.read_time")
		seconds := map[string]float64{}
		for _, p := range reads {
			service, _ := p.Attributes().Get(inference.AttrServiceName)
			outcome, _ := p.Attributes().Get(inference.AttrOutcome)
			seconds[service.Str()+" "+outcome.Str()] += p.Sum()
		}
		assert.InDeltaMapValues(t, map[string]float64{"engine error": 1, "features error": 0.25, "engine ok": 0.27}, seconds, 1e-9)
		sizes := each(r.sink.AllMetrics(), "data.size")
		sum := 0.0
		for _, p := range sizes[len(sizes)-1].ExponentialHistogram().DataPoints().All() {
			sum += p.Sum()
		}
		assert.InDelta(t, 6, sum, 1e-9)
	})
}
