package nvmltest

import (
	"fmt"
	"strconv"
)

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// Machine has the devices, in the order of their indices, and a recent driver.
func Machine(devices ...Device) Scenario {
	s := Scenario{NVML: NVML{DriverVersion: "590.48.01", NVMLVersion: "13.590.48.01", CUDAVersion: 13010}}
	for i, d := range devices {
		d = d.Clone()
		d.Index = i
		s.NVML.Devices = append(s.NVML.Devices, d)
	}
	return s
}

// DGX has n of a device, each with an identity of its own: UUIDs end in the index.
func DGX(n int, d Device) Scenario {
	devices := make([]Device, n)
	for i := range devices {
		devices[i] = d.numbered(i)
	}
	return Machine(devices...)
}

func (d Device) numbered(i int) Device {
	d = d.Clone()
	d.UUID = fmt.Sprintf("GPU-00000000-0000-4000-8000-%012d", i)
	d.PCI = fmt.Sprintf("00000000:%02X:00.0", 0x1B+i)
	if d.Serial == "" {
		d.Serial = fmt.Sprintf("16503240%05d", i)
	}
	for slot := range d.MIGDevices {
		d.MIGDevices[slot].UUID = migUUID(i, slot)
	}
	return d
}

func migUUID(device, slot int) string {
	return fmt.Sprintf("MIG-00000000-0000-5000-8000-%06d%06d", device, slot)
}

// WithMIG is the device cut into n instances of a profile, as 7 of 1g.18gb. What MIG takes
// from the GPU itself, utilisation above all, is no longer answered.
func WithMIG(d Device, profile string, n int) Device {
	d = d.Clone()
	d.MIG = "enabled"
	for _, call := range []string{
		"GetUtilizationRates", "GetEncoderUtilization", "GetDecoderUtilization", "GetJpgUtilization",
		"GetOfaUtilization", "GetSamples", "GetProcessUtilization", "GetRemappedRows",
	} {
		delete(d.Calls, call)
	}
	d.Samples, d.ProcessUtilization = nil, nil
	_, size, gigabytes := parseProfile(profile)
	d.MIGDevices = nil
	for slot := range n {
		m := Device{UUID: migUUID(d.Index, slot), Profile: profile, GI: firstInstance(size) + slot, GPM: busy()}
		total := gigabytes << 30
		reserved := 16 << 20
		used := total / 4 * (1 + slot%3)
		m.Set("GetMemoryInfo", OK("total", total, "reserved", reserved, "free", total-reserved-used, "used", used))
		m.Set("GpmSampleGet", Answer{})
		m.Set("GetComputeRunningProcesses", Answer{})
		d.MIGDevices = append(d.MIGDevices, m)
	}
	return d
}

// The driver numbers GPU instances by where they can lie: the small ones begin at 7.
func firstInstance(slices int) int {
	return map[int]int{1: 7, 2: 3, 3: 1, 4: 1}[slices]
}
