//go:build linux && cgo

package gonvml

import (
	"math"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

const none = math.MaxUint32

// answer is what a call of driver.Device gives: its values, and its code.
type answer struct {
	values []any
	ret    driver.Return
}

func got(results ...any) answer {
	ret, _ := results[len(results)-1].(driver.Return)
	return answer{values: results[:len(results)-1], ret: ret}
}

// failed is the answer of a call that gives as many values as zeros.
func failed(ret driver.Return, zeros ...any) answer { return answer{values: zeros, ret: ret} }

type call func(driver.Device) answer

var calls = map[string]call{
	"UUID":        func(d driver.Device) answer { return got(d.UUID()) },
	"Utilization": func(d driver.Device) answer { return got(d.Utilization()) },
	"Encoder":     func(d driver.Device) answer { return got(d.EncoderUtilization()) },
	"Decoder":     func(d driver.Device) answer { return got(d.DecoderUtilization()) },
	"Memory":      func(d driver.Device) answer { return got(d.Memory()) },
	"Temperature": func(d driver.Device) answer { return got(d.Temperature()) },
	"Threshold": func(d driver.Device) answer {
		return got(d.TemperatureThreshold(driver.ThresholdSlowdown))
	},
	"Margin":           func(d driver.Device) answer { return got(d.TemperatureMargin()) },
	"Power":            func(d driver.Device) answer { return got(d.Power()) },
	"PowerLimit":       func(d driver.Device) answer { return got(d.PowerLimit()) },
	"Energy":           func(d driver.Device) answer { return got(d.Energy()) },
	"Fans":             func(d driver.Device) answer { return got(d.Fans()) },
	"FanSpeed 0":       func(d driver.Device) answer { return got(d.FanSpeed(0)) },
	"FanSpeed 1":       func(d driver.Device) answer { return got(d.FanSpeed(1)) },
	"Clock":            func(d driver.Device) answer { return got(d.Clock(driver.ClockVideo)) },
	"ClockLimits":      func(d driver.Device) answer { return got(d.ClockLimits()) },
	"Supported":        func(d driver.Device) answer { return got(d.SupportedClockLimits()) },
	"PerformanceState": func(d driver.Device) answer { return got(d.PerformanceState()) },
	"ECC":              func(d driver.Device) answer { return got(d.ECCErrors(false)) },
	"ECC uncorrected":  func(d driver.Device) answer { return got(d.ECCErrors(true)) },
	"MemoryErrors": func(d driver.Device) answer {
		return got(d.MemoryErrors(true, true, driver.LocationSRAM))
	},
	"RemappedRows":  func(d driver.Device) answer { return got(d.RemappedRows()) },
	"PCIe transmit": func(d driver.Device) answer { return got(d.PCIeThroughput(false)) },
	"PCIe receive":  func(d driver.Device) answer { return got(d.PCIeThroughput(true)) },
	"Link gen":      func(d driver.Device) answer { return got(d.PCIeLink(driver.LinkGeneration)) },
	"Link width":    func(d driver.Device) answer { return got(d.PCIeLink(driver.LinkWidth)) },
	"Link max gen":  func(d driver.Device) answer { return got(d.PCIeLink(driver.LinkMaxGeneration)) },
	"Link max width": func(d driver.Device) answer {
		return got(d.PCIeLink(driver.LinkMaxWidth))
	},
	"Fabric":          func(d driver.Device) answer { return got(d.FabricState()) },
	"MIGMode":         func(d driver.Device) answer { return got(d.MIGMode()) },
	"MaxMIG":          func(d driver.Device) answer { return got(d.MaxMIGDevices()) },
	"MIGDevice":       func(d driver.Device) answer { return got(d.MIGDevice(3)) },
	"MIGInstance":     func(d driver.Device) answer { return got(d.MIGInstance()) },
	"MIGSlice":        func(d driver.Device) answer { return got(d.MIGSlice()) },
	"Processes":       func(d driver.Device) answer { return got(d.Processes(driver.ProcessCompute)) },
	"Graphics":        func(d driver.Device) answer { return got(d.Processes(driver.ProcessGraphics)) },
	"MPS":             func(d driver.Device) answer { return got(d.Processes(driver.ProcessMPS)) },
	"ProcessUtil":     func(d driver.Device) answer { return got(d.ProcessUtilization(100)) },
	"Samples":         func(d driver.Device) answer { return got(d.Samples(driver.SampleUtilization, 100, nil)) },
	"GPMSupported":    func(d driver.Device) answer { return got(d.GPMSupported()) },
	"SupportedEvents": func(d driver.Device) answer { return got(d.SupportedEvents()) },
	"GPMSample":       func(d driver.Device) answer { return got(d.GPMSample(-1)) },
	"GPMSample MIG":   func(d driver.Device) answer { return got(d.GPMSample(2)) },
	"FieldValues": func(d driver.Device) answer {
		return got(d.FieldValues([]driver.FieldValue{{ID: driver.FieldPowerInstant}}))
	},
}

// Every call of a device supports nothing where the driver does not, and survives one that
// panics in the binding.
func TestCallsThatFail(t *testing.T) {
	missing := &mock.Device{}
	fill(missing)
	for name, do := range calls {
		t.Run(name, func(t *testing.T) {
			unsupported := do(gpuOf(t, started(t, newAPI(&mock.Device{}))))
			assert.Equal(t, driver.NotSupported, unsupported.ret)
			for _, v := range unsupported.values {
				assert.Zero(t, v)
			}

			gpu := &mock.Device{}
			api := newAPI(gpu)
			*gpu = mock.Device{} // Functions that are not set panic.
			api.GpmSampleAllocFunc = nil
			panicked := do(gpuOf(t, started(t, api)))
			assert.Equal(t, driver.CallPanicked, panicked.ret)
			for _, v := range panicked.values {
				assert.Zero(t, v)
			}
		})
	}
}

// A library without any function beyond those of initialisation is never called.
func TestCallsOfMissingFunctions(t *testing.T) {
	var missing []string
	for s := symHandleByIndex + 1; s < symbolCount; s++ {
		missing = append(missing, symbolNames[s])
	}
	gpu := &mock.Device{}
	api := newAPI(gpu, missing...)
	*gpu = mock.Device{}
	lib := started(t, api)
	for name, do := range calls {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, driver.FunctionNotFound, do(gpuOf(t, lib)).ret)
		})
	}
	assert.Equal(t, driver.Identity{}, gpuOf(t, lib).Identity())
	_, ret := lib.NewEventSet()
	assert.Equal(t, driver.FunctionNotFound, ret)
}

func TestSymbolsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for s, name := range symbolNames {
		assert.Regexp(t, "^nvml[A-Z]", name, "symbol %d", s)
		assert.False(t, seen[name], name)
		seen[name] = true
	}
}

func TestCalls(t *testing.T) {
	twice := func(a, b int) func(nvml.PcieUtilCounter) (uint32, nvml.Return) {
		return func(counter nvml.PcieUtilCounter) (uint32, nvml.Return) {
			return uint32([]int{a, b}[counter]), nvml.SUCCESS
		}
	}
	for _, tt := range []struct {
		name    string
		call    string
		gpu     *mock.Device
		missing []string
		want    answer
	}{
		{"uuid", "UUID", &mock.Device{GetUUIDFunc: give("GPU-1", nvml.SUCCESS)}, nil, got("GPU-1", driver.Success)},
		{"no uuid", "UUID", &mock.Device{GetUUIDFunc: give("", nvml.SUCCESS)}, nil, failed(driver.NoData, "")},
		{"lost", "UUID", &mock.Device{GetUUIDFunc: give("GPU-1", nvml.ERROR_GPU_IS_LOST)}, nil, failed(driver.GPULost, "")},

		{"utilization", "Utilization", &mock.Device{
			GetUtilizationRatesFunc: give(nvml.Utilization{Gpu: 100, Memory: 7}, nvml.SUCCESS),
		}, nil, got(uint32(100), uint32(7), driver.Success)},
		{"utilization above 100", "Utilization", &mock.Device{
			GetUtilizationRatesFunc: give(nvml.Utilization{Gpu: 101, Memory: 7}, nvml.SUCCESS),
		}, nil, failed(driver.NoData, uint32(0), uint32(0))},
		{"memory utilization of no value", "Utilization", &mock.Device{
			GetUtilizationRatesFunc: give(nvml.Utilization{Gpu: 5, Memory: none}, nvml.SUCCESS),
		}, nil, failed(driver.NoData, uint32(0), uint32(0))},
		{"encoder", "Encoder", &mock.Device{
			GetEncoderUtilizationFunc: func() (uint32, uint32, nvml.Return) { return 33, 20000, nvml.SUCCESS },
		}, nil, got(uint32(33), driver.Success)},
		{"decoder above 100", "Decoder", &mock.Device{
			GetDecoderUtilizationFunc: func() (uint32, uint32, nvml.Return) { return 133, 20000, nvml.SUCCESS },
		}, nil, failed(driver.NoData, uint32(0))},

		{"memory", "Memory", &mock.Device{
			GetMemoryInfo_v2Func: give(nvml.Memory_v2{Total: 10, Reserved: 1, Free: 5, Used: 4}, nvml.SUCCESS),
		}, nil, got(driver.Memory{Total: 10, Used: 4, Reserved: 1, HasReserved: true}, driver.Success)},
		{"memory v2 missing", "Memory", &mock.Device{
			GetMemoryInfoFunc: give(nvml.Memory{Total: 10, Free: 5, Used: 5}, nvml.SUCCESS),
		}, []string{"nvmlDeviceGetMemoryInfo_v2"}, got(driver.Memory{Total: 10, Used: 5}, driver.Success)},
		{"memory v2 of another version", "Memory", &mock.Device{
			GetMemoryInfo_v2Func: give(nvml.Memory_v2{Total: 99}, nvml.ERROR_ARGUMENT_VERSION_MISMATCH),
			GetMemoryInfoFunc:    give(nvml.Memory{Total: 10, Free: 5, Used: 5}, nvml.SUCCESS),
		}, nil, got(driver.Memory{Total: 10, Used: 5}, driver.Success)},
		{"memory v1 missing", "Memory", &mock.Device{}, []string{"nvmlDeviceGetMemoryInfo"}, failed(driver.NotSupported, driver.Memory{})},
		{"memory lost", "Memory", &mock.Device{
			GetMemoryInfo_v2Func: give(nvml.Memory_v2{Total: 10}, nvml.ERROR_GPU_IS_LOST),
			GetMemoryInfoFunc:    give(nvml.Memory{Total: 10}, nvml.SUCCESS),
		}, nil, failed(driver.GPULost, driver.Memory{})},
		{"no memory", "Memory", &mock.Device{GetMemoryInfo_v2Func: give(nvml.Memory_v2{}, nvml.SUCCESS)}, nil, failed(driver.NoData, driver.Memory{})},

		{"temperature", "Temperature", &mock.Device{
			GetTemperatureFunc: func(sensor nvml.TemperatureSensors) (uint32, nvml.Return) {
				return 52 + uint32(sensor), nvml.SUCCESS
			},
		}, nil, got(int32(52), driver.Success)},
		{"temperature of no value", "Temperature", &mock.Device{
			GetTemperatureFunc: func(nvml.TemperatureSensors) (uint32, nvml.Return) { return none, nvml.SUCCESS },
		}, nil, failed(driver.NoData, int32(0))},
		{"threshold", "Threshold", &mock.Device{
			GetTemperatureThresholdFunc: func(which nvml.TemperatureThresholds) (uint32, nvml.Return) {
				return 90 + uint32(which), nvml.SUCCESS
			},
		}, nil, got(uint32(91), driver.Success)},
		{"margin passed", "Margin", &mock.Device{
			GetMarginTemperatureFunc: give(nvml.MarginTemperature{MarginTemperature: -1}, nvml.SUCCESS),
		}, nil, got(int32(-1), driver.Success)},
		{"power", "Power", &mock.Device{GetPowerUsageFunc: give(uint32(627400), nvml.SUCCESS)}, nil, got(uint32(627400), driver.Success)},
		{"power of no value", "Power", &mock.Device{GetPowerUsageFunc: give(uint32(none), nvml.SUCCESS)}, nil, failed(driver.NoData, uint32(0))},
		{"limit", "PowerLimit", &mock.Device{GetEnforcedPowerLimitFunc: give(uint32(700000), nvml.SUCCESS)}, nil, got(uint32(700000), driver.Success)},
		{"energy", "Energy", &mock.Device{GetTotalEnergyConsumptionFunc: give(uint64(1)<<40, nvml.SUCCESS)}, nil, got(uint64(1)<<40, driver.Success)},
		{"energy of no value", "Energy", &mock.Device{GetTotalEnergyConsumptionFunc: give(uint64(math.MaxUint64), nvml.SUCCESS)}, nil, failed(driver.NoData, uint64(0))},
		{"fans", "Fans", &mock.Device{GetNumFansFunc: give(2, nvml.SUCCESS)}, nil, got(2, driver.Success)},
		{"fans of no value", "Fans", &mock.Device{GetNumFansFunc: give(none, nvml.SUCCESS)}, nil, failed(driver.NoData, 0)},
		{"fan", "FanSpeed 1", &mock.Device{
			GetFanSpeed_v2Func: func(fan int) (uint32, nvml.Return) { return 104 + uint32(fan), nvml.SUCCESS },
		}, nil, got(uint32(105), driver.Success)},
		{"the only fan of an old driver", "FanSpeed 0", &mock.Device{
			GetFanSpeedFunc: give(uint32(30), nvml.SUCCESS),
		}, []string{"nvmlDeviceGetFanSpeed_v2"}, got(uint32(30), driver.Success)},
		{"the other fan of an old driver", "FanSpeed 1", &mock.Device{
			GetFanSpeedFunc: give(uint32(30), nvml.SUCCESS),
		}, []string{"nvmlDeviceGetFanSpeed_v2"}, failed(driver.FunctionNotFound, uint32(0))},

		{"clock", "Clock", &mock.Device{
			GetClockInfoFunc: func(c nvml.ClockType) (uint32, nvml.Return) { return 1542 + uint32(c), nvml.SUCCESS },
		}, nil, got(uint32(1545), driver.Success)},
		{"clock limits", "ClockLimits", &mock.Device{
			GetCurrentClocksEventReasonsFunc: give(uint64(0x404), nvml.SUCCESS),
		}, nil, got(driver.LimitSWPowerCap|driver.LimitReliability, driver.Success)},
		{"clock limits of an old driver", "ClockLimits", &mock.Device{
			GetCurrentClocksThrottleReasonsFunc: give(uint64(1), nvml.SUCCESS),
		}, []string{"nvmlDeviceGetCurrentClocksEventReasons"}, got(driver.LimitIdle, driver.Success)},
		{"supported clock limits", "Supported", &mock.Device{
			GetSupportedClocksThrottleReasonsFunc: give(uint64(511), nvml.SUCCESS),
		}, nil, got(driver.ClockLimit(511), driver.Success)},
		{"performance state", "PerformanceState", &mock.Device{GetPerformanceStateFunc: give(nvml.PSTATE_8, nvml.SUCCESS)}, nil, got(8, driver.Success)},
		{"performance state unknown", "PerformanceState", &mock.Device{GetPerformanceStateFunc: give(nvml.PSTATE_UNKNOWN, nvml.SUCCESS)}, nil, failed(driver.NoData, 0)},

		{"ecc", "ECC uncorrected", &mock.Device{
			GetTotalEccErrorsFunc: func(e nvml.MemoryErrorType, c nvml.EccCounterType) (uint64, nvml.Return) {
				return 10 + 2*uint64(e) + uint64(c), nvml.SUCCESS
			},
		}, nil, got(uint64(12), driver.Success)},
		{"memory errors", "MemoryErrors", &mock.Device{
			GetMemoryErrorCounterFunc: func(e nvml.MemoryErrorType, c nvml.EccCounterType, l nvml.MemoryLocation) (uint64, nvml.Return) {
				return 100*uint64(e) + 10*uint64(c) + uint64(l), nvml.SUCCESS
			},
		}, nil, got(uint64(117), driver.Success)},
		{"remapped rows", "RemappedRows", &mock.Device{
			GetRemappedRowsFunc: func() (int, int, bool, bool, nvml.Return) { return 3, 1, true, false, nvml.SUCCESS },
		}, nil, got(driver.RemappedRows{Correctable: 3, Uncorrectable: 1, Pending: true}, driver.Success)},

		{"transmitted", "PCIe transmit", &mock.Device{GetPcieThroughputFunc: twice(7, 9)}, nil, got(uint32(7), driver.Success)},
		{"received", "PCIe receive", &mock.Device{GetPcieThroughputFunc: twice(7, 9)}, nil, got(uint32(9), driver.Success)},
		{"link generation", "Link gen", &mock.Device{GetCurrPcieLinkGenerationFunc: give(1, nvml.SUCCESS)}, nil, got(uint32(1), driver.Success)},
		{"link width", "Link width", &mock.Device{GetCurrPcieLinkWidthFunc: give(8, nvml.SUCCESS)}, nil, got(uint32(8), driver.Success)},
		{"link max generation", "Link max gen", &mock.Device{GetMaxPcieLinkGenerationFunc: give(5, nvml.SUCCESS)}, nil, got(uint32(5), driver.Success)},
		{"link max width", "Link max width", &mock.Device{GetMaxPcieLinkWidthFunc: give(16, nvml.SUCCESS)}, nil, got(uint32(16), driver.Success)},
		{"fabric", "Fabric", &mock.Device{
			GetGpuFabricInfoFunc: give(nvml.GpuFabricInfo{State: nvml.GPU_FABRIC_STATE_COMPLETED}, nvml.SUCCESS),
		}, nil, got(driver.FabricCompleted, driver.Success)},

		{"mig off until reset", "MIGMode", &mock.Device{
			GetMigModeFunc: func() (int, int, nvml.Return) { return 0, 1, nvml.SUCCESS },
		}, nil, got(false, driver.Success)},
		{"mig on", "MIGMode", &mock.Device{
			GetMigModeFunc: func() (int, int, nvml.Return) { return 1, 1, nvml.SUCCESS },
		}, nil, got(true, driver.Success)},
		{"max mig devices", "MaxMIG", &mock.Device{GetMaxMigDeviceCountFunc: give(7, nvml.SUCCESS)}, nil, got(7, driver.Success)},
		{"hole", "MIGDevice", &mock.Device{
			GetMigDeviceHandleByIndexFunc: func(int) (nvml.Device, nvml.Return) { return nil, nvml.ERROR_NOT_FOUND },
		}, nil, failed(driver.NotFound, nil)},
		{"instance", "MIGInstance", &mock.Device{
			GetGpuInstanceIdFunc: give(2, nvml.SUCCESS), GetComputeInstanceIdFunc: give(0, nvml.SUCCESS),
		}, nil, got(uint32(2), uint32(0), driver.Success)},
		{"half an instance", "MIGInstance", &mock.Device{GetGpuInstanceIdFunc: give(2, nvml.SUCCESS)}, nil, failed(driver.NotSupported, uint32(0), uint32(0))},
		{"slice", "MIGSlice", &mock.Device{
			GetNameFunc:       give("NVIDIA H200 MIG 1c.3g.71gb", nvml.SUCCESS),
			GetAttributesFunc: give(nvml.DeviceAttributes{MultiprocessorCount: 16}, nvml.SUCCESS),
		}, nil, got(driver.MIGSlice{Profile: "1c.3g.71gb", Multiprocessors: 16}, driver.Success)},
		{
			"slice without attributes", "MIGSlice", &mock.Device{GetNameFunc: give("NVIDIA H200 MIG 3g.71gb", nvml.SUCCESS)},
			[]string{"nvmlDeviceGetAttributes", "nvmlDeviceGetAttributes_v2"},
			got(driver.MIGSlice{Profile: "3g.71gb"}, driver.Success),
		},

		{"processes", "Processes", &mock.Device{GetComputeRunningProcessesFunc: give([]nvml.ProcessInfo{
			{Pid: 42, UsedGpuMemory: 1 << 30, GpuInstanceId: none, ComputeInstanceId: none},
			{Pid: 43, UsedGpuMemory: math.MaxUint64, GpuInstanceId: 2},
			{Pid: 0, UsedGpuMemory: 5},
			{Pid: none, UsedGpuMemory: 5},
		}, nvml.SUCCESS)}, nil, got([]driver.Process{
			{PID: 42, Memory: 1 << 30, HasMemory: true, GPUInstance: -1}, {PID: 43, GPUInstance: 2},
		}, driver.Success)},
		{
			"processes of graphics", "Graphics", &mock.Device{
				GetGraphicsRunningProcessesFunc: give([]nvml.ProcessInfo(nil), nvml.SUCCESS),
			},
			[]string{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"},
			got([]driver.Process{}, driver.Success),
		},
		{"processes of MPS", "MPS", &mock.Device{
			GetMPSComputeRunningProcessesFunc: give([]nvml.ProcessInfo(nil), nvml.ERROR_NO_PERMISSION),
		}, nil, failed(driver.NoPermission, []driver.Process(nil))},
		{"gpm", "GPMSupported", &mock.Device{
			GpmQueryDeviceSupportFunc: give(nvml.GpmSupport{IsSupportedDevice: 1}, nvml.SUCCESS),
		}, nil, got(true, driver.Success)},
		{
			"events", "SupportedEvents", &mock.Device{GetSupportedEventTypesFunc: give(uint64(0x800A), nvml.SUCCESS)}, nil,
			got(driver.EventXid|driver.EventDoubleBitECC|driver.EventRecoveryAction, driver.Success),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gpu := gpuOf(t, started(t, newAPI(tt.gpu, tt.missing...)))
			require.Contains(t, calls, tt.call)
			assert.Equal(t, tt.want, calls[tt.call](gpu))
		})
	}
}

func TestInvalidArguments(t *testing.T) {
	gpu := gpuOf(t, started(t, newAPI(&mock.Device{})))
	_, ret := gpu.PCIeLink(99)
	assert.Equal(t, driver.InvalidArgument, ret)
	_, ret = gpu.Processes(99)
	assert.Equal(t, driver.InvalidArgument, ret)
}

func TestMIGDevice(t *testing.T) {
	child := &mock.Device{GetUUIDFunc: give("MIG-1", nvml.SUCCESS)}
	lib := started(t, newAPI(&mock.Device{
		GetMigDeviceHandleByIndexFunc: func(int) (nvml.Device, nvml.Return) { return child, nvml.SUCCESS },
	}))
	first, ret := gpuOf(t, lib).MIGDevice(0)
	require.Equal(t, driver.Success, ret)
	second, _ := gpuOf(t, lib).MIGDevice(0)
	assert.True(t, same(first, second))
	assert.False(t, same(first, gpuOf(t, lib)))
	uuid, _ := first.UUID()
	assert.Equal(t, "MIG-1", uuid)
}

func TestIdentity(t *testing.T) {
	chars := func(s string, out []int8) {
		for i := range s {
			out[i] = int8(s[i])
		}
	}
	var info nvml.PciInfo
	chars("00000000:1b:00.0", info.BusId[:])
	gpu := &mock.Device{
		GetNameFunc:         give("NVIDIA H200", nvml.SUCCESS),
		GetSerialFunc:       give(" 1652 ", nvml.SUCCESS),
		GetPciInfoFunc:      func() (nvml.PciInfo, nvml.Return) { return info, nvml.SUCCESS },
		GetVbiosVersionFunc: func() (string, nvml.Return) { panic("broken") },
		GetArchitectureFunc: give(nvml.DeviceArchitecture(nvml.DEVICE_ARCH_HOPPER), nvml.SUCCESS),
	}
	lib := started(t, newAPI(gpu))
	assert.Equal(t, driver.Identity{
		Name: "NVIDIA H200", Serial: "1652", PCIAddress: "00000000:1B:00.0", Architecture: "hopper",
	}, gpuOf(t, lib).Identity())

	info = nvml.PciInfo{}
	chars("0000:1b:00.0", info.BusIdLegacy[:])
	gpu.GetArchitectureFunc = give(nvml.DeviceArchitecture(99), nvml.SUCCESS)
	identity := gpuOf(t, lib).Identity()
	assert.Equal(t, "00000000:1B:00.0", identity.PCIAddress)
	assert.Empty(t, identity.Architecture)
}

// Scenario: a driver whose memory is not what it should be.
// Guarantees: no text that is not UTF-8, which would cost exporters the whole scrape.
func TestTextsAreUTF8(t *testing.T) {
	const garbled = "GPU \xff\xfe1\xe2\x82"
	api := newAPI(&mock.Device{
		GetUUIDFunc: give(garbled, nvml.SUCCESS), GetNameFunc: give(garbled, nvml.SUCCESS),
		GetSerialFunc: give("\xff\xff", nvml.SUCCESS), GetVbiosVersionFunc: give(garbled, nvml.SUCCESS),
		GetPciInfoFunc: func() (nvml.PciInfo, nvml.Return) {
			var info nvml.PciInfo
			for i := range info.BusId {
				info.BusId[i] = -1
			}
			return info, nvml.SUCCESS
		},
	})
	api.SystemGetDriverVersionFunc = give(garbled, nvml.SUCCESS)
	lib := started(t, api)
	gpu := gpuOf(t, lib)
	uuid, ret := gpu.UUID()
	assert.Equal(t, driver.Success, ret)
	assert.Equal(t, "GPU 1", uuid)
	assert.Equal(t, driver.Identity{Name: "GPU 1", VBIOS: "GPU 1"}, gpu.Identity())
	assert.Equal(t, "GPU 1", lib.Versions().Driver)
}
