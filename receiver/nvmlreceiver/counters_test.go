//go:build linux && cgo

package nvmlreceiver

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// Scenario: a counter that the driver keeps in 32 bits passes 2^32.
// Guarantees: it goes on where it was, with the start it had.
func TestCounterWraps(t *testing.T) {
	if alone(t) {
		return
	}
	s := silent(nvmltest.DGX(1, nvmltest.L40S()))
	replays := func(n uint32) nvmltest.Field { return nvmltest.Field{ID: 94, Type: "uint", Value: n} }
	s.NVML.Devices[0].SetField(replays(4_294_967_290))
	r := newRig(t, s)
	synctest.Test(t, func(t *testing.T) {
		r.start(t, nil)
		before := startOf(r.scrape(2), "nvidia.gpu.pcie.replays")
		r.scenario.NVML.Devices[0].SetField(replays(4))
		_, got, _ := casetest.GPUTotal(r.scrape(3), "", "replays")
		assert.InDelta(t, 1<<32+4, got, 0)
		assert.Equal(t, before, startOf(r.last(), "nvidia.gpu.pcie.replays"))

		// From the lower half it can be no wrap.
		r.scenario.NVML.Devices[0].SetField(replays(1))
		_, got, _ = casetest.GPUTotal(r.scrape(4), "", "replays")
		assert.InDelta(t, 1, got, 0)
		assert.Equal(t, before+pcommon.Timestamp(15*time.Second), startOf(r.last(), "nvidia.gpu.pcie.replays"))
		r.stop()
	})
}

// startOf is the start of a counter that has one point.
func startOf(m pmetric.Metrics, name string) pcommon.Timestamp {
	for _, rm := range m.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, metric := range sm.Metrics().All() {
				if metric.Name() == name {
					return metric.Sum().DataPoints().At(0).StartTimestamp()
				}
			}
		}
	}
	return 0
}
