//go:build linux && cgo

package nvmlreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// Scenario: a GPU is taken away, comes back, and a third one is added.
// Guarantees: it goes on with its counters, under the start they had; the new one is read.
func TestGPUComesBack(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, silent(nvmltest.DGX(3, nvmltest.H200())))
	all := r.scenario.NVML.Devices
	synctest.Test(t, func(t *testing.T) {
		r.scenario.NVML.Devices = all[:2]
		r.set(1)
		r.start(t, nil)
		r.scrape(2)
		r.scenario.NVML.Devices = all[:1]
		live, _, _ := casetest.GPUTotal(r.scrape(4), "", "energy")
		assert.Equal(t, 1, live)
		r.scenario.NVML.Devices = all
		live, _, _ = casetest.GPUTotal(r.scrape(6), "", "energy")
		assert.Equal(t, 3, live)
		_, ok, _ := casetest.GPUTotal(r.last(), all[1].UUID, "status.ok")
		assert.InDelta(t, 1, ok, 0)
		live, _, _ = casetest.GPUTotal(r.scrape(7), "", "sm")
		assert.Equal(t, 3, live)
		r.stop()
	})
}

// Scenario: Xids before and after the driver is reloaded.
// Guarantees: GPUs are listened to again, and the counter goes on.
func TestXidsAcrossReload(t *testing.T) {
	if alone(t) {
		return
	}
	s := nvmltest.DGX(1, nvmltest.L40S())
	s.NVML.Init = nvmltest.Init{{UntilS: 10, Ret: "SUCCESS"}, {UntilS: 15, Ret: "DRIVER_NOT_LOADED"}, {Ret: "SUCCESS"}}
	s.Events = []nvmltest.Event{{AtS: 5, Xid: 31}, {AtS: 20, Xid: 31}, {AtS: 20, Xid: 48}}
	r := newRig(t, s)
	r.real = true
	r.start(t, nil)
	told := func(n int, want float64) {
		r.scrape(n)
		require.Eventually(t, func() bool {
			_, sum, _ := casetest.GPUTotal(r.last(), "", "xid")
			return sum == want
		}, 10*time.Second, 5*time.Millisecond)
	}
	r.awaitListening(1)
	told(2, 1)
	_, degraded, _ := casetest.GPUTotal(r.scrape(3), "", "status.degraded")
	assert.InDelta(t, 1, degraded, 0)
	r.scrape(4)
	r.awaitListening(2)
	told(5, 3)
	r.stop()
}
