//go:build linux && cgo

package nvmlreceiver

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// Scenario: as many processes as may be reported, with several samples of each.
// Guarantees: the newest sample counts, in whichever order they come.
func TestProcessUtilizationAtTheLimit(t *testing.T) {
	if alone(t) {
		return
	}
	s := silent(nvmltest.DGX(1, nvmltest.L40S()))
	s.NVML.Devices[0].ProcessUtilization = []nvmltest.ProcessUtilization{
		{PID: 4101, Time: 1000, SM: 10},
		{PID: 4102, Time: 1000, SM: 20},
		{PID: 4102, Time: 3000, SM: 40},
		{PID: 4101, Time: 2000, SM: 90},
		{PID: 4103, Time: 2000, SM: 70},
		{PID: 4101, Time: 1500, SM: 50},
	}
	r := newRig(t, s)
	synctest.Test(t, func(t *testing.T) {
		r.start(t, map[string]any{
			"metrics":   map[string]any{"nvidia.gpu.process.utilization": map[string]any{"enabled": true}},
			"processes": map[string]any{"max_processes": 2, "proc_path": nvmltest.Proc(t, nil)},
		})
		out := r.scrape(1)
		live, _, _ := casetest.GPUTotal(out, "", "process")
		assert.Equal(t, 6, live, "three tasks each")
		_, first, _ := casetest.GPUTotal(out, "", "process.4101")
		assert.InDelta(t, 0.9, first, 1e-9)
		_, second, _ := casetest.GPUTotal(out, "", "process.4102")
		assert.InDelta(t, 0.4, second, 1e-9)
		r.stop()
	})
}
