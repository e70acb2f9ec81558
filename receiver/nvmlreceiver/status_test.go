//go:build linux && cgo

package nvmlreceiver

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// Scenario: a driver of another version than its library is put right; later a GPU is lost and
// comes back.
// Guarantees: status is told when it changes and not at each scrape.
func TestComponentStatus(t *testing.T) {
	if alone(t) {
		return
	}
	first := 0
	s := silent(nvmltest.DGX(2, nvmltest.H200()))
	s.NVML.Init = nvmltest.Init{{UntilS: 20, Ret: "LIB_RM_VERSION_MISMATCH"}, {Ret: "SUCCESS"}}
	s.Timeline = []nvmltest.Change{
		{Scrape: 20, Device: &first, AllCalls: "GPU_IS_LOST"},
		{Scrape: 30, Device: &first, AllCalls: "SUCCESS"},
	}
	r := newRig(t, s)
	synctest.Test(t, func(t *testing.T) {
		r.start(t, nil)
		r.scrape(4)
		assert.Equal(t, []string{"StatusRecoverableError: GPU driver: LIB_RM_VERSION_MISMATCH"}, r.host.told())
		r.scrape(19)
		assert.Equal(t, []string{"StatusOK"}, r.host.told())
		r.scrape(29)
		assert.Equal(t, []string{"StatusRecoverableError: 1 GPUs lost or not answering"}, r.host.told())
		r.scrape(90)
		assert.Equal(t, []string{"StatusOK"}, r.host.told())
		r.stop()
		assert.Empty(t, r.host.told())
	})
}

// Scenario: a node without a GPU, or whose driver shows none.
// Guarantees: that is no error.
func TestNoStatusWithoutGPUs(t *testing.T) {
	without := nvmltest.Machine()
	without.NVML.Init = nvmltest.Init{{Ret: "LIBRARY_NOT_FOUND"}}
	for name, s := range map[string]nvmltest.Scenario{"no library": without, "no GPU": nvmltest.Machine()} {
		t.Run(name, func(t *testing.T) {
			if alone(t) {
				return
			}
			r := newRig(t, s)
			synctest.Test(t, func(t *testing.T) {
				r.start(t, nil)
				r.scrape(100)
				assert.Empty(t, r.host.told())
				r.stop()
			})
		})
	}
}
