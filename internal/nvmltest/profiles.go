package nvmltest

import "math"

// The cards answer as recorded of real ones under load with drivers 590 and 595; what no
// record has is made up within the card's data sheet. Each call makes a new Device.

// The scope of a field that is a sum over NVLinks.
const allLinks = math.MaxUint32

// The clock event reasons that these drivers know.
const knownReasons = 0x1FF

// The performance counters of a GPU that runs a large model: percent by nvmlGpmMetricId_t.
func busy() map[uint32]float64 {
	return map[uint32]float64{1: 99, 2: 95.5, 3: 41.25, 4: 12, 5: 55.5, 10: 61.75, 11: 0, 12: 9.5, 13: 7.25}
}

// common is what all cards answer, GeForce and data centre.
func common() Device {
	return Device{
		UUID: "GPU-00000000-0000-4000-8000-000000000000",
		PCI:  "00000000:1B:00.0",
		Calls: map[string]Answer{
			"GetUtilizationRates":           OK("gpu", 100, "memory", 7),
			"GetEncoderUtilization":         OK("percent", 0),
			"GetDecoderUtilization":         OK("percent", 0),
			"GetTemperature":                OK("celsius", 52),
			"GetPerformanceState":           OK("pstate", 0),
			"GetTotalEnergyConsumption":     OK("millijoules", 123_456_789_012),
			"GetCurrentClocksEventReasons":  OK("reasons", 0x4),
			"GetSupportedEventTypes":        OK("types", DefaultEvents),
			"GetPersistenceMode":            OK("mode", 1),
			"GetVirtualizationMode":         OK("mode", 0),
			"GpmQueryDeviceSupport":         OK("supported", 0),
			"GetComputeRunningProcesses":    {},
			"GetGraphicsRunningProcesses":   {},
			"GetMPSComputeRunningProcesses": {},
			"GetProcessUtilization":         {},
			"GetSamples":                    {},
		},
		Fields: []Field{
			{ID: 74, Value: 204_600_000_000}, // held by the power cap, ns
			{ID: 75, Value: 0},
			{ID: 76, Value: 0},
			{ID: 77, Value: 0},
			{ID: 79, Value: 0},
			{ID: 230, Type: "uint", Value: 0}, // recovery action
			{ID: 269, Value: 0},
			{ID: 270, Value: 0},
			{ID: 271, Value: 0},
		},
	}
}

func (d *Device) identity(name, cc string, architecture uint32, vbios string) {
	d.Name, d.ComputeCapability, d.Architecture, d.VBIOS = name, cc, architecture, vbios
}

// memory in bytes.
func (d *Device) memory(total, reserved, used int) {
	d.Set("GetMemoryInfo", OK("total", total, "reserved", reserved, "free", total-reserved-used, "used", used))
	d.Set("GetBAR1MemoryInfo", OK("total", 1<<37, "free", 1<<37-1<<20, "used", 1<<20))
}

// power in milliwatts.
func (d *Device) power(now, limit, least int) {
	d.Set("GetPowerUsage", OK("milliwatts", now))
	d.Set("GetEnforcedPowerLimit", OK("milliwatts", limit))
	d.Set("GetPowerManagementLimit", OK("milliwatts", limit))
	d.Set("GetPowerManagementDefaultLimit", OK("milliwatts", limit))
	d.Set("GetPowerManagementLimitConstraints", OK("min", least, "max", limit))
	d.SetField(Field{ID: 185, Type: "uint", Value: now})
	d.SetField(Field{ID: 186, Type: "uint", Value: now})
}

// clocks in MHz.
func (d *Device) clocks(graphics, memory, video int) {
	clocks := OK("graphics_mhz", graphics, "sm_mhz", graphics, "mem_mhz", memory, "video_mhz", video)
	d.Set("GetClockInfo", clocks)
	d.Set("GetMaxClockInfo", clocks)
	d.Set("GetSupportedClocksEventReasons", OK("reasons", knownReasons))
}

// pcie is a slot of 16 lanes.
func (d *Device) pcie(generation int) {
	for _, call := range []string{"GetCurrPcieLinkGeneration", "GetMaxPcieLinkGeneration"} {
		d.Set(call, OK("generation", generation))
	}
	for _, call := range []string{"GetCurrPcieLinkWidth", "GetMaxPcieLinkWidth"} {
		d.Set(call, OK("width", 16))
	}
	throughput := OK("tx_kb", 1_250_000, "rx_kb", 2_500_000)
	throughput.BlockSeconds = 0.02 // the driver measures so long
	d.Set("GetPcieThroughput", throughput)
	d.Set("GetPcieReplayCounter", OK("replays", 0))
	d.SetField(Field{ID: 94, Type: "uint", Value: 0})
	d.SetField(Field{ID: 197, Value: 1_000_000_000})
	d.SetField(Field{ID: 198, Value: 2_000_000_000})
}

// ecc is on, and nothing has happened yet.
func (d *Device) ecc() {
	d.Set("GetEccMode", OK("current", 1, "pending", 1))
	total, located := Answer{Values: map[string]int64{}}, Answer{Values: map[string]int64{}}
	for _, kind := range []string{"corrected_volatile", "corrected_aggregate", "uncorrected_volatile", "uncorrected_aggregate"} {
		total.Values[kind] = 0
		for _, location := range []string{"dram", "sram"} {
			located.Values[kind+"_"+location] = 0
		}
	}
	d.Set("GetTotalEccErrors", total)
	d.Set("GetMemoryErrorCounter", located)
	d.Set("GetSramEccErrorStatus", OK("threshold_exceeded", 0))
	d.Set("GetRemappedRows", OK("correctable", 0, "uncorrectable", 0, "pending", 0, "failed", 0))
}

// margins are those of Ada and newer: distances to the slowdown, not temperatures.
func (d *Device) margins(celsius int) {
	d.Set("GetMarginTemperature", OK("celsius", celsius))
	for id, offset := range map[uint32]int{193: -5, 194: -2, 195: 0, 196: 0} {
		d.SetField(Field{ID: id, Type: "int", Value: offset})
	}
}

// counters are the performance counters of Hopper and newer.
func (d *Device) counters() {
	d.Set("GpmQueryDeviceSupport", OK("supported", 1))
	d.Set("GpmQueryIfStreamingEnabled", OK("enabled", 0))
	d.Set("GpmSampleGet", Answer{})
	d.Set("GpmMigSampleGet", Answer{})
	d.GPM = busy()
}

// nvlink4 are links whose bytes are counted in KiB, with a sum.
func (d *Device) nvlink4(links uint32) {
	d.SetField(Field{ID: 91, Type: "uint", Value: links})
	for _, id := range []uint32{138, 139} {
		d.SetField(Field{ID: id, Scope: allLinks, Value: 1_000_000 * uint64(links)})
	}
	active := Answer{Values: map[string]int64{}}
	for link := range links {
		active.Values[itoa(link)] = 1
		for _, id := range []uint32{138, 139} {
			d.SetField(Field{ID: id, Scope: link, Value: 1_000_000})
		}
		for _, id := range []uint32{161, 162, 163} {
			d.SetField(Field{ID: id, Scope: link, Value: 0})
		}
	}
	d.Set("GetNvLinkState", active)
}

// nvlink5 are the links of Blackwell, whose bytes are counted in bytes, without a sum.
func (d *Device) nvlink5(links uint32) {
	d.SetField(Field{ID: 91, Type: "uint", Value: links})
	active := Answer{Values: map[string]int64{}}
	for link := range links {
		active.Values[itoa(link)] = 1
		for _, id := range []uint32{202, 204} {
			d.SetField(Field{ID: id, Scope: link, Value: 1_024_000_000})
		}
		for id := uint32(206); id <= 215; id++ {
			d.SetField(Field{ID: id, Scope: link, Value: 0})
		}
	}
	d.Set("GetNvLinkState", active)
}

// hopper is what H100 and H200 share.
func hopper() Device {
	d := common()
	d.MIG = "disabled"
	d.ecc()
	d.margins(35)
	d.counters()
	d.nvlink4(18)
	d.pcie(5)
	d.SetField(Field{ID: 82, Type: "uint", Value: 40})
	d.Set("GetJpgUtilization", OK("percent", 0))
	d.Set("GetOfaUtilization", OK("percent", 0))
	d.Set("GetGpuFabricInfoV", OK("state", 3, "status", 0, "clique", 0))
	return d
}

// H200 is an SXM card: HBM, NVLink, MIG, performance counters, no fan.
func H200() Device {
	d := hopper()
	d.identity("NVIDIA H200", "9.0", 9, "96.00.BC.00.01")
	d.memory(150_754_820_096, 643_825_664, 120<<30)
	d.power(627_400, 700_000, 200_000)
	d.clocks(1980, 3201, 1545)
	d.SetField(Field{ID: 186, Type: "uint", Value: 626_260})
	return d
}

// H100 is an SXM card as H200.
func H100() Device {
	d := hopper()
	d.identity("NVIDIA H100 80GB HBM3", "9.0", 9, "96.00.89.00.01")
	d.memory(85_520_809_984, 577_765_376, 64<<30)
	d.power(610_000, 700_000, 200_000)
	d.clocks(1980, 2619, 1545)
	return d
}

// B200 counts NVLink in other fields than H200.
func B200() Device {
	d := common()
	d.MIG = "disabled"
	d.identity("NVIDIA B200", "10.0", 10, "97.00.B9.00.0F")
	d.memory(192_265_846_784, 765_460_480, 150<<30)
	d.power(890_000, 1_000_000, 200_000)
	d.clocks(1965, 3996, 1815)
	d.ecc()
	d.margins(32)
	d.counters()
	d.nvlink5(18)
	d.pcie(5)
	d.SetField(Field{ID: 82, Type: "uint", Value: 45})
	d.Set("GetGpuFabricInfoV", OK("state", 3, "status", 0, "clique", 0))
	return d
}

// L40S has no memory temperature, MIG, NVLink, fabric, performance counters or fan.
func L40S() Device {
	d := common()
	d.identity("NVIDIA L40S", "8.9", 8, "95.02.66.00.02")
	d.memory(48_305_799_168, 638_582_784, 40<<30)
	d.power(320_000, 350_000, 100_000)
	d.clocks(2520, 9001, 1965)
	d.ecc()
	d.margins(20)
	d.pcie(4)
	return d
}

// RTX4080S has fans but neither ECC nor what goes with it.
func RTX4080S() Device {
	d := common()
	d.identity("NVIDIA GeForce RTX 4080 SUPER", "8.9", 8, "95.03.45.00.D0")
	d.memory(17_171_480_576, 455_081_984, 12<<30)
	d.power(290_000, 320_000, 150_000)
	d.clocks(2745, 11501, 2190)
	d.margins(22)
	d.pcie(4)
	d.Set("GetPerformanceState", OK("pstate", 2))
	d.Set("GetSupportedEventTypes", OK("types", 0x4|XidEvent|0x10))
	d.Set("GetNumFans", OK("fans", 2))
	d.Set("GetFanSpeed", OK("percent", 45))
	d.Set("GetFanSpeed_v2", OK("0", 45, "1", 46))
	d.Set("GetFanSpeedRPM", OK("0", 1500, "1", 1530))
	return d
}

// GB10 shares the memory of its CPU: NVML tells nothing about it, nor of PCIe and limits.
func GB10() Device {
	d := common()
	d.identity("NVIDIA GB10", "12.1", 10, "9A.0B.21.00.00")
	d.PCI = "0000000F:01:00.0"
	d.Set("GetUtilizationRates", OK("gpu", 96, "memory", 0))
	d.Set("GetPowerUsage", OK("milliwatts", 41_000))
	d.Set("GetClockInfo", OK("graphics_mhz", 2411, "sm_mhz", 2411, "video_mhz", 2003))
	d.Set("GetSupportedClocksEventReasons", OK("reasons", knownReasons))
	d.SetField(Field{ID: 186, Type: "uint", Value: 41_200})
	return d
}
