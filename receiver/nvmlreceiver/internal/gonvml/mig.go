//go:build linux && cgo

package gonvml

import (
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// MIGMode implements driver.Device.
func (d device) MIGMode() (on bool, ret driver.Return) {
	if ret = d.enter(symMIGMode); ret != driver.Success {
		return false, ret
	}
	defer d.core.leave(&ret)
	// The pending mode waits for a reset of the GPU.
	current, _, code := d.handle.GetMigMode()
	current, ret = checked(current, code)
	return current == nvml.DEVICE_MIG_ENABLE, ret
}

// MaxMIGDevices implements driver.Device.
func (d device) MaxMIGDevices() (count int, ret driver.Return) {
	if ret = d.enter(symMaxMIGDevices); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetMaxMigDeviceCount())
}

// MIGDevice implements driver.Device.
func (d device) MIGDevice(index int) (found driver.Device, ret driver.Return) {
	if ret = d.enter(symMIGDeviceByIndex); ret != driver.Success {
		return nil, ret
	}
	defer d.core.leave(&ret)
	handle, code := d.handle.GetMigDeviceHandleByIndex(index)
	return d.core.device(d.epoch, handle, code)
}

// MIGInstance implements driver.Device.
func (d device) MIGInstance() (gpu, compute uint32, ret driver.Return) {
	if gpu, ret = d.instanceID(symGPUInstanceID, nvml.Device.GetGpuInstanceId); ret != driver.Success {
		return 0, 0, ret
	}
	if compute, ret = d.instanceID(symComputeInstanceID, nvml.Device.GetComputeInstanceId); ret != driver.Success {
		return 0, 0, ret
	}
	return gpu, compute, driver.Success
}

func (d device) instanceID(s symbol, read func(nvml.Device) (int, nvml.Return)) (id uint32, ret driver.Return) {
	if ret = d.enter(s); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	v, ret := checked(read(d.handle))
	return uint32(v), ret
}

// MIGSlice implements driver.Device. NVML tells the profile only as the end of the MIG
// device's name, as in NVIDIA H200 MIG 1c.3g.71gb. Either half may be unknown.
func (d device) MIGSlice() (slice driver.MIGSlice, ret driver.Return) {
	name, _ := d.text(nvml.Device.GetName, symName)
	if _, profile, ok := strings.Cut(name, " MIG "); ok {
		slice.Profile = strings.TrimSpace(profile)
	}
	slice.Multiprocessors, ret = d.multiprocessors()
	if slice.Profile != "" && ret.Unsupported() {
		ret = driver.Success
	}
	return slice, ret
}

func (d device) multiprocessors() (count uint32, ret driver.Return) {
	if ret = d.enter(symAttributesV2, symAttributes); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	attributes, code := d.handle.GetAttributes()
	return checked(attributes.MultiprocessorCount, code)
}
