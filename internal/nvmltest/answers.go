package nvmltest

import (
	"fmt"
	"maps"
)

// answers are the listed calls and those that a driver answers whenever it answers them, so
// that a scenario says each thing once.
func (d Device) answers() map[string]Answer {
	calls := maps.Clone(d.Calls)
	if calls == nil {
		calls = map[string]Answer{}
	}
	add := func(name string, a Answer) {
		if _, listed := calls[name]; !listed {
			calls[name] = a
		}
	}
	alias := func(name, other string) {
		if a, listed := d.Calls[name]; listed {
			add(other, a)
		}
	}
	alias("GetTemperature", "GetTemperatureV")
	alias("GetCurrentClocksEventReasons", "GetCurrentClocksThrottleReasons")
	alias("GetCurrentClocksThrottleReasons", "GetCurrentClocksEventReasons")
	alias("GetSupportedClocksEventReasons", "GetSupportedClocksThrottleReasons")
	alias("GetSupportedClocksThrottleReasons", "GetSupportedClocksEventReasons")
	alias("GetGpuFabricInfoV", "GetGpuFabricInfo")
	if a, listed := d.Calls["GetFanSpeed"]; listed {
		add("GetNumFans", Answer{Ret: a.Ret, Values: map[string]int64{"fans": 1}})
		add("GetFanSpeed_v2", Answer{Ret: a.Ret, Values: map[string]int64{"0": a.Values["percent"]}})
	}
	if a, listed := d.Calls["GetMemoryInfo"]; listed {
		addReserved(calls, a)
	}
	for name, listed := range map[string]bool{
		"GetFieldValues":                d.Fields != nil,
		"GetSamples":                    d.Samples != nil,
		"GetComputeRunningProcesses":    d.Compute != nil,
		"GetGraphicsRunningProcesses":   d.Graphics != nil,
		"GetMPSComputeRunningProcesses": d.MPS != nil,
		"GetProcessUtilization":         d.ProcessUtilization != nil,
	} {
		if listed {
			add(name, Answer{})
		}
	}
	d.addMIG(add)
	return calls
}

// addReserved answers nvmlDeviceGetMemoryInfo_v2, where used does not contain the reserved
// bytes, unless it is listed.
func addReserved(calls map[string]Answer, a Answer) {
	reserved, ok := a.Values["reserved"]
	if _, listed := calls["GetMemoryInfo_v2"]; listed || !ok {
		return
	}
	total, free := a.Values["total"], a.Values["free"]
	calls["GetMemoryInfo"] = a.but(Answer{Values: map[string]int64{"used": total - free}})
	calls["GetMemoryInfo_v2"] = a.but(Answer{Values: map[string]int64{"used": total - free - reserved}})
}

// addMIG answers what a profile such as 3g.40gb or 1c.3g.40gb tells.
func (d Device) addMIG(add func(string, Answer)) {
	compute, slices, gigabytes := parseProfile(d.Profile)
	if slices != 0 {
		add("GetAttributes", OK("gpu_slices", slices, "compute_slices", compute,
			"memory_mib", gigabytes*1024, "multiprocessors", compute*multiprocessorsPerSlice))
	}
}

// As on Hopper.
const multiprocessorsPerSlice = 16

func parseProfile(profile string) (compute, slices, gigabytes int) {
	if n, _ := fmt.Sscanf(profile, "%dc.%dg.%dgb", &compute, &slices, &gigabytes); n == 3 {
		return compute, slices, gigabytes
	}
	if n, _ := fmt.Sscanf(profile, "%dg.%dgb", &slices, &gigabytes); n == 2 {
		return slices, slices, gigabytes
	}
	return 0, 0, 0
}
