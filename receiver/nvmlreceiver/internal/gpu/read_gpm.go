package gpu

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

const (
	// wholeGPU is the instance of a sample that is not of a GPU instance.
	wholeGPU = -1

	// minWindow and maxWindow bound the time between two samples. NVML asks for 100 ms at
	// least; after a long gap the mean says nothing about now.
	minWindow = 100 * time.Millisecond
	maxWindow = 10 * time.Minute

	// mostGPM is the percentage up to which a value is 100 with an error of measurement.
	mostGPM = 101
)

// gpmWindow is the older sample of a window that is still open.
type gpmWindow struct {
	sample driver.GPMSample
	opened time.Time
}

// readGPM reports the means of the performance counters since the last read, of the whole GPU
// or of one of its GPU instances. The first read only opens the window.
func (r *reader) readGPM(instance int, uuid string, options ...metadata.MetricAttributeOption) {
	on := &r.on.Metrics
	enabled := on.NvidiaGpuSmUtilization.Enabled || on.NvidiaGpuSmOccupancy.Enabled ||
		on.NvidiaGpuPipeUtilization.Enabled || on.NvidiaGpuDramBandwidthUtilization.Enabled
	i := itemGPM
	if instance != wholeGPU {
		i = itemMIGGPM // while MIG is on, a driver may have them for the instances only
	}
	if !r.wants(enabled, i) || !r.gpmSupported(i) {
		return
	}
	window, open := r.gpm[instance]
	age := r.when.Sub(window.opened)
	if open && age >= 0 && age < minWindow {
		return
	}
	newer, ret := r.dev.GPMSample(instance)
	if ret == driver.InUse {
		return // another GPU's call is slow
	}
	if !r.okGPM(i, ret) {
		return
	}
	r.gpm[instance] = gpmWindow{newer, r.when}
	if !open {
		return
	}
	defer window.sample.Free()
	if age < 0 || age > maxWindow {
		return
	}
	r.gpmValues = append(r.gpmValues[:0],
		driver.GPMValue{ID: driver.GPMSMUtilization}, driver.GPMValue{ID: driver.GPMSMOccupancy},
		driver.GPMValue{ID: driver.GPMTensor}, driver.GPMValue{ID: driver.GPMInteger}, driver.GPMValue{ID: driver.GPMFP64},
		driver.GPMValue{ID: driver.GPMFP32}, driver.GPMValue{ID: driver.GPMFP16}, driver.GPMValue{ID: driver.GPMDRAMBandwidth})
	if ret := r.lib.GPMMetrics(window.sample, newer, r.gpmValues); ret == driver.InUse || !r.okGPM(i, ret) {
		return
	}
	r.recordGPM(uuid, options)
}

// gpmSupported asks once, and again with all else that was refused.
func (r *reader) gpmSupported(i item) bool {
	if len(r.gpm) > 0 {
		return true
	}
	supported, ret := r.dev.GPMSupported()
	if ret == driver.InUse {
		return false
	}
	if ret == driver.Success && !supported {
		ret = driver.NotSupported
	}
	return r.ok(i, ret)
}

// okGPM is ok, but that an instance which has just been destroyed says nothing about the others,
// nor do two samples that do not belong together.
func (r *reader) okGPM(i item, ret driver.Return) bool {
	return ret != driver.InvalidArgument && r.ok(i, ret)
}

func (r *reader) recordGPM(uuid string, options []metadata.MetricAttributeOption) {
	name := r.identity.Name
	for _, v := range r.gpmValues {
		if v.Return != driver.Success {
			continue
		}
		percent := v.Value
		if percent > 100 && percent <= mostGPM {
			percent = 100
		}
		ratio, ok := r.ratio("GPM", percent)
		if !ok {
			continue
		}
		pipe := func(p metadata.AttributeNvidiaGpuPipe) {
			r.build.RecordNvidiaGpuPipeUtilizationDataPoint(r.now, ratio, uuid, name, p, options...)
		}
		switch v.ID {
		case driver.GPMSMUtilization:
			r.build.RecordNvidiaGpuSmUtilizationDataPoint(r.now, ratio, uuid, name, options...)
		case driver.GPMSMOccupancy:
			r.build.RecordNvidiaGpuSmOccupancyDataPoint(r.now, ratio, uuid, name, options...)
		case driver.GPMDRAMBandwidth:
			r.build.RecordNvidiaGpuDramBandwidthUtilizationDataPoint(r.now, ratio, uuid, name, options...)
		case driver.GPMTensor:
			pipe(metadata.AttributeNvidiaGpuPipeTensor)
		case driver.GPMInteger:
			pipe(metadata.AttributeNvidiaGpuPipeInt)
		case driver.GPMFP64:
			pipe(metadata.AttributeNvidiaGpuPipeFp64)
		case driver.GPMFP32:
			pipe(metadata.AttributeNvidiaGpuPipeFp32)
		case driver.GPMFP16:
			pipe(metadata.AttributeNvidiaGpuPipeFp16)
		}
	}
}

// freeSamples closes all windows, as must be done before the library is shut down.
func (r *reader) freeSamples() {
	for instance, window := range r.gpm {
		window.sample.Free()
		delete(r.gpm, instance)
	}
}
