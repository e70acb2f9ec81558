//go:build linux && cgo

package gonvml

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// shared is a core on a mock that counts, with as many users as asked for.
type shared struct {
	api              *mock.Interface
	gpu              *mock.Device
	inits, shutdowns int
	initRet          nvml.Return
}

func newShared(users int) (*shared, []*library) {
	s := &shared{gpu: &mock.Device{GetPowerUsageFunc: give(uint32(5), nvml.SUCCESS)}}
	s.api = newAPI(s.gpu)
	s.api.InitFunc = func() nvml.Return {
		if s.initRet == nvml.SUCCESS {
			s.inits++
		}
		return s.initRet
	}
	s.api.ShutdownFunc = func() nvml.Return {
		s.shutdowns++
		return nvml.SUCCESS
	}
	c := newCore(s.api, nil)
	libs := make([]*library, users)
	for i := range libs {
		libs[i] = &library{core: c}
	}
	return s, libs
}

func power(d driver.Device) driver.Return {
	_, ret := d.Power()
	return ret
}

func TestUsersShareOneInitialisation(t *testing.T) {
	s, libs := newShared(2)
	a, b := libs[0], libs[1]
	_, ret := a.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret)
	assert.Equal(t, driver.Uninitialized, a.Shutdown())

	require.Equal(t, driver.Success, a.Init())
	_, ret = b.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret, "b did not call Init")
	require.Equal(t, driver.Success, b.Init())
	assert.Equal(t, 1, s.inits)
	gpu := gpuOf(t, a)
	assert.True(t, same(gpu, gpuOf(t, b)))

	assert.Equal(t, driver.Success, a.Shutdown())
	assert.Zero(t, s.shutdowns)
	assert.Equal(t, driver.Success, power(gpu))
	_, ret = a.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret)
	assert.Equal(t, driver.Success, b.Shutdown())
	assert.Equal(t, 1, s.shutdowns)
	assert.Equal(t, driver.Uninitialized, power(gpu))
}

func TestInitIsRetried(t *testing.T) {
	s, libs := newShared(1)
	s.initRet = nvml.ERROR_DRIVER_NOT_LOADED
	assert.Equal(t, driver.DriverNotLoaded, libs[0].Init())
	assert.Equal(t, driver.DriverNotLoaded, libs[0].Init())
	s.initRet = nvml.SUCCESS
	assert.Equal(t, driver.Success, libs[0].Init())
	assert.Equal(t, driver.Success, libs[0].Shutdown())
	assert.Equal(t, 1, s.inits)
	assert.Equal(t, 1, s.shutdowns)

	s.api.InitFunc = func() nvml.Return { panic("broken") }
	assert.Equal(t, driver.CallPanicked, libs[0].Init())
}

func TestStartingAnew(t *testing.T) {
	s, libs := newShared(2)
	a, b := libs[0], libs[1]
	require.Equal(t, driver.Success, a.Init())
	require.Equal(t, driver.Success, b.Init())
	gpuA, gpuB := gpuOf(t, a), gpuOf(t, b)

	// The driver goes: a finds it broken first and cannot start anew.
	s.initRet = nvml.ERROR_DRIVER_NOT_LOADED
	assert.Equal(t, driver.DriverNotLoaded, a.Init())
	assert.Equal(t, 1, s.shutdowns)
	assert.Equal(t, driver.Uninitialized, power(gpuA))
	assert.Equal(t, driver.Uninitialized, power(gpuB))
	assert.Equal(t, driver.DriverNotLoaded, b.Init())

	// It returns: one initialises and the other joins.
	s.initRet = nvml.SUCCESS
	require.Equal(t, driver.Success, b.Init())
	assert.Equal(t, 2, s.inits)
	assert.Equal(t, driver.Uninitialized, power(gpuB), "stale")
	assert.Equal(t, driver.Success, power(gpuOf(t, b)))
	_, ret := a.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret)
	require.Equal(t, driver.Success, a.Init())
	assert.Equal(t, 2, s.inits)
	assert.Equal(t, driver.Success, power(gpuOf(t, a)))

	// b starts anew under a, which did not notice anything yet.
	require.Equal(t, driver.Success, b.Init())
	assert.Equal(t, 3, s.inits)
	_, ret = a.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret)
	require.Equal(t, driver.Success, a.Init())
	assert.Equal(t, 3, s.inits)

	Release(a)
	Release(b)
	Release(b)
	assert.Equal(t, 3, s.shutdowns)
}

// hang makes the GPU's power hang in a goroutine until the returned function is called.
func hang(s *shared, gpu driver.Device) (end func()) {
	release, ended := make(chan struct{}), make(chan struct{})
	s.gpu.GetPowerUsageFunc = func() (uint32, nvml.Return) {
		<-release
		return 5, nvml.SUCCESS
	}
	go func() {
		defer close(ended)
		_, _ = gpu.Power()
	}()
	synctest.Wait()
	return func() {
		close(release)
		<-ended
	}
}

func TestShutdownWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, libs := newShared(1)
		require.Equal(t, driver.Success, libs[0].Init())
		end := hang(s, gpuOf(t, libs[0]))
		time.AfterFunc(time.Second, end)
		begin := time.Now()
		assert.Equal(t, driver.Success, libs[0].Shutdown())
		assert.Equal(t, time.Second, time.Since(begin))
		assert.Equal(t, 1, s.shutdowns)
	})
}

func TestShutdownUnderACallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, libs := newShared(2)
		a, b := libs[0], libs[1]
		require.Equal(t, driver.Success, a.Init())
		gpu := gpuOf(t, a)
		end := hang(s, gpu)
		begin := time.Now()
		assert.Equal(t, driver.InUse, a.Shutdown())
		assert.Equal(t, drainPatience, time.Since(begin))
		assert.Zero(t, s.shutdowns)
		assert.Equal(t, driver.Uninitialized, power(gpu))

		require.Equal(t, driver.Success, b.Init())
		assert.Equal(t, driver.Uninitialized, power(gpu), "of the past")
		end()
		assert.Equal(t, driver.Success, b.Shutdown())
		assert.Equal(t, 2, s.inits)
		assert.Equal(t, 2, s.shutdowns, "what was left open is closed too")
	})
}

func TestStartingAnewUnderACallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, libs := newShared(2)
		a, b := libs[0], libs[1]
		require.Equal(t, driver.Success, a.Init())
		require.Equal(t, driver.Success, b.Init())
		gpu := gpuOf(t, a)
		end := hang(s, gpu)

		renewed := make(chan driver.Return)
		go func() { renewed <- a.Init() }()
		synctest.Wait()
		_, ret := b.DeviceCount()
		assert.Equal(t, driver.NotReady, ret, "turned away for now, which is nothing to start anew for")
		assert.Equal(t, driver.Success, <-renewed)
		assert.Equal(t, 2, s.inits)
		assert.Zero(t, s.shutdowns)
		assert.True(t, same(gpu, gpuOf(t, b)), "nothing is stale")

		end()
		assert.Equal(t, driver.Success, power(gpu))
		assert.Equal(t, driver.Success, a.Shutdown())
		assert.Equal(t, driver.Success, b.Shutdown())
		assert.Equal(t, 2, s.shutdowns)
	})
}

func TestReleaseDuringAnInitThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, libs := newShared(1)
		release, ended := make(chan struct{}), make(chan driver.Return)
		s.api.InitFunc = func() nvml.Return {
			<-release
			s.inits++
			return nvml.SUCCESS
		}
		go func() { ended <- libs[0].Init() }()
		synctest.Wait()
		begin := time.Now()
		Release(libs[0])
		assert.Zero(t, time.Since(begin))
		close(release)
		assert.Equal(t, driver.Uninitialized, <-ended)
		assert.Equal(t, 1, s.inits)
		assert.Equal(t, 1, s.shutdowns)
	})
}

func TestShutdownThatFails(t *testing.T) {
	s, libs := newShared(1)
	require.Equal(t, driver.Success, libs[0].Init())
	s.api.ShutdownFunc = func() nvml.Return { return nvml.ERROR_UNKNOWN }
	assert.Equal(t, driver.Unknown, libs[0].Shutdown())
	require.Equal(t, driver.Success, libs[0].Init())
	s.api.ShutdownFunc = func() nvml.Return { return nvml.ERROR_UNINITIALIZED }
	assert.Equal(t, driver.Success, libs[0].Shutdown())
	assert.Zero(t, libs[0].core.inits)

	lib := New(newAPI(&mock.Device{}, "nvmlShutdown"))
	require.Equal(t, driver.Success, lib.Init())
	assert.Equal(t, driver.FunctionNotFound, lib.Shutdown())
}

// Whatever users do at the same time, NVML is never shut down under a call, never called
// while shut down, and left as it was found.
func TestUsersAtOnce(t *testing.T) {
	var open, running, violations atomic.Int64
	gpu := &mock.Device{}
	api := newAPI(gpu)
	api.InitFunc = func() nvml.Return {
		open.Add(1)
		return nvml.SUCCESS
	}
	api.ShutdownFunc = func() nvml.Return {
		if open.Add(-1); running.Load() != 0 {
			violations.Add(1)
		}
		return nvml.SUCCESS
	}
	gpu.GetPowerUsageFunc = func() (uint32, nvml.Return) {
		running.Add(1)
		defer running.Add(-1)
		if open.Load() == 0 {
			violations.Add(1)
		}
		return 5, nvml.SUCCESS
	}
	c := newCore(api, nil)
	var users sync.WaitGroup
	for n := range 8 {
		users.Go(func() {
			lib := &library{core: c}
			for round := range 50 {
				if lib.Init() != driver.Success {
					violations.Add(1)
				}
				for range 5 {
					if d, ret := lib.Device(0); ret == driver.Success {
						_ = power(d)
					}
				}
				if (n+round)%3 == 0 {
					_ = lib.Init()
				}
				_ = lib.Versions()
				_ = lib.Shutdown()
			}
			Release(lib)
		})
	}
	users.Wait()
	assert.Zero(t, violations.Load())
	assert.Zero(t, open.Load())
}

func TestAcquire(t *testing.T) {
	first, ret := Acquire("/does/not/exist.so")
	require.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.LibraryNotFound, first.Init())
	second, ret := Acquire("/does/not/exist.so")
	require.Equal(t, driver.Success, ret)
	_, ret = Acquire("")
	assert.Equal(t, driver.OtherLibraryInUse, ret)
	Release(first)
	Release(first)
	_, ret = Acquire("")
	assert.Equal(t, driver.OtherLibraryInUse, ret, "second still uses it")
	Release(second)

	// Nothing was loaded, so another path may be tried.
	third, ret := Acquire("")
	require.Equal(t, driver.Success, ret)
	fourth, ret := Acquire(defaultPath)
	require.Equal(t, driver.Success, ret)
	Release(third)
	Release(fourth)
	Release(nil)
}
