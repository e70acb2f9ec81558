package nvmltest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

const second = time.Second

func TestDriverComesAndGoes(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.DGX(2, nvmltest.H100())
	s.NVML.Init = nvmltest.Init{{UntilS: 20, Ret: "DRIVER_NOT_LOADED"}, {UntilS: 60, Ret: "SUCCESS"}, {Ret: "UNKNOWN"}}
	world := nvmltest.New(t, s.State(0, 0))
	world.Enter(t)
	lib := nvml.New(nvml.WithLibraryPath(nvmltest.Library(t)))
	require.Equal(t, nvml.ERROR_DRIVER_NOT_LOADED, lib.Init())
	world.Set(s.State(20*second, 0))
	require.Equal(t, nvml.SUCCESS, lib.Init())
	require.Equal(t, 2, look(t, lib))
	gpu := device(t, lib, 0)
	world.Set(s.State(60*second, 0))
	_, ret := lib.DeviceGetCount()
	require.Equal(t, nvml.ERROR_DRIVER_NOT_LOADED, ret)
	_, ret = gpu.GetPowerUsage()
	require.Equal(t, nvml.ERROR_DRIVER_NOT_LOADED, ret)
	require.Equal(t, nvml.SUCCESS, lib.Shutdown())
	require.Equal(t, nvml.ERROR_UNKNOWN, lib.Init())
}

func TestLostAndForbidden(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	first := 0
	s := nvmltest.DGX(3, nvmltest.H100())
	s.NVML.Devices[2].Handle = "NO_PERMISSION"
	s.Timeline = []nvmltest.Change{
		{Scrape: 1, Device: &first, AllCalls: "GPU_IS_LOST"},
		{Scrape: 2, Device: &first, Remove: true},
	}
	lib, world := load(t, s)
	_, ret := lib.DeviceGetHandleByIndex(2)
	require.Equal(t, nvml.ERROR_NO_PERMISSION, ret)
	_, ret = lib.DeviceGetHandleByIndex(3)
	require.Equal(t, nvml.ERROR_INVALID_ARGUMENT, ret)
	lost, works := device(t, lib, 0), device(t, lib, 1)
	world.Set(s.State(0, 1))
	look(t, lib)
	_, ret = lost.GetUUID()
	require.Equal(t, nvml.ERROR_GPU_IS_LOST, ret)
	require.Equal(t, nvml.ERROR_GPU_IS_LOST, lost.GetFieldValues([]nvml.FieldValue{{FieldId: 82}}))
	_, ret = works.GetPowerUsage()
	require.Equal(t, nvml.SUCCESS, ret)
	world.Set(s.State(0, 2))
	require.Equal(t, 2, look(t, lib))
}

func TestSwappedIndices(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.DGX(2, nvmltest.H100())
	s.Timeline = []nvmltest.Change{{Scrape: 1, SwapIndex: nvmltest.Swap{0, 1}}}
	lib, world := load(t, s)
	gpu := device(t, lib, 0)
	before := uuid(t, gpu)
	world.Set(s.State(0, 1))
	look(t, lib)
	assert.NotEqual(t, before, uuid(t, gpu), "handles follow the index")
	assert.Equal(t, before, uuid(t, device(t, lib, 1)))
}

func TestHandlesByUUID(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.DGX(2, nvmltest.H100())
	s.NVML.Handles = "by_uuid"
	last := 1
	s.Timeline = []nvmltest.Change{
		{Scrape: 1, SwapIndex: nvmltest.Swap{0, 1}},
		{Scrape: 2, Device: &last, Remove: true},
	}
	lib, world := load(t, s)
	gpu, other := device(t, lib, 0), device(t, lib, 1)
	before := uuid(t, gpu)
	world.Set(s.State(0, 1))
	look(t, lib)
	assert.Equal(t, before, uuid(t, gpu), "handles follow the GPU")
	assert.Equal(t, gpu, device(t, lib, 1))
	world.Set(s.State(0, 2))
	require.Equal(t, 1, look(t, lib))
	_, ret := other.GetUUID()
	assert.Equal(t, nvml.ERROR_GPU_IS_LOST, ret)
	assert.Equal(t, before, uuid(t, gpu))
}

// A call that hangs comes back when the world moves on.
func TestHungCall(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	first := 0
	s := nvmltest.DGX(2, nvmltest.H100())
	s.Timeline = []nvmltest.Change{{Scrape: 1, Device: &first, Call: "GetPowerUsage", BlockSeconds: 60}}
	lib, world := load(t, s)
	hung, works := device(t, lib, 0), device(t, lib, 1)
	world.Set(s.State(0, 1))
	look(t, lib)
	done := make(chan nvml.Return)
	for range 2 {
		go func() {
			_, ret := hung.GetPowerUsage()
			done <- ret
		}()
	}
	_, ret := works.GetPowerUsage()
	require.Equal(t, nvml.SUCCESS, ret)
	_, ret = hung.GetTotalEnergyConsumption()
	require.Equal(t, nvml.SUCCESS, ret)
	select {
	case ret := <-done:
		require.Fail(t, "the call must hang", ret)
	case <-time.After(100 * time.Millisecond):
	}
	world.Set(s.State(0, 2)) // still hangs: the same answer in another file
	time.Sleep(50 * time.Millisecond)
	world.Set(s.State(0, 0))
	require.Equal(t, nvml.SUCCESS, <-done)
	require.Equal(t, nvml.SUCCESS, <-done)
	look(t, lib)
	assert.GreaterOrEqual(t, world.Calls().InFlight(0), 2)
	assert.Equal(t, 1, world.Calls().InFlight(1))
}

func TestEvents(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	gi, ci := 3, 0
	s := nvmltest.DGX(2, nvmltest.H100())
	s.Events = []nvmltest.Event{
		{Device: 0, Xid: 13},
		{Device: 0, Xid: 31, AtS: 10, GI: &gi, CI: &ci},
		{Device: 1, Xid: 48, AtS: 10},
		{Device: 0, Xid: 31, AtS: 20},
		{Device: 0, Type: 0x2, AtS: 20},
	}
	lib, world := load(t, s)
	gpu := device(t, lib, 0)
	types, ret := gpu.GetSupportedEventTypes()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, nvmltest.DefaultEvents, types)
	set, ret := lib.EventSetCreate()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, nvml.ERROR_NOT_SUPPORTED, gpu.RegisterEvents(types|0x80, set), "one unknown type fails them all")
	require.Equal(t, nvml.SUCCESS, gpu.RegisterEvents(nvml.EventTypeXidCriticalError, set))

	began := time.Now()
	_, ret = set.Wait(150)
	require.Equal(t, nvml.ERROR_TIMEOUT, ret, "what was before is not told")
	assert.WithinDuration(t, began.Add(150*time.Millisecond), time.Now(), 100*time.Millisecond)

	time.AfterFunc(50*time.Millisecond, func() { world.Set(s.State(10*second, 0)) })
	event, ret := set.Wait(10_000)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, nvml.EventData{Device: gpu, EventType: 8, EventData: 31, GpuInstanceId: 3, ComputeInstanceId: 0}, event)
	_, ret = set.Wait(20)
	require.Equal(t, nvml.ERROR_TIMEOUT, ret, "once, and not of devices that are not registered")
	world.Set(s.State(20*second, 0))
	event, ret = set.Wait(1000)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, nvml.EventData{Device: gpu, EventType: 8, EventData: 31, GpuInstanceId: 0xFFFFFFFF, ComputeInstanceId: 0xFFFFFFFF}, event)
	_, ret = set.Wait(20)
	require.Equal(t, nvml.ERROR_TIMEOUT, ret, "a type that was not asked for")
	require.Equal(t, nvml.SUCCESS, set.Free())
	_, ret = set.Wait(0)
	require.Equal(t, nvml.ERROR_INVALID_ARGUMENT, ret)
}

func TestCalls(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, world := load(t, nvmltest.DGX(2, nvmltest.H100()))
	gpu := device(t, lib, 1)
	for range 3 {
		_, ret := gpu.GetPowerUsage()
		require.Equal(t, nvml.SUCCESS, ret)
	}
	require.Equal(t, nvml.ERROR_NO_PERMISSION, gpu.SetPersistenceMode(nvml.FEATURE_ENABLED))
	_, ret := lib.GpmSampleAlloc()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, nvml.SUCCESS, lib.Shutdown())
	calls := world.Calls()
	assert.Equal(t, 3, calls.Of("nvmlDeviceGetPowerUsage"))
	assert.Equal(t, 3, calls.On(1, "nvmlDeviceGetPowerUsage"))
	assert.Zero(t, calls.On(0, "nvmlDeviceGetPowerUsage"))
	assert.Zero(t, calls.OpenInits())
	assert.Equal(t, map[string]int{"nvmlDeviceSetPersistenceMode": 1, "shutdown_with_gpm_samples": 1}, calls.Violations())
}

// Readers and the writer do not disturb each other.
func TestConcurrentRewrites(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.DGX(4, nvmltest.H100())
	lib, world := load(t, s)
	var wg sync.WaitGroup
	for i := range 4 {
		gpu := device(t, lib, i)
		wg.Go(func() {
			for range 2000 {
				_, ret := gpu.GetPowerUsage()
				assert.Equal(t, nvml.SUCCESS, ret)
				assert.Equal(t, nvml.SUCCESS, gpu.GetFieldValues([]nvml.FieldValue{{FieldId: 82}, {FieldId: 138, ScopeId: 3}}))
			}
		})
	}
	for range 50 {
		world.Set(s.State(0, 0))
		look(t, lib)
	}
	wg.Wait()
}

func BenchmarkCall(b *testing.B) {
	lib, _ := load(b, nvmltest.DGX(8, nvmltest.H200()))
	gpu := device(b, lib, 7)
	for b.Loop() {
		_, _ = gpu.GetPowerUsage()
	}
}
