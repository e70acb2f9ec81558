//go:build linux && cgo

package nvmlreceiver

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

const casesDir = "../../tests/cases"

// Scenario: every case of a GPU, each in a process of its own.
// Guarantees: the numbers and log lines of the case, and nothing absurd beside them.
func TestCases(t *testing.T) {
	casetest.EachGPU(t, casesDir, func(t *testing.T, c casetest.GPUCase) { //nolint:thelper // the body of a subtest
		if alone(t) {
			return
		}
		r := newRig(t, c.Scenario)
		if r.real = timed(&c.Scenario); r.real {
			runCase(t, r, &c)
			return
		}
		synctest.Test(t, func(t *testing.T) { runCase(t, r, &c) })
	})
}

// telling is how many GPUs have events.
func telling(s *nvmltest.Scenario) int {
	devices := map[int]bool{}
	for _, e := range s.Events {
		if e.Register == "" {
			devices[e.Device] = true
		}
	}
	return len(devices)
}

// timed tells whether a scenario has calls that take their time.
func timed(s *nvmltest.Scenario) bool {
	for _, c := range s.Timeline {
		if c.BlockSeconds > 0 {
			return true
		}
	}
	for _, e := range s.Events {
		if e.Register == "" {
			return true
		}
	}
	return false
}

func runCase(t *testing.T, r *rig, c *casetest.GPUCase) {
	t.Helper()
	config := map[string]any{}
	maps.Copy(config, c.Config)
	if len(c.Scenario.LivePIDs) > 0 {
		config["processes"] = map[string]any{"proc_path": nvmltest.Proc(t, c.Scenario.LivePIDs)}
	}
	r.start(t, config)
	if r.real {
		r.scrape(1)
		r.awaitListening(telling(&c.Scenario))
	}
	for i := range c.Expect.GPU {
		check := &c.Expect.GPU[i]
		casetest.CheckGPU(t, c, check, r.scrape(check.AtS/casetest.GPUInterval+1))
	}
	for name, want := range c.Expect.Counters {
		assert.Equal(t, want, r.own(name), "own counter %s", name)
	}
	r.stop()
	lines := strings.Join(r.lines(), "\n")
	for text, want := range c.Expect.Log {
		assert.Equal(t, want, strings.Count(lines, text), "%q in the log:\n%s", text, lines)
	}
}

// own is one of the receiver's own counters, all series together.
func (r *rig) own(name string) (sum int64) {
	m, err := r.tel.GetMetric("otelcol_receiver_nvml_" + name)
	if err != nil {
		return 0 // nothing was counted
	}
	var points []metricdata.DataPoint[int64]
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	for _, p := range points {
		sum += p.Value
	}
	return sum
}
