package spanphaseconnector

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// each returns the metrics of all exports with a name, one for each export that has it.
func each(list []pmetric.Metrics, name string) (found []pmetric.Metric) {
	for _, m := range list {
		for _, rm := range m.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, metric := range sm.Metrics().All() {
					if metric.Name() == name {
						found = append(found, metric)
					}
				}
			}
		}
	}
	return found
}

// refusing fails while on, and counts how often.
type refusing struct {
	consumer.Metrics
	on      atomic.Bool
	refused atomic.Int64
}

func (r *refusing) ConsumeMetrics(ctx context.Context, m pmetric.Metrics) error {
	if r.on.Load() {
		r.refused.Add(1)
		return errors.New("full")
	}
	return r.Metrics.ConsumeMetrics(ctx, m)
}

// Scenario: delta temporality; requests, a pause, requests while the pipeline refuses, and Shutdown.
// Guarantees: each request is in one interval, intervals do not overlap, nothing is sent without
// news, what was refused comes with the next, there are no marks.
func TestDelta(t *testing.T) {
	for _, kind := range []string{histogramExplicit, histogramExponential} {
		t.Run(kind, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { testDelta(t, kind) }) })
	}
}

func testDelta(t *testing.T, kind string) {
	t.Helper()
	gate := &refusing{}
	r := newRigBefore(t, func(cfg *Config) {
		cfg.Temporality, cfg.Histogram = temporalityDelta, kind
	}, func(sink consumer.Metrics) consumer.Metrics {
		gate.Metrics = sink
		return gate
	})
	request := func(id byte) {
		spans := casetest.Stages("m")
		spans[0].Attrs["gen_ai.response.finish_reasons"] = "stop"
		r.send(t, casetest.Trace(id, engine, spans...))
	}
	request(1)
	request(2)
	time.Sleep(5 * time.Minute)
	require.Len(t, r.sink.AllMetrics(), 1, "without news nothing is sent")
	gate.on.Store(true)
	request(3)
	time.Sleep(time.Minute)
	request(4)
	time.Sleep(time.Minute)
	require.Greater(t, gate.refused.Load(), int64(3))
	gate.on.Store(false)
	time.Sleep(time.Hour)
	assert.Zero(t, r.value(t, "series", ""), "idle series end")
	request(5)
	r.stop(t)

	var counts []uint64
	var before time.Time
	point := func(count uint64, sum float64, start, end time.Time) {
		counts = append(counts, count)
		assert.InDelta(t, float64(count), sum, 1e-9)
		assert.False(t, start.Before(before), "intervals overlap: %s before %s", start, before)
		assert.True(t, end.After(start) || end.Equal(start))
		before = end
	}
	for _, m := range each(r.sink.AllMetrics(), requestDuration) {
		if kind == histogramExponential {
			require.Equal(t, pmetric.AggregationTemporalityDelta, m.ExponentialHistogram().AggregationTemporality())
			for _, p := range m.ExponentialHistogram().DataPoints().All() {
				point(p.Count(), p.Sum(), p.StartTimestamp().AsTime(), p.Timestamp().AsTime())
				assert.Equal(t, []uint64{p.Count()}, p.Positive().BucketCounts().AsRaw())
				assert.Positive(t, p.Exemplars().Len())
			}
			continue
		}
		require.Equal(t, pmetric.AggregationTemporalityDelta, m.Histogram().AggregationTemporality())
		for _, p := range m.Histogram().DataPoints().All() {
			point(p.Count(), p.Sum(), p.StartTimestamp().AsTime(), p.Timestamp().AsTime())
			assert.Positive(t, p.Exemplars().Len())
		}
	}
	assert.Equal(t, []uint64{2, 2, 1}, counts)
	total := 0.0
	for _, m := range each(r.sink.AllMetrics(), inference.Registry(inference.MetricRequestFinished).Name) {
		assert.Equal(t, pmetric.AggregationTemporalityDelta, m.Sum().AggregationTemporality())
		for _, p := range m.Sum().DataPoints().All() {
			total += p.DoubleValue()
		}
	}
	assert.InDelta(t, 5, total, 1e-9)
}

// Scenario: exponential histograms by default, one explicit, one metric off.
// Guarantees: cumulative points at zero while held, then the values in buckets that contain them, with
// exemplars; a mark when they expire.
func TestExponential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off, size := false, 20
		r := newRig(t, func(cfg *Config) {
			cfg.Histogram = histogramExponential
			cfg.Metrics = map[string]MetricConfig{
				"inference.phase.duration":           {Histogram: histogramExplicit, Bounds: []float64{1}},
				"inference.request.calls":            {Enabled: &off},
				"inference.request.finished":         {Enabled: &off},
				"inference.request.duration":         {MaxSize: &size},
				"inference.subphase.duration":        {Enabled: &off},
				"inference.hop.duration":             {Enabled: &off},
				"inference.stream.buffered":          {Enabled: &off},
				"inference.request.retries":          {Enabled: &off},
				"inference.call.duration":            {Enabled: &off},
				"inference.token.usage":              {Enabled: &off},
				"inference.batch.size":               {Enabled: &off},
				"inference.call.time_to_first_token": {Enabled: &off},
			}
		})
		for id := range byte(3) {
			r.send(t, casetest.Trace(id+1, engine, casetest.Stages("m")...))
		}
		time.Sleep(20 * time.Minute)
		var counts []uint64
		for _, m := range each(r.sink.AllMetrics(), requestDuration) {
			require.Equal(t, pmetric.AggregationTemporalityCumulative, m.ExponentialHistogram().AggregationTemporality())
			p := m.ExponentialHistogram().DataPoints().At(0)
			counts = append(counts, p.Count())
			if p.Count() > 0 && p.Exemplars().Len() > 0 {
				assert.EqualValues(t, 8, p.Scale())
				assert.EqualValues(t, -1, p.Positive().Offset(), "a second is the upper bound of its bucket")
				assert.Equal(t, []uint64{3}, p.Positive().BucketCounts().AsRaw())
				assert.Equal(t, 3, p.Exemplars().Len())
			}
		}
		require.Greater(t, len(counts), 10)
		assert.Equal(t, []uint64{0, 0, 3, 3}, counts[:4])
		last := each(r.sink.AllMetrics(), requestDuration)
		assert.True(t, last[len(last)-1].ExponentialHistogram().DataPoints().At(0).Flags().NoRecordedValue(), "a mark at the end")
		phases := each(r.sink.AllMetrics(), "inference.phase.duration")
		assert.Equal(t, []float64{1}, phases[3].Histogram().DataPoints().At(0).ExplicitBounds().AsRaw())
		assert.Empty(t, each(r.sink.AllMetrics(), "inference.request.calls"))
		assert.Empty(t, each(r.sink.AllMetrics(), "inference.call.duration"))
		r.stop(t)
	})
}
