package casetest

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Tolerance of sums, in seconds.
const Tolerance = 1e-6

// selection is the series of a measure.
type selection struct {
	metric string
	attrs  map[string]string
}

// selectionOf maps the cases' neutral measure names to ours. It is the one
// place that knows both.
func selectionOf(measure string) selection {
	if m, ok := wholes[measure]; ok {
		return selection{metric: inference.Registry(m).Name}
	}
	of, part, _ := strings.Cut(measure, ".")
	p, ok := parts[of]
	if !ok {
		return selection{metric: "no such measure: " + measure}
	}
	attrs := map[string]string{p.attr: part}
	if of == "phase" {
		attrs[inference.AttrRole] = "server"
	}
	return selection{inference.Registry(p.metric).Name, attrs}
}

// wholes are the measures that are all series of a metric.
var wholes = map[string]inference.MetricID{
	"request":      inference.MetricRequestDuration,
	"request_ttft": inference.MetricRequestTTFT,
	"calls":        inference.MetricRequestCalls,
	"retries":      inference.MetricRequestRetries,
	"finished":     inference.MetricRequestFinished,
	"call":         inference.MetricCallDuration,
	"ttft":         inference.MetricCallTTFT,
	"tpot":         inference.MetricCallTPOT,
	"batch_size":   inference.MetricBatchSize,
}

// parts are the measures that are the series of a metric with one value of an
// attribute, which is what follows the dot: call.server.
var parts = map[string]struct {
	metric inference.MetricID
	attr   string
}{
	"call":     {inference.MetricCallDuration, inference.AttrRole},
	"ttft":     {inference.MetricCallTTFT, inference.AttrRole},
	"tpot":     {inference.MetricCallTPOT, inference.AttrRole},
	"phase":    {inference.MetricPhaseDuration, inference.AttrPhase},
	"subphase": {inference.MetricSubphaseDuration, inference.AttrSubphase},
	"hop":      {inference.MetricHopDuration, inference.AttrHop},
	"tokens":   {inference.MetricTokenUsage, inference.AttrTokenType},
}

// labels maps the cases' neutral label names to ours.
var labels = map[string]string{
	"model":         inference.AttrModelName,
	"version":       inference.AttrModelVersion,
	"environment":   inference.AttrEnvironment,
	"namespace":     inference.AttrServiceNamespace,
	"service":       inference.AttrServiceName,
	"outcome":       inference.AttrOutcome,
	"error_type":    inference.AttrErrorType,
	"streaming":     inference.AttrStreaming,
	"engine":        inference.AttrEngine,
	"provenance":    inference.AttrProvenance,
	"finish_reason": inference.AttrFinishReason,
}

// fallback is how the cases write "one value that stands for no model".
const fallback = "<one fallback value>"

// Check compares the last of the exports with what c expects: the series are
// cumulative.
func Check(t testing.TB, c Case, exports []pmetric.Metrics) {
	t.Helper()
	if !assert.NotEmpty(t, exports, "nothing was exported") {
		return
	}
	last := exports[len(exports)-1]
	for measure, wants := range c.Expect.Measures {
		for _, w := range wants {
			count, sum := Total(last, measure, w.Where)
			assert.Equal(t, w.Count, count, "count of %s%v", measure, w.Where)
			assert.InDelta(t, w.Sum, sum, Tolerance, "sum of %s%v", measure, w.Where)
		}
	}
	for _, measure := range c.Expect.Absent {
		count, _ := Total(last, measure, nil)
		assert.Zero(t, count, "count of %s", measure)
	}
	CheckSane(t, last)
}

// Total returns the count and sum of a measure over the series with the labels
// in where. Of a counter both are its value.
func Total(m pmetric.Metrics, measure string, where map[string]string) (count uint64, sum float64) {
	s := selectionOf(measure)
	eachHistogram(m, func(name string, p pmetric.HistogramDataPoint) {
		if name == s.metric && matches(p.Attributes(), s.attrs, where) {
			count += p.Count()
			sum += p.Sum()
		}
	})
	eachCounter(m, func(name string, p pmetric.NumberDataPoint) {
		if name == s.metric && matches(p.Attributes(), s.attrs, where) {
			value := p.DoubleValue() + float64(p.IntValue()) // one of them is zero
			count += uint64(value)
			sum += value
		}
	})
	return count, sum
}

func matches(attrs pcommon.Map, want, where map[string]string) bool {
	is := func(name, value string) bool {
		got, ok := attrs.Get(name)
		return ok && got.AsString() == value
	}
	for name, value := range want {
		if !is(name, value) {
			return false
		}
	}
	for name, value := range where {
		if value == fallback {
			value = inference.UnknownModel
		}
		if !is(labels[name], value) {
			return false
		}
	}
	return true
}

// CheckSane fails for what no export may ever contain: a sum that is negative
// or no number, buckets that do not add up, and an empty label value.
func CheckSane(t testing.TB, m pmetric.Metrics) {
	t.Helper()
	eachHistogram(m, func(name string, p pmetric.HistogramDataPoint) {
		assert.False(t, math.IsNaN(p.Sum()) || math.IsInf(p.Sum(), 0) || p.Sum() < 0, "sum of %s is %v", name, p.Sum())
		var total uint64
		for _, n := range p.BucketCounts().All() {
			total += n
		}
		assert.Equal(t, p.Count(), total, "buckets of %s", name)
		for key, value := range p.Attributes().All() {
			assert.NotEmpty(t, value.AsString(), "%s of %s", key, name)
		}
	})
}

func eachHistogram(m pmetric.Metrics, f func(name string, p pmetric.HistogramDataPoint)) {
	eachMetric(m, pmetric.MetricTypeHistogram, func(metric pmetric.Metric) {
		for _, p := range metric.Histogram().DataPoints().All() {
			if !p.Flags().NoRecordedValue() {
				f(metric.Name(), p)
			}
		}
	})
}

func eachCounter(m pmetric.Metrics, f func(name string, p pmetric.NumberDataPoint)) {
	eachMetric(m, pmetric.MetricTypeSum, func(metric pmetric.Metric) {
		for _, p := range metric.Sum().DataPoints().All() {
			if !p.Flags().NoRecordedValue() {
				f(metric.Name(), p)
			}
		}
	})
}

func eachMetric(m pmetric.Metrics, of pmetric.MetricType, f func(metric pmetric.Metric)) {
	for _, rm := range m.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, metric := range sm.Metrics().All() {
				if metric.Type() == of {
					f(metric)
				}
			}
		}
	}
}
