package casetest

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// gpuMeasures maps the cases' neutral names to ours. What follows a dot in a measure is the
// value of the attribute: clock.sm, xid.79. Without it all series count.
var gpuMeasures = map[string]struct{ metric, attr string }{
	"utilisation":       {"hw.gpu.utilization", "hw.gpu.task"},
	"controller":        {"nvidia.gpu.memory.controller.utilization", ""},
	"memory":            {"hw.gpu.memory.usage", ""},
	"memory_limit":      {"hw.gpu.memory.limit", ""},
	"memory_fraction":   {"hw.gpu.memory.utilization", ""},
	"memory_reserved":   {"nvidia.gpu.memory.reserved", ""},
	"temperature":       {"hw.temperature", "hw.sensor_location"},
	"temperature_limit": {"hw.temperature.limit", "hw.limit_type"},
	"margin":            {"nvidia.gpu.temperature.margin", ""},
	"power":             {"hw.power", ""},
	"power_limit":       {"nvidia.gpu.power.limit", ""},
	"energy":            {"hw.energy", ""},
	"fan":               {"hw.fan.speed_ratio", ""},
	"clock":             {"nvidia.gpu.clock.frequency", "nvidia.gpu.clock.domain"},
	"limited":           {"nvidia.gpu.clock.limited", "nvidia.gpu.clock.limit_reason"},
	"limited_time":      {"nvidia.gpu.clock.limited.time", "nvidia.gpu.clock.limit_reason"},
	"ecc":               {"hw.errors", "error.type"},
	"remapped":          {"nvidia.gpu.memory.row_remap.rows", "nvidia.gpu.memory.row_remap.cause"},
	"remap":             {"nvidia.gpu.memory.row_remap.state", "nvidia.gpu.memory.row_remap.state"},
	"xid":               {"nvidia.gpu.xid.errors", "nvidia.xid.code"},
	"status":            {"hw.status", "hw.state"},
	"index":             {"nvidia.gpu.index", ""},
	"info":              {"nvidia.gpu.info", ""},
	"mig":               {"nvidia.gpu.mig.info", "nvidia.mig.compute_instance.id"},
	"pcie":              {"hw.gpu.io", "network.io.direction"},
	"replays":           {"nvidia.gpu.pcie.replays", ""},
	"nvlink":            {"nvidia.gpu.nvlink.io", "network.io.direction"},
	"nvlink_errors":     {"nvidia.gpu.nvlink.errors", "nvidia.gpu.nvlink.error.type"},
	"sm":                {"nvidia.gpu.sm.utilization", ""},
	"occupancy":         {"nvidia.gpu.sm.occupancy", ""},
	"pipe":              {"nvidia.gpu.pipe.utilization", "nvidia.gpu.pipe"},
	"dram":              {"nvidia.gpu.dram.bandwidth.utilization", ""},
	"process_memory":    {"nvidia.gpu.process.memory.usage", "process.pid"},
	"process":           {"nvidia.gpu.process.utilization", "process.pid"},
	"container_memory":  {"nvidia.gpu.container.memory.usage", "container.id"},
}

// gpuTolerance is of a ratio or a sum of them.
const gpuTolerance = 1e-9

// CheckGPU compares a scrape with what the case expects of it.
func CheckGPU(t testing.TB, c *GPUCase, check *GPUCheck, m pmetric.Metrics) {
	t.Helper()
	for measure, want := range check.Points {
		live, _, _ := GPUTotal(m, "", measure)
		assert.Equal(t, want, live, "points of %s at %d s", measure, check.AtS)
	}
	for i := range check.Devices {
		d := &check.Devices[i]
		uuid := c.uuid(d)
		if !assert.NotEmpty(t, uuid, "the case has no device %d", d.Device) {
			continue
		}
		if d.Status != "" {
			for _, state := range []string{"ok", "degraded", "failed", "predicted_failure"} {
				live, sum, _ := GPUTotal(m, uuid, "status."+state)
				assert.Equal(t, 1, live, "hw.status %s of %s at %d s", state, uuid, check.AtS)
				assert.Equal(t, state == d.Status, sum == 1, "hw.status %s of %s at %d s is %v", state, uuid, check.AtS, sum)
			}
		}
		for _, measure := range d.Present {
			live, _, _ := GPUTotal(m, uuid, measure)
			assert.NotZero(t, live, "%s of %s at %d s", measure, uuid, check.AtS)
		}
		for _, measure := range d.Absent {
			live, sum, _ := GPUTotal(m, uuid, measure)
			assert.Zero(t, live, "%s of %s at %d s is %v", measure, uuid, check.AtS, sum)
		}
		for measure, want := range d.Values {
			live, sum, _ := GPUTotal(m, uuid, measure)
			assert.NotZero(t, live, "%s of %s at %d s", measure, uuid, check.AtS)
			assert.InDelta(t, want, sum, gpuTolerance, "%s of %s at %d s", measure, uuid, check.AtS)
		}
		for _, measure := range d.Ended {
			_, _, ended := GPUTotal(m, uuid, measure)
			assert.NotZero(t, ended, "%s of %s ends at %d s", measure, uuid, check.AtS)
		}
	}
}

// GPUTotal counts the live points of a measure and adds up their values, and counts the series
// that have ended. An empty uuid is all GPUs and MIG devices.
func GPUTotal(m pmetric.Metrics, uuid, measure string) (live int, sum float64, ended int) {
	of, part, parted := strings.Cut(measure, ".")
	s, known := gpuMeasures[of]
	if !known {
		panic("no such measure: " + measure) // a test's own mistake
	}
	eachPoint(m, func(metric pmetric.Metric, p pmetric.NumberDataPoint) {
		is := func(key, want string) bool {
			got, ok := p.Attributes().Get(key)
			return ok && got.AsString() == want
		}
		switch {
		case metric.Name() != s.metric, parted && !is(s.attr, part), uuid != "" && !is("hw.id", uuid):
		case p.Flags().NoRecordedValue():
			ended++
		default:
			live++
			sum += value(p)
		}
	})
	return live, sum, ended
}

// CheckGPUSane fails for what scrapes, in their order, may never contain: a series twice in
// one scrape, an empty label, a placeholder of the driver as a value, a fraction that is none,
// a counter that falls without a new start, and the end of a series that nobody has seen.
func CheckGPUSane(t testing.TB, scrapes []pmetric.Metrics) {
	t.Helper()
	type counter struct {
		start pcommon.Timestamp
		value float64
	}
	before := map[string]counter{}
	shown := map[string]bool{}
	for i, m := range scrapes {
		seen := map[string]bool{}
		eachPoint(m, func(metric pmetric.Metric, p pmetric.NumberDataPoint) {
			series := metric.Name() + " " + seriesLabels(t, p.Attributes())
			assert.False(t, seen[series], "twice in scrape %d: %s", i+1, series)
			seen[series] = true
			if p.Flags().NoRecordedValue() {
				assert.True(t, shown[series], "ends without a beginning in scrape %d: %s", i+1, series)
				delete(before, series)
				return
			}
			shown[series] = true
			assert.NotZero(t, p.Timestamp(), series)
			assert.LessOrEqual(t, p.StartTimestamp(), p.Timestamp(), "starts in the future: %s", series)
			v := value(p)
			checkValue(t, metric, series, v)
			if metric.Type() != pmetric.MetricTypeSum || !metric.Sum().IsMonotonic() {
				return
			}
			if b, ok := before[series]; ok && b.start == p.StartTimestamp() {
				assert.GreaterOrEqual(t, v, b.value, "falls without a new start in scrape %d: %s", i+1, series)
			}
			before[series] = counter{p.StartTimestamp(), v}
		})
	}
}

func checkValue(t testing.TB, metric pmetric.Metric, series string, v float64) {
	t.Helper()
	assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), "no number: %s", series)
	if metric.Name() != "nvidia.gpu.temperature.margin" && metric.Name() != "hw.temperature" {
		assert.GreaterOrEqual(t, v, 0.0, series)
	}
	if metric.Unit() != "By" {
		assert.Less(t, v, 1e15, "a placeholder: %s", series)
	}
	if strings.HasSuffix(metric.Name(), ".utilization") {
		assert.LessOrEqual(t, v, 1.0, "no fraction: %s", series)
	}
}

// seriesLabels are the labels in their order, which is the same for each point of a metric.
func seriesLabels(t testing.TB, attrs pcommon.Map) string {
	t.Helper()
	var b strings.Builder
	for key, v := range attrs.All() {
		assert.NotEmpty(t, v.AsString(), "an empty %s", key)
		b.WriteString(key + "=" + v.AsString() + " ")
	}
	return b.String()
}

func value(p pmetric.NumberDataPoint) float64 {
	return p.DoubleValue() + float64(p.IntValue()) // one of them is zero
}

func eachPoint(m pmetric.Metrics, f func(pmetric.Metric, pmetric.NumberDataPoint)) {
	eachMetric(m, pmetric.MetricTypeGauge, func(metric pmetric.Metric) {
		for _, p := range metric.Gauge().DataPoints().All() {
			f(metric, p)
		}
	})
	eachMetric(m, pmetric.MetricTypeSum, func(metric pmetric.Metric) {
		for _, p := range metric.Sum().DataPoints().All() {
			f(metric, p)
		}
	})
}
