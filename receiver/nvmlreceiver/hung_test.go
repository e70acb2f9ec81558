//go:build linux && cgo

package nvmlreceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// hangs makes a call on GPU 3 hang from the second scrape to the fifth.
func hangs(s nvmltest.Scenario, call string) nvmltest.Scenario {
	third := 3
	s.Timeline = []nvmltest.Change{
		{Scrape: 2, Device: &third, Call: call, BlockSeconds: 60},
		{Scrape: 5, Device: &third, Call: call, BlockSeconds: 0.001},
	}
	return s
}

// Scenario: one GPU of eight hangs in this call or that, with performance counters and events.
// Guarantees: it is not called a second time meanwhile, and the others lack nothing, but for
// performance counters, of which only one call may run.
func TestHungCall(t *testing.T) {
	for call, counters := range map[string]int{"GetPowerUsage": 7, "GpmSampleGet": 0, "GetFieldValues": 7, "GetUUID": 7} {
		t.Run(call, func(t *testing.T) {
			if alone(t) {
				return
			}
			r := newRig(t, hangs(nvmltest.DGX(8, nvmltest.H200()), call))
			r.real = true
			r.start(t, map[string]any{"timeout": "1s"})
			// The counts are those at the begin of a scrape.
			r.scrape(3)
			name := map[bool]string{true: "nvml", false: "nvmlDevice"}[call == "GpmSampleGet"] + call
			hung := r.world.Calls().On(3, name)
			uuid := r.scenario.NVML.Devices[3].UUID
			out := r.scrape(4)
			_, degraded, _ := casetest.GPUTotal(out, uuid, "status.degraded")
			assert.InDelta(t, 1, degraded, 0)
			live, _, _ := casetest.GPUTotal(out, "", "power")
			assert.Equal(t, 7, live)
			// A scrape that comes too soon after another measures none.
			require.Eventually(t, func() bool {
				live, _, _ := casetest.GPUTotal(r.last(), "", "sm")
				return live == counters
			}, 5*time.Second, 5*time.Millisecond, "performance counters of the others")
			assert.Equal(t, hung, r.world.Calls().On(3, name), "it is called again while it hangs")
			assert.Positive(t, r.own("unread_gpus"))

			out = r.scrape(6)
			live, _, _ = casetest.GPUTotal(out, "", "power")
			assert.Equal(t, 8, live)
			r.stop()
			for i := range 8 {
				assert.LessOrEqual(t, r.world.Calls().InFlight(i), 1, "calls at once on GPU %d", i)
			}
		})
	}
}

// Scenario: the collector stops while a call hangs.
// Guarantees: shutdown ends within the timeout and says so; the library is not shut down under
// the call, and the process lives on when the call returns.
func TestShutdownWhileHung(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, hangs(nvmltest.DGX(4, nvmltest.H200()), "GetPowerUsage"))
	r.real = true
	r.start(t, map[string]any{"timeout": "500ms"})
	r.scrape(2)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	began := time.Now()
	require.ErrorContains(t, r.running[0].Shutdown(ctx), "did not return from a call")
	assert.Less(t, time.Since(began), 6*time.Second)
	r.running = nil
	assert.Zero(t, r.world.Calls().Violations()["shutdown_with_calls_in_flight"])

	// The next configuration finds a library that works.
	r.set(5)
	r.scenario.Timeline = nil
	r.start(t, nil)
	live, _, _ := casetest.GPUTotal(r.scrape(2), "", "power")
	assert.Equal(t, 4, live)
	r.shutDown()
}

// Scenario: a GPU hangs from the first scrape on.
// Guarantees: it is told as degraded, under its name; the others are read.
func TestHungFromTheStart(t *testing.T) {
	if alone(t) {
		return
	}
	second := 1
	s := nvmltest.DGX(2, nvmltest.H200())
	s.Timeline = []nvmltest.Change{
		{Device: &second, Call: "GetPowerUsage", BlockSeconds: 60},
		{Scrape: 3, Device: &second, Call: "GetPowerUsage", BlockSeconds: 0.001},
	}
	r := newRig(t, s)
	r.real = true
	r.start(t, map[string]any{"timeout": "1s"})
	out := r.scrape(2)
	live, _, _ := casetest.GPUTotal(out, "", "power")
	assert.Equal(t, 1, live)
	_, degraded, _ := casetest.GPUTotal(out, s.NVML.Devices[1].UUID, "status.degraded")
	assert.InDelta(t, 1, degraded, 0)
	live, _, _ = casetest.GPUTotal(r.scrape(3), "", "power")
	assert.Equal(t, 2, live)
	r.stop()
}
