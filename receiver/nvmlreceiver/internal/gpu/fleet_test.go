package gpu

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadatatest"
)

const (
	uuidA = "GPU-aaaaaaaa-0000-0000-0000-000000000000"
	uuidB = "GPU-bbbbbbbb-0000-0000-0000-000000000000"
)

// every scrapes each interval for a time, and gives what comes.
func (r *rig) every(d time.Duration, yield func(elapsed time.Duration, out pmetric.Metrics)) {
	start := time.Now()
	for time.Since(start) < d {
		out := r.Scrape(r.t.Context())
		yield(time.Since(start), out)
		time.Sleep(5 * time.Second)
	}
}

func (r *rig) scrapes(n int) pmetric.Metrics {
	var last pmetric.Metrics
	for range n {
		last = r.Scrape(r.t.Context())
		time.Sleep(5 * time.Second)
	}
	return last
}

// A driver that is installed while the collector runs shows within 30 s; the log says once
// per cause why there is nothing.
func TestDriverAppears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := &fakeLibrary{init: driver.LibraryNotFound, devices: []*fakeDevice{watts(uuidA, 300_000), watts(uuidB, 301_000)}}
		r := newRig(t, lib)
		defer r.close()
		first := time.Duration(0)
		r.every(2*time.Minute, func(elapsed time.Duration, out pmetric.Metrics) {
			switch {
			case elapsed >= 40*time.Second:
				lib.init = driver.Success
			case elapsed >= 20*time.Second:
				lib.init = driver.DriverNotLoaded
			}
			if _, ok := point(out, "hw.power", "hw.id", uuidA); ok && first == 0 {
				first = elapsed
			}
			if elapsed < 40*time.Second {
				assert.Zero(t, out.DataPointCount())
			}
		})
		assert.Greater(t, first, 40*time.Second)
		assert.LessOrEqual(t, first, 71*time.Second)
		lines := r.lines()
		require.Len(t, lines, 6, "%v", lines)
		assert.Contains(t, lines[0], "LIBRARY_NOT_FOUND")
		assert.Contains(t, lines[0], "NVIDIA_DRIVER_CAPABILITIES=utility")
		assert.Contains(t, lines[1], "DRIVER_NOT_LOADED")
		assert.Contains(t, strings.Join(lines[2:], "\n"), "GPU driver connected")
		// What the fake does not have is told once: no events, and the calls of each GPU.
		assert.Equal(t, 2, strings.Count(strings.Join(lines, "\n"), "does not tell everything"))
	})
}

func TestNoDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := &fakeLibrary{init: driver.LibraryNotFound}
		r := newRig(t, lib)
		defer r.close()
		r.every(time.Hour, func(_ time.Duration, out pmetric.Metrics) { assert.Zero(t, out.DataPointCount()) })
		assert.Len(t, r.lines(), 1)
		assert.Less(t, lib.inits, 130, "it is tried with back-off")
		assert.Greater(t, lib.inits, 100, "it is tried at least each 35 s")
	})
}

// A driver that goes away under the collector is reached anew; nothing old is shown.
func TestDriverReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := watts(uuidA, 300_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a}}
		r := newRig(t, lib)
		defer r.close()
		value(t, r.scrapes(2), "hw.power")

		lib.count, lib.init = driver.Uninitialized, driver.DriverNotLoaded
		out := r.scrapes(2)
		absent(t, out, "hw.power")
		assert.Equal(t, "degraded", status(t, out, uuidA))

		lib.count, lib.init = driver.Success, driver.Success
		out = r.scrapes(4)
		assert.InDelta(t, 300, value(t, out, "hw.power"), 0)
		assert.Equal(t, "ok", status(t, out, uuidA))
	})
}

// One GPU of two is lost: it is failed, the other goes on, and the library is initialised
// anew from time to time to see it come back.
func TestLostGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}}
		r := newRig(t, lib)
		defer r.close()
		r.scrapes(2)
		r.lines()

		works := a.power
		a.power = func() (uint32, driver.Return) { return 0, driver.GPULost }
		out := r.Scrape(t.Context())
		assert.Equal(t, "failed", status(t, out, uuidA))
		assert.Equal(t, "ok", status(t, out, uuidB))
		absent(t, out, "hw.power", "hw.id", uuidA)
		assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
		assert.Equal(t, []string{"hw.power"}, markers(out), "its last power does not stay")

		// Its handle can no longer be had.
		a.open = driver.GPULost
		assert.ElementsMatch(t, []string{"nvidia.gpu.info", "nvidia.gpu.index"}, markers(r.Scrape(t.Context())))
		r.every(10*time.Minute, func(_ time.Duration, out pmetric.Metrics) {
			assert.Equal(t, "failed", status(t, out, uuidA))
			assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
			assert.Empty(t, markers(out))
		})
		assert.Greater(t, lib.inits, 4)
		assert.Less(t, lib.inits, 12)
		lines := r.lines()
		require.Len(t, lines, 1, "its index still says why: %v", lines)
		assert.Contains(t, lines[0], "GPU is lost")

		a.power, a.open = works, driver.Success
		out = r.scrapes(70)
		assert.Equal(t, "ok", status(t, out, uuidA))
		assert.InDelta(t, 300, value(t, out, "hw.power", "hw.id", uuidA), 0)
		assert.Equal(t, []string{"GPU answers again"}, r.lines())
	})
}

// markers are the metrics with series that ended.
func markers(out pmetric.Metrics) []string {
	var names []string
	each(out, func(m pmetric.Metric, p pmetric.NumberDataPoint) {
		if p.Flags().NoRecordedValue() {
			names = append(names, m.Name())
		}
	})
	return names
}

func TestResetRequired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := &fakeLibrary{devices: []*fakeDevice{{uuid: uuidA, power: func() (uint32, driver.Return) { return 0, driver.ResetRequired }}}}
		r := newRig(t, lib)
		defer r.close()
		assert.Equal(t, "failed", status(t, r.scrapes(1), uuidA))
		assert.Contains(t, strings.Join(r.lines(), "\n"), "nvidia-smi --gpu-reset")
	})
}

// A GPU that the driver no longer shows has failed, and is not silent.
func TestMissingGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}}
		r := newRig(t, lib)
		defer r.close()
		r.scrapes(1)
		lib.devices = []*fakeDevice{b}
		out := r.scrapes(3)
		assert.Equal(t, "failed", status(t, out, uuidA))
		assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
		assert.InDelta(t, 0, value(t, out, "nvidia.gpu.index", "hw.id", uuidB), 0)

		// The last one goes as well, and then the driver.
		lib.devices = nil
		assert.Equal(t, "failed", status(t, r.scrapes(2), uuidB))
		lib.init = driver.DriverNotLoaded
		assert.Equal(t, "failed", status(t, r.scrapes(3), uuidB))
	})
}

// A hung call costs the GPU that it is for, and one goroutine, not one per scrape.
func TestHungCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hang gate
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		works := a.power
		a.power = func() (uint32, driver.Return) { hang.pass(); return works() }
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}}
		r := newRig(t, lib)
		r.scrapes(1)
		r.lines()
		release := hang.hold()
		start := time.Now()
		out := r.Scrape(t.Context())
		assert.Equal(t, 4*time.Second, time.Since(start), "the timeout")
		for range 10 {
			assert.Equal(t, "degraded", status(t, out, uuidA))
			absent(t, out, "hw.power", "hw.id", uuidA)
			assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
			time.Sleep(5 * time.Second)
			start = time.Now()
			out = r.Scrape(t.Context())
			assert.Zero(t, time.Since(start), "it is not waited for again")
		}
		assert.Equal(t, 2, a.askedFor("power"))
		metadatatest.AssertEqualReceiverNvmlUnreadGpus(t, r.tel, sumOf(11), ignoreTime()...)
		lines := r.lines()
		require.Len(t, lines, 1, "%v", lines)
		assert.Contains(t, lines[0], "does not answer within the timeout")

		release()
		synctest.Wait()
		out = r.scrapes(2)
		assert.Equal(t, "ok", status(t, out, uuidA))
		assert.Equal(t, []string{"GPU answers again"}, r.lines())
		r.close()
	})
}

// A GPU whose handle cannot be had, since the driver hangs on it, costs the others nothing.
func TestHungEnumeration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}}
		r := newRig(t, lib)
		r.scrapes(1)
		r.lines()
		release := a.hangOpen.hold()
		for range 5 {
			out := r.scrapes(1)
			assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
			assert.Equal(t, "degraded", status(t, out, uuidA))
		}
		lines := r.lines()
		require.NotEmpty(t, lines)
		assert.Contains(t, lines[0], "does not return from nvmlDeviceGetHandleByIndex")
		assert.Equal(t, 1, lib.inits)
		release()
		synctest.Wait()
		out := r.scrapes(2)
		assert.Equal(t, "ok", status(t, out, uuidA))
		r.close()
	})
}

// A container that loses its devices does not make its GPUs failed.
func TestDevicesClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := watts(uuidA, 300_000)
		r := newRig(t, &fakeLibrary{devices: []*fakeDevice{a}})
		defer r.close()
		r.scrapes(1)
		r.lines()
		a.open = driver.Unknown
		out := r.scrapes(2)
		assert.Equal(t, "degraded", status(t, out, uuidA))
		lines := strings.Join(r.lines(), "\n")
		assert.Contains(t, lines, "daemon-reload")
		assert.NotContains(t, lines, "gone")
		a.open = driver.Success
		assert.Equal(t, "ok", status(t, r.scrapes(3), uuidA))
	})
}

// The same from the first scrape on.
func TestHungFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		release := a.hangOpen.hold()
		r := newRig(t, &fakeLibrary{devices: []*fakeDevice{a, b}})
		out := r.scrapes(2)
		assert.InDelta(t, 301, value(t, out, "hw.power"), 0)
		release()
		synctest.Wait()
		assert.InDelta(t, 300, value(t, r.scrapes(2), "hw.power", "hw.id", uuidA), 0)
		r.close()
	})
}

// Close returns although a call hangs, and says so; the library is not shut down under it.
func TestCloseWhileHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan struct{})
		lib := &fakeLibrary{devices: []*fakeDevice{{uuid: uuidA, power: func() (uint32, driver.Return) { <-hung; return 0, driver.Success }}}}
		r := newRig(t, lib)
		r.Scrape(t.Context())
		require.ErrorContains(t, r.Close(t.Context()), "did not return")
		assert.Zero(t, lib.shutdowns)
		require.NoError(t, r.Close(t.Context()), "once is enough")
		assert.Zero(t, r.Scrape(t.Context()).DataPointCount())
		close(hung)
		require.NoError(t, r.tel.Shutdown(t.Context()))
	})
}

// Indices move; series do not.
func TestIndicesMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}}
		r := newRig(t, lib)
		defer r.close()
		r.scrapes(1)
		lib.devices = []*fakeDevice{b, a}
		out := r.scrapes(1)
		assert.InDelta(t, 300, value(t, out, "hw.power", "hw.id", uuidA), 0)
		assert.InDelta(t, 1, value(t, out, "nvidia.gpu.index", "hw.id", uuidA), 0)
		assert.Empty(t, markers(out))
	})
}

// A driver that names its GPU anew each time makes no series without end.
func TestIdentitiesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := watts(uuidA, 300_000)
		r := newRig(t, &fakeLibrary{devices: []*fakeDevice{a}})
		defer r.close()
		for i := range maxGPUs + 50 {
			a.uuid = fmt.Sprintf("GPU-%d", i)
			r.Scrape(t.Context())
			time.Sleep(5 * time.Second)
		}
		assert.Len(t, r.order, maxGPUs)
	})
}

// A GPU that may not be opened is named once; the others are read.
func TestNoPermission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := &fakeLibrary{devices: []*fakeDevice{{open: driver.NoPermission}, watts(uuidB, 301_000)}}
		r := newRig(t, lib)
		defer r.close()
		out := r.scrapes(5)
		assert.InDelta(t, 301, value(t, out, "hw.power"), 0)
		denied := 0
		for _, line := range r.lines() {
			if strings.Contains(line, "GPU 0 cannot be opened: NO_PERMISSION") {
				denied++
			}
		}
		assert.Equal(t, 1, denied)
	})
}

// Scenario: a GPU answers after each new initialisation, and is lost again 10 s later.
// Guarantees: NVML is initialised anew ever less often, as for a GPU that stays lost.
func TestGPUIsLostAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := watts(uuidA, 300_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, watts(uuidB, 301_000)}}
		works, since, inits := a.power, time.Now(), 0
		a.power = func() (uint32, driver.Return) {
			if lib.inits != inits {
				inits, since = lib.inits, time.Now()
			}
			if time.Since(since) >= 10*time.Second {
				return 0, driver.GPULost
			}
			return works()
		}
		r := newRig(t, lib)
		defer r.close()
		r.scrapes(12 * 60)
		assert.LessOrEqual(t, lib.inits, 20)
		assert.GreaterOrEqual(t, lib.inits, 12, "at the latest every 5 min")
	})
}

// Scenario: waiting for events hangs, and so it does when a GPU is lost and when all ends.
// Guarantees: the other GPU is read in each scrape; the end is not waited for for ever.
func TestHungWaitForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}, events: make(chan driver.Event), hangWait: &gate{}}
		open := lib.hangWait.hold()
		r := newRig(t, lib)
		r.scrapes(1)
		a.power = func() (uint32, driver.Return) { return 0, driver.GPULost }
		r.every(time.Minute, func(_ time.Duration, out pmetric.Metrics) {
			assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
			assert.Equal(t, "ok", status(t, out, uuidB))
			assert.Equal(t, "failed", status(t, out, uuidA))
		})
		began := time.Now()
		require.Error(t, r.Close(t.Context()))
		assert.Equal(t, 4*time.Second, time.Since(began))
		open()
		time.Sleep(time.Second)
		require.NoError(t, r.tel.Shutdown(t.Context()))
	})
}

// Scenario: a GPU hangs when it is asked for its events.
// Guarantees: it is asked for nothing else meanwhile, and the other is read.
func TestHungBeforeEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 300_000), watts(uuidB, 301_000)
		open := a.hangTell.hold()
		r := newRig(t, &fakeLibrary{devices: []*fakeDevice{a, b}, events: make(chan driver.Event)})
		defer r.close()
		r.every(30*time.Second, func(elapsed time.Duration, out pmetric.Metrics) {
			assert.InDelta(t, 301, value(t, out, "hw.power", "hw.id", uuidB), 0)
			assert.Equal(t, "degraded", status(t, out, uuidA))
			assert.LessOrEqual(t, elapsed%(5*time.Second), 2*time.Second)
		})
		assert.Zero(t, a.askedFor("power"))
		assert.Zero(t, a.askedFor("memory"))
		open()
		synctest.Wait()
		assert.InDelta(t, 300, value(t, r.scrapes(1), "hw.power", "hw.id", uuidA), 0)
	})
}
