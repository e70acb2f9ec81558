//go:build linux && cgo

package gonvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// maxPID is the largest process id that Linux gives (PID_MAX_LIMIT).
const maxPID = 1 << 22

// Processes implements driver.Device. Drivers from 535.43 to 535.86 mix up the fields of
// all rows but the first: rows with an impossible PID are dropped, and the caller, who
// knows the memory's size, should drop those that use more than there is.
func (d device) Processes(kind driver.ProcessKind) (processes []driver.Process, ret driver.Return) {
	var read func(nvml.Device) ([]nvml.ProcessInfo, nvml.Return)
	switch kind {
	case driver.ProcessCompute:
		read = nvml.Device.GetComputeRunningProcesses
		ret = d.enter(symComputeProcessesV3, symComputeProcessesV2, symComputeProcesses)
	case driver.ProcessGraphics:
		read = nvml.Device.GetGraphicsRunningProcesses
		ret = d.enter(symGraphicsProcessesV3, symGraphicsProcessesV2, symGraphicsProcesses)
	case driver.ProcessMPS:
		read = nvml.Device.GetMPSComputeRunningProcesses
		ret = d.enter(symMPSProcessesV3, symMPSProcessesV2, symMPSProcesses)
	default:
		ret = driver.InvalidArgument
	}
	if ret != driver.Success {
		return nil, ret
	}
	defer d.core.leave(&ret)
	infos, code := read(d.handle)
	if code != nvml.SUCCESS {
		return nil, driver.Return(code)
	}
	processes = make([]driver.Process, 0, len(infos))
	for i := range infos {
		if !plausiblePID(infos[i].Pid) {
			continue
		}
		p := driver.Process{PID: infos[i].Pid, GPUInstance: instance(infos[i].GpuInstanceId)}
		// All bits set: not available, as under Windows' driver model and in MIG without
		// the right to know.
		if infos[i].UsedGpuMemory != math.MaxUint64 {
			p.Memory, p.HasMemory = infos[i].UsedGpuMemory, true
		}
		processes = append(processes, p)
	}
	return processes, driver.Success
}

// ProcessUtilization implements driver.Device. The driver may give its whole buffer, rows
// that were never written, are older than asked for, or claim more than 100 % included.
func (d device) ProcessUtilization(since uint64) (samples []driver.ProcessSample, ret driver.Return) {
	if ret = d.enter(symProcessUtilization); ret != driver.Success {
		return nil, ret
	}
	defer d.core.leave(&ret)
	var raw []nvml.ProcessUtilizationSample
	for range attempts {
		// The binding panics if the list has grown between its two calls.
		raw, ret = d.readProcessUtilization(since)
		if ret == driver.InsufficientSize && len(raw) == 0 {
			return nil, driver.Success
		}
		if ret != driver.InsufficientSize && ret != driver.CallPanicked {
			break
		}
	}
	if ret != driver.Success {
		return nil, ret
	}
	for i := range raw {
		r := &raw[i]
		if !plausiblePID(r.Pid) || r.TimeStamp <= since || max(r.SmUtil, r.MemUtil, r.EncUtil, r.DecUtil) > 100 {
			continue
		}
		samples = append(samples, driver.ProcessSample{
			PID: r.Pid, Time: r.TimeStamp,
			SM: r.SmUtil, Memory: r.MemUtil, Encoder: r.EncUtil, Decoder: r.DecUtil,
		})
	}
	return samples, driver.Success
}

func (d device) readProcessUtilization(since uint64) (raw []nvml.ProcessUtilizationSample, ret driver.Return) {
	defer caught(&ret)
	raw, code := d.handle.GetProcessUtilization(since)
	return raw, driver.Return(code)
}

func plausiblePID(pid uint32) bool { return pid != 0 && pid <= maxPID }

// instance is the id of a GPU or compute instance, or -1 for none.
func instance(id uint32) int {
	if id == math.MaxUint32 {
		return -1
	}
	return int(id)
}
