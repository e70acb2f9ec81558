package nvmltest_test

import (
	"encoding/binary"
	"math"
	"testing"
	"unsafe"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// load loads the fake and connects to its driver.
func load(t testing.TB, s nvmltest.Scenario) (nvml.Interface, *nvmltest.World) {
	t.Helper()
	world := nvmltest.New(t, s.State(0, 0))
	world.Enter(t)
	lib := nvml.New(nvml.WithLibraryPath(nvmltest.Library(t, s.NVML.MissingSymbols...)))
	require.Equal(t, nvml.SUCCESS, lib.Init())
	t.Cleanup(func() { _ = lib.Shutdown() })
	return lib, world
}

func device(t testing.TB, lib nvml.Interface, index int) nvml.Device {
	t.Helper()
	d, ret := lib.DeviceGetHandleByIndex(index)
	require.Equal(t, nvml.SUCCESS, ret)
	return d
}

// look makes the fake look at its state.
func look(t testing.TB, lib nvml.Interface) int {
	t.Helper()
	n, ret := lib.DeviceGetCount()
	require.Equal(t, nvml.SUCCESS, ret)
	return n
}

func uuid(t testing.TB, d nvml.Device) string {
	t.Helper()
	id, ret := d.GetUUID()
	require.Equal(t, nvml.SUCCESS, ret)
	return id
}

// The fake and the binding are compiled against the same header, and these sizes are those
// of the driver.
func TestStructSizes(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 40, unsafe.Sizeof(nvml.FieldValue{}))
	assert.EqualValues(t, 40, unsafe.Sizeof(nvml.GpmMetric{}))
	assert.EqualValues(t, 24, unsafe.Sizeof(nvml.ProcessInfo{}))
	assert.EqualValues(t, 40, unsafe.Sizeof(nvml.Memory_v2{}))
}

func TestMissingSymbols(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	s := nvmltest.DGX(1, nvmltest.H200())
	s.NVML.MissingSymbols = []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMarginTemperature"}
	lib, _ := load(t, s)
	for _, name := range s.NVML.MissingSymbols {
		require.Error(t, lib.Extensions().LookupSymbol(name), name)
	}
	for _, name := range []string{
		"nvmlInit_v2", "nvmlErrorString", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetSamples", "nvmlEventSetWait_v2",
		"nvmlGpmMetricsGet", "nvmlDeviceGetFieldValues", "nvmlDeviceGetMPSComputeRunningProcesses_v3",
	} {
		require.NoError(t, lib.Extensions().LookupSymbol(name), name)
	}
	require.Error(t, lib.Extensions().LookupSymbol("state_refresh"), "only nvml* is exported")
}

// A driver that has the first version of everything only.
func TestOldDriver(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.H200()
	d.Compute = []nvmltest.Process{{PID: 41}, {PID: 42}, {PID: 43}}
	s := nvmltest.DGX(1, d)
	s.Events = []nvmltest.Event{{Device: 0, Xid: 31, AtS: 1}}
	s.NVML.MissingSymbols = []string{
		"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2",
		"nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3", "nvmlEventSetWait_v2", "nvmlDeviceGetAttributes_v2",
		"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3",
	}
	lib, world := load(t, s)
	require.Equal(t, 1, look(t, lib))
	gpu := device(t, lib, 0)
	pci, ret := gpu.GetPciInfo()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 0x1B, pci.Bus)
	processes, ret := gpu.GetComputeRunningProcesses()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Len(t, processes, 3)
	assert.EqualValues(t, 43, processes[2].Pid)
	assert.Equal(t, ^uint64(0), processes[2].UsedGpuMemory)
	set, ret := lib.EventSetCreate()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, nvml.SUCCESS, gpu.RegisterEvents(nvml.EventTypeXidCriticalError, set))
	world.Set(s.State(second, 0))
	event, ret := set.Wait(1000)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 31, event.EventData)
}

func TestBeforeInit(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, _ := load(t, nvmltest.DGX(1, nvmltest.H200()))
	gpu := device(t, lib, 0)
	require.Equal(t, nvml.SUCCESS, lib.Init(), "counted")
	require.Equal(t, nvml.SUCCESS, lib.Shutdown())
	_, ret := gpu.GetPowerUsage()
	require.Equal(t, nvml.SUCCESS, ret, "one nvmlInit is left")
	require.Equal(t, nvml.SUCCESS, lib.Shutdown())
	_, ret = gpu.GetPowerUsage()
	require.Equal(t, nvml.ERROR_UNINITIALIZED, ret)
	_, ret = lib.DeviceGetCount()
	require.Equal(t, nvml.ERROR_UNINITIALIZED, ret)
	require.Equal(t, nvml.ERROR_UNINITIALIZED, lib.Shutdown())
	require.Equal(t, nvml.SUCCESS, lib.Init())
	_, ret = gpu.GetPowerUsage()
	require.Equal(t, nvml.SUCCESS, ret, "handles stay valid")
}

func TestVersions(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, _ := load(t, nvmltest.DGX(1, nvmltest.H200()))
	gpu := device(t, lib, 0)
	memory, ret := gpu.GetMemoryInfo_v2()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 643_825_664, memory.Reserved)
	assert.Equal(t, memory.Total, memory.Used+memory.Free+memory.Reserved)
	v1, ret := gpu.GetMemoryInfo()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, memory.Used+memory.Reserved, v1.Used, "the first version counts the reserved bytes as used")

	temperature, ret := gpu.GetTemperatureV().V1()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 52, temperature.Temperature)
	margin, ret := gpu.GetMarginTemperature()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 35, margin.MarginTemperature)
	fabric, ret := gpu.GetGpuFabricInfoV().V3()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, nvml.GPU_FABRIC_STATE_COMPLETED, fabric.State)
	older, ret := gpu.GetGpuFabricInfoV().V2()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, fabric.State, older.State)
	status, ret := gpu.GetSramEccErrorStatus()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Zero(t, status.VolatileCor)
	driver, ret := lib.SystemGetDriverVersion()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, "590.48.01", driver)
	cuda, ret := lib.SystemGetCudaDriverVersion()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, 13010, cuda)
}

func TestFieldValues(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.H200()
	d.SetField(nvmltest.Field{ID: 193, Type: "int", Value: -5})
	d.SetField(nvmltest.Field{ID: 82, Ret: "GPU_IS_LOST"})
	d.SetField(nvmltest.Field{ID: 1, Type: "double", Value: 1.5})
	d.SetField(nvmltest.Field{ID: 138, Scope: 2, Value: ^uint64(0)})
	lib, world := load(t, nvmltest.DGX(1, d))
	values := []nvml.FieldValue{{FieldId: 193}, {FieldId: 82}, {FieldId: 1}, {FieldId: 138, ScopeId: 2}, {FieldId: 60}}
	require.Equal(t, nvml.SUCCESS, device(t, lib, 0).GetFieldValues(values), "whatever the values answer")
	rets := make([]nvml.Return, len(values))
	for i, v := range values {
		rets[i] = nvml.Return(v.NvmlReturn)
	}
	assert.Equal(t, []nvml.Return{0, nvml.ERROR_GPU_IS_LOST, 0, 0, nvml.ERROR_NOT_SUPPORTED}, rets)
	assert.EqualValues(t, nvml.VALUE_TYPE_SIGNED_INT, values[0].ValueType)
	assert.EqualValues(t, -5, int32(binary.NativeEndian.Uint32(values[0].Value[:])))
	assert.InDelta(t, 1.5, math.Float64frombits(binary.NativeEndian.Uint64(values[2].Value[:])), 0)
	assert.Equal(t, ^uint64(0), binary.NativeEndian.Uint64(values[3].Value[:]))
	look(t, lib)
	assert.Equal(t, 1, world.Calls().Field(0, 60))
}

func TestSamples(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.H200()
	d.Samples = map[uint32]nvmltest.Samples{
		1: {List: []nvmltest.Sample{{Time: 100, Value: 10}, {Time: 200, Value: 30}}},
		2: {},
	}
	lib, _ := load(t, nvmltest.DGX(1, d))
	gpu := device(t, lib, 0)
	kind, samples, ret := gpu.GetSamples(nvml.GPU_UTILIZATION_SAMPLES, 0)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, nvml.VALUE_TYPE_UNSIGNED_INT, kind)
	require.Len(t, samples, 2)
	_, samples, ret = gpu.GetSamples(nvml.GPU_UTILIZATION_SAMPLES, 100)
	require.Equal(t, nvml.SUCCESS, ret)
	require.Len(t, samples, 1)
	assert.EqualValues(t, 30, samples[0].SampleValue[0])
	_, _, ret = gpu.GetSamples(nvml.GPU_UTILIZATION_SAMPLES, 200)
	require.Equal(t, nvml.ERROR_NOT_FOUND, ret, "nothing new")
	_, _, ret = gpu.GetSamples(nvml.MEMORY_UTILIZATION_SAMPLES, 0)
	require.Equal(t, nvml.ERROR_NOT_FOUND, ret, "idle")
	_, _, ret = gpu.GetSamples(nvml.ENC_UTILIZATION_SAMPLES, 0)
	require.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
}

func TestProcesses(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	memory := uint64(1 << 30)
	instance := 3
	d := nvmltest.H200()
	for pid := range 9 {
		d.Compute = append(d.Compute, nvmltest.Process{PID: 100 + pid, Memory: &memory, GI: &instance})
		d.ProcessUtilization = append(d.ProcessUtilization, nvmltest.ProcessUtilization{PID: 100 + pid, Time: uint64(pid), SM: 7})
	}
	d.Calls["GetProcessUtilization"] = nvmltest.OK("grow", 1)
	s := nvmltest.DGX(1, d)
	s.NVML.ProcessNames = map[int]string{100: "/usr/bin/python3"}
	lib, _ := load(t, s)
	gpu := device(t, lib, 0)

	processes, ret := gpu.GetComputeRunningProcesses()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Len(t, processes, 9)
	assert.Equal(t, nvml.ProcessInfo{Pid: 108, UsedGpuMemory: memory, GpuInstanceId: 3, ComputeInstanceId: 0xFFFFFFFF}, processes[8])
	processes, ret = gpu.GetGraphicsRunningProcesses()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Empty(t, processes)

	assert.Panics(t, func() { _, _ = gpu.GetProcessUtilization(0) }, "a process appears between the two calls of the binding")
	used, ret := gpu.GetProcessUtilization(0)
	require.Equal(t, nvml.SUCCESS, ret)
	require.Len(t, used, 8, "time 0 is not after 0")
	assert.EqualValues(t, 7, used[0].SmUtil)
	_, ret = gpu.GetProcessUtilization(100)
	require.Equal(t, nvml.ERROR_NOT_FOUND, ret)

	name, ret := lib.SystemGetProcessName(100)
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, "/usr/bin/python3", name)
	_, ret = lib.SystemGetProcessName(101)
	require.Equal(t, nvml.ERROR_NOT_FOUND, ret)
}

func TestGPM(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.H200()
	d.GPM[5] = 20
	d.GPMErrors = map[uint32]string{60: "NOT_SUPPORTED"}
	s := nvmltest.DGX(2, d)
	lib, world := load(t, s)
	gpu := device(t, lib, 0)
	support, ret := gpu.GpmQueryDeviceSupport()
	require.Equal(t, nvml.SUCCESS, ret)
	require.EqualValues(t, 1, support.IsSupportedDevice)

	sample := func(of nvml.Device) nvml.GpmSample {
		sample, ret := lib.GpmSampleAlloc()
		require.Equal(t, nvml.SUCCESS, ret)
		require.Equal(t, nvml.SUCCESS, of.GpmSampleGet(sample))
		return sample
	}
	older := sample(gpu)
	s.NVML.Devices[0].GPM[5] = 50
	world.Set(s.State(0, 0))
	look(t, lib)
	newer, other := sample(gpu), sample(device(t, lib, 1))

	get := nvml.GpmMetricsGetType{NumMetrics: 3, Sample1: older, Sample2: newer}
	get.Metrics[0].MetricId, get.Metrics[1].MetricId, get.Metrics[2].MetricId = 5, 60, 61
	require.Equal(t, nvml.SUCCESS, lib.GpmMetricsGet(&get))
	assert.InDelta(t, 35, get.Metrics[0].Value, 0)
	assert.EqualValues(t, nvml.ERROR_NOT_SUPPORTED, get.Metrics[1].NvmlReturn)
	assert.EqualValues(t, nvml.ERROR_NOT_SUPPORTED, get.Metrics[2].NvmlReturn)

	get.Sample1, get.Sample2 = newer, older
	require.Equal(t, nvml.ERROR_INVALID_ARGUMENT, lib.GpmMetricsGet(&get))
	get.Sample1, get.Sample2 = older, other
	require.Equal(t, nvml.ERROR_INVALID_ARGUMENT, lib.GpmMetricsGet(&get))

	look(t, lib)
	assert.Equal(t, 3, world.Calls().OpenGPMSamples())
	for _, sample := range []nvml.GpmSample{older, newer, other} {
		require.Equal(t, nvml.SUCCESS, sample.Free())
	}
	assert.Equal(t, nvml.ERROR_INVALID_ARGUMENT, other.Free())
	look(t, lib)
	assert.Zero(t, world.Calls().OpenGPMSamples())
	assert.Equal(t, map[string]int{"gpm_sample_freed_twice": 1}, world.Calls().Violations())
}

func TestMIG(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.WithMIG(nvmltest.H200(), "1g.18gb", 3)
	d.MIGDevices[1].Slot = 4 // slots 1 and 3 are holes
	d.MIGDevices[1].GPM = map[uint32]float64{5: 40}
	s := nvmltest.DGX(1, d)
	s.Timeline = []nvmltest.Change{{Scrape: 1, MIG: "enabled", MIGDevices: d.MIGDevices[2:]}}
	lib, world := load(t, s)
	gpu := device(t, lib, 0)
	current, pending, ret := gpu.GetMigMode()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, []int{1, 1}, []int{current, pending})
	slots, ret := gpu.GetMaxMigDeviceCount()
	require.Equal(t, nvml.SUCCESS, ret)
	require.Equal(t, 7, slots)

	found := map[int]nvml.Device{}
	for slot := range slots {
		m, ret := gpu.GetMigDeviceHandleByIndex(slot)
		if ret == nvml.ERROR_NOT_FOUND {
			continue
		}
		require.Equal(t, nvml.SUCCESS, ret)
		found[slot] = m
	}
	require.Len(t, found, 3)
	m := found[4]
	require.NotNil(t, m)
	assert.Contains(t, uuid(t, m), "MIG-")
	name, _ := m.GetName()
	assert.Equal(t, "NVIDIA H200 MIG 1g.18gb", name)
	gi, ret := m.GetGpuInstanceId()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, 8, gi)
	attributes, ret := m.GetAttributes()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.EqualValues(t, 18*1024, attributes.MemorySizeMB)
	_, ret = m.GetUtilizationRates()
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
	_, ret = gpu.GetUtilizationRates()
	assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
	parent, ret := m.GetDeviceHandleFromMigDeviceHandle()
	require.Equal(t, nvml.SUCCESS, ret)
	assert.Equal(t, gpu, parent)

	sample := func() nvml.GpmSample {
		sample, ret := lib.GpmSampleAlloc()
		require.Equal(t, nvml.SUCCESS, ret)
		require.Equal(t, nvml.SUCCESS, gpu.GpmMigSampleGet(gi, sample))
		return sample
	}
	get := nvml.GpmMetricsGetType{NumMetrics: 1, Sample1: sample(), Sample2: sample()}
	get.Metrics[0].MetricId = 5
	require.Equal(t, nvml.SUCCESS, lib.GpmMetricsGet(&get))
	assert.InDelta(t, 40, get.Metrics[0].Value, 0)

	world.Set(s.State(0, 1))
	look(t, lib)
	_, ret = m.GetUUID()
	assert.Equal(t, nvml.ERROR_INVALID_ARGUMENT, ret, "of a device that is gone")
	assert.Equal(t, s.NVML.Devices[0].MIGDevices[2].UUID, uuid(t, found[0]), "slots are used again")
}
