package nvmltest_test

import (
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

func TestCaseNotReadyAtStart(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.Load(t, "../../tests/cases/27-nvml-not-ready-at-start/input.yaml")
	world := nvmltest.New(t, s.State(0, 0))
	world.Enter(t)
	lib := nvml.New(nvml.WithLibraryPath(nvmltest.Library(t)))
	require.Equal(t, nvml.ERROR_LIBRARY_NOT_FOUND, lib.Init())
	world.Set(s.State(30*second, 0))
	require.Equal(t, nvml.ERROR_DRIVER_NOT_LOADED, lib.Init())
	world.Set(s.State(40*second, 0))
	require.Equal(t, nvml.SUCCESS, lib.Init())
	require.Equal(t, 2, look(t, lib))
	gpu := device(t, lib, 1)
	rates, ret := gpu.GetUtilizationRates()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, nvml.Utilization{Gpu: 17, Memory: 8}, rates)
	memory, ret := gpu.GetMemoryInfo()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, nvml.Memory{Total: 85899345920, Used: 8589934592, Free: 77309411328}, memory)
	_, ret = gpu.GetMemoryInfo_v2()
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
	temperature, ret := gpu.GetTemperature(nvml.TEMPERATURE_GPU)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 41, temperature)
	clock, ret := gpu.GetClockInfo(nvml.CLOCK_MEM)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 2619, clock)
	_, ret = gpu.GetClockInfo(nvml.CLOCK_VIDEO)
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
	_, ret = gpu.GetFanSpeed()
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
}

func TestCaseCPUNode(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.Load(t, "../../tests/cases/400-cpu-node-without-a-library/input.yaml")
	world := nvmltest.New(t, s.State(0, 0))
	world.Enter(t)
	lib := nvml.New(nvml.WithLibraryPath(nvmltest.Library(t)))
	require.Equal(t, nvml.ERROR_LIBRARY_NOT_FOUND, lib.Init())
}

func TestCaseOneCallNotSupported(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, _ := load(t, nvmltest.Load(t, "../../tests/cases/28-nvml-one-call-not-supported/input.yaml"))
	gpu := device(t, lib, 0)
	_, ret := gpu.GetUtilizationRates()
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
	_, ret = gpu.GetPowerUsage()
	assert.Equal(t, nvml.ERROR_NO_PERMISSION, ret)
	_, ret = gpu.GetTotalEnergyConsumption()
	assert.Equal(t, nvml.ERROR_FUNCTION_NOT_FOUND, ret)
	_, ret = gpu.GetMemoryInfo()
	assert.Equal(t, nvml.SUCCESS, ret)
	rates, ret := device(t, lib, 1).GetUtilizationRates()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Zero(t, rates)
}

func TestCaseMIG(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, _ := load(t, nvmltest.Load(t, "../../tests/cases/31-mig-utilisation-not-available/input.yaml"))
	gpu := device(t, lib, 0)
	mode, _, ret := gpu.GetMigMode()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, 1, mode)
	for slot, want := range []uint64{8 << 30, 16 << 30} {
		m, ret := gpu.GetMigDeviceHandleByIndex(slot)
		require.Equal(t, nvml.SUCCESS, ret)
		memory, ret := m.GetMemoryInfo()
		require.Equal(t, nvml.SUCCESS, ret)
		assert.Equal(t, want, memory.Used)
		gi, _ := m.GetGpuInstanceId()
		assert.Equal(t, 1+slot, gi)
		_, ret = m.GetTemperature(nvml.TEMPERATURE_GPU)
		assert.Equal(t, nvml.ERROR_INVALID_ARGUMENT, ret)
		name, _ := m.GetName()
		assert.Equal(t, "NVIDIA H100 80GB HBM3 MIG 3g.40gb", name)
	}
	_, ret = gpu.GetMigDeviceHandleByIndex(2)
	assert.Equal(t, nvml.ERROR_NOT_FOUND, ret)
	mode, _, ret = device(t, lib, 1).GetMigMode()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Zero(t, mode)
}

func TestCaseXid(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.Load(t, "../../tests/cases/54-xid-last-error-sticky/input.yaml")
	lib, world := load(t, s)
	set, ret := lib.EventSetCreate()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, nvml.SUCCESS, device(t, lib, 0).RegisterEvents(nvml.EventTypeXidCriticalError, set))
	require.Equal(t, nvml.ERROR_NOT_SUPPORTED, device(t, lib, 1).RegisterEvents(nvml.EventTypeXidCriticalError, set))
	var xids []uint64
	for elapsed := range 60 {
		world.Set(s.State(time.Duration(elapsed)*second, 0))
		event, ret := set.Wait(2)
		if ret == nvml.SUCCESS {
			xids = append(xids, event.EventData)
		}
	}
	assert.Equal(t, []uint64{31, 31, 79}, xids)
}
