package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// maxMIGDevices bounds the enumeration; there are 7 on today's GPUs.
const maxMIGDevices = 64

// readMode notes whether MIG is on. When that changes, so does what the GPU supports.
func (r *reader) readMode() {
	on := false
	if r.wants(true, itemMIGMode) {
		mode, ret := r.dev.MIGMode()
		if ret.Unsupported() {
			r.refused[itemMIGMode] = true // has no MIG, as most GPUs
		} else if !r.ok(itemMIGMode, ret) {
			return
		}
		on = mode
	}
	if on != r.mig {
		r.mig = on
		r.askEverything()
	}
}

// readMIG reports the MIG devices, which are enumerated each time: their handles go bad when
// they are reconfigured. Memory and counters belong to the GPU instance, which several compute
// instances share, so they are read once per GPU instance. What the driver tells of the parent
// only (utilization, power, clocks, errors) is not made up for the instances.
func (r *reader) readMIG() {
	clear(r.instances)
	if r.mig {
		n, ret := r.dev.MaxMIGDevices()
		if !r.ok(itemMIGDevices, ret) {
			n = 0
		}
		for i := range min(n, maxMIGDevices) {
			if !r.wants(true, itemMIGDevices) {
				break
			}
			device, ret := r.dev.MIGDevice(i)
			if ret == driver.NotFound || ret == driver.InvalidArgument {
				continue // a hole
			}
			if r.ok(itemMIGDevices, ret) {
				r.readMIGDevice(device)
			}
		}
	}
	for instance, window := range r.gpm {
		if instance != wholeGPU && r.instances[instance] == "" {
			window.sample.Free()
			delete(r.gpm, instance)
		}
	}
}

func (r *reader) readMIGDevice(device driver.Device) {
	uuid, ret := device.UUID()
	if !r.okMIG("GetUUID(mig)", ret) || uuid == "" {
		return
	}
	gpuInstance, computeInstance, ret := device.MIGInstance()
	if !r.okMIG("GetGpuInstanceId", ret) {
		return
	}
	slice, _ := device.MIGSlice()
	instance := int(gpuInstance)
	about := []metadata.MetricAttributeOption{metadata.WithHwParentMetricAttribute(r.uuid)}
	if slice.Profile != "" {
		about = append(about, metadata.WithMigProfileMetricAttribute(slice.Profile))
	}
	r.build.RecordNvidiaGpuMigInfoDataPoint(r.now, 1, uuid, r.identity.Name, int64(instance), int64(computeInstance), about...)
	if r.instances[instance] != "" {
		return
	}
	r.instances[instance] = uuid
	options := migOptions(r.uuid, instance, slice.Profile)
	// Refused by one, it may be there for the next.
	if m, ret := device.Memory(); r.okMIG("GetMemoryInfo(mig)", ret) {
		r.recordMemory(m, uuid, options...)
	}
	r.readGPM(instance, uuid, options...)
}

// okMIG is for calls to a MIG device: one that has just been destroyed says nothing about the
// others.
func (r *reader) okMIG(call string, ret driver.Return) bool {
	switch {
	case ret == driver.Success, ret == driver.InvalidArgument:
	case ret.Unsupported():
		r.tell(call, ret)
	default:
		r.failed(call, ret)
	}
	return ret == driver.Success
}
