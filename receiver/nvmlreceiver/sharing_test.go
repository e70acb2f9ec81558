//go:build linux && cgo

package nvmlreceiver

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// Scenario: metrics and logs of one receiver id.
// Guarantees: one fleet, one connection, one call of each kind per scrape.
func TestSignalsShareAFleet(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, silent(nvmltest.DGX(2, nvmltest.H200())))
	synctest.Test(t, func(t *testing.T) {
		r.start(t, nil)
		r.startLogs(r.logs)
		assert.Equal(t, 1, stations.Len())
		live, _, _ := casetest.GPUTotal(r.scrape(5), "", "power")
		assert.Equal(t, 2, live)

		// One of them goes; the other works on.
		require.NoError(t, r.running[1].Shutdown(t.Context()))
		r.running = r.running[:1]
		live, _, _ = casetest.GPUTotal(r.scrape(6), "", "power")
		assert.Equal(t, 2, live)
		r.stop()
		assert.Equal(t, 1, r.world.Calls().Of("nvmlInit_v2"))
		// One more may be of the logs receiver, which does not wait for the metrics to begin.
		assert.InDelta(t, 6.5, r.world.Calls().On(0, "nvmlDeviceGetPowerUsage"), 0.5)
	})
}

// Scenario: two receiver ids, as for two intervals.
// Guarantees: each has its own metrics, and both one library.
func TestReceiversShareTheLibrary(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, silent(nvmltest.DGX(2, nvmltest.H200())))
	synctest.Test(t, func(t *testing.T) {
		r.start(t, nil)
		other := *r.cfg
		other.CollectionInterval = time.Minute
		r.cfg = &other
		r.startMetrics()
		assert.Equal(t, 2, stations.Len())
		time.Sleep(10 * time.Second)
		for _, out := range r.sink.AllMetrics()[:2] {
			live, _, _ := casetest.GPUTotal(out, "", "power")
			assert.Equal(t, 2, live)
		}
		require.NoError(t, r.running[0].Shutdown(t.Context()))
		r.running = r.running[1:]
		before := len(r.sink.AllMetrics())
		time.Sleep(time.Minute)
		live, _, _ := casetest.GPUTotal(r.last(), "", "power")
		assert.Equal(t, 2, live, "the other's shutdown takes nothing away")
		assert.Len(t, r.sink.AllMetrics(), before+1)
		r.sink.Reset() // two receivers have the same series
		r.stop()
		assert.Equal(t, 1, r.world.Calls().Of("nvmlInit_v2"))
	})
}

// Scenario: two receivers with different libraries.
// Guarantees: the second has no GPUs and says why; the first is not disturbed.
func TestAnotherLibraryPath(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, silent(nvmltest.DGX(1, nvmltest.H200())))
	second := nvmltest.Library(t)
	synctest.Test(t, func(t *testing.T) {
		r.start(t, nil)
		r.scrape(1)
		other := *r.cfg
		other.LibraryPath = second
		r.cfg = &other
		r.startMetrics()
		time.Sleep(20 * time.Second)
		lines := strings.Join(r.lines(), "\n")
		assert.Equal(t, 1, strings.Count(lines, "use one path for all"), lines)
		assert.Equal(t, []string{"StatusRecoverableError: GPU driver: OTHER_LIBRARY_IN_USE"}, r.host.told())
		live := 0
		for _, out := range r.sink.AllMetrics() {
			n, _, _ := casetest.GPUTotal(out, "", "power")
			live += n
		}
		assert.Greater(t, live, 3)
		r.stop()
	})
}

// Scenario: the collector reloads its configuration, twice.
// Guarantees: each start finds the GPUs; nothing is left of the ones before.
func TestReload(t *testing.T) {
	if alone(t) {
		return
	}
	r := newRig(t, silent(nvmltest.DGX(2, nvmltest.WithMIG(nvmltest.H200(), "3g.71gb", 2))))
	synctest.Test(t, func(t *testing.T) {
		for range 3 {
			r.start(t, nil)
			r.startLogs(r.logs)
			live, _, _ := casetest.GPUTotal(r.scrape(3), "", "sm")
			assert.NotZero(t, live)
			r.stop()
		}
		assert.Equal(t, 3, r.world.Calls().Of("nvmlShutdown"))
	})
}

// Scenario: library_path names no file, or a file that is no NVML.
// Guarantees: the collector runs; one line says what is wrong. Only the second is an error.
func TestUnusableLibrary(t *testing.T) {
	for name, test := range map[string]struct {
		line, status string
		path         func(t *testing.T) string
	}{
		"missing": {"LIBRARY_NOT_FOUND", "", func(t *testing.T) string {
			t.Helper()
			return filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
		}},
		"stub": {"LIBRARY_UNUSABLE", "StatusRecoverableError: GPU driver: LIBRARY_UNUSABLE", func(t *testing.T) string {
			t.Helper()
			return nvmltest.Library(t, "nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if alone(t) {
				return
			}
			r := newRig(t, silent(nvmltest.DGX(1, nvmltest.H200())))
			r.library = test.path(t)
			synctest.Test(t, func(t *testing.T) {
				r.start(t, nil)
				r.startLogs(r.logs)
				assert.Zero(t, r.scrape(50).DataPointCount())
				lines := r.lines()
				require.Len(t, lines, 1)
				assert.Contains(t, lines[0], test.line)
				assert.Equal(t, test.status, strings.Join(r.host.told(), ", "))
				r.shutDown()
			})
		})
	}
}
