package gpu

import (
	"context"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// Processes tells what a process is. It is used by all readers at once.
type Processes interface {
	// Describe is for a process on a device. What is not known is "".
	Describe(pid uint32, on Device) Workload
}

// Device is a GPU, or a GPU instance of it.
type Device struct {
	UUID string
	// Minor is the n of /dev/nvidia<n>, Instance the GPU instance; -1 where there is none.
	Minor, Instance int
}

// Workload is what a process is and where it belongs.
type Workload struct {
	Executable, ContainerID           string
	PodUID, Namespace, Pod, Container string
}

// process is one line of the driver's lists.
type process struct {
	driver.Process
	kind metadata.AttributeNvidiaGpuContextType
	Workload
}

// readProcesses reports the memory and the utilization of processes, under metrics of their
// own: a device's numbers are never copied onto pods.
func (r *reader) readProcesses() {
	on := &r.on.Metrics
	if r.processes == nil {
		return
	}
	memory := on.NvidiaGpuProcessMemoryUsage.Enabled || on.NvidiaGpuContainerMemoryUsage.Enabled
	if r.wants(memory, itemProcesses) {
		all := r.listProcesses()
		for i := range all {
			r.recordProcessMemory(&all[i])
		}
		r.recordContainers(all)
	}
	if r.wants(on.NvidiaGpuProcessUtilization.Enabled, itemProcessUtilization) {
		r.readProcessUtilization()
	}
}

// listProcesses joins the lists; a process may be in several of them and is taken from the
// first that tells its memory.
func (r *reader) listProcesses() []process {
	var all []process
	seen := map[[2]int]int{}
	for _, list := range []struct {
		kind driver.ProcessKind
		attr metadata.AttributeNvidiaGpuContextType
	}{
		{driver.ProcessCompute, metadata.AttributeNvidiaGpuContextTypeCompute},
		{driver.ProcessMPS, metadata.AttributeNvidiaGpuContextTypeMps},
		{driver.ProcessGraphics, metadata.AttributeNvidiaGpuContextTypeGraphics},
	} {
		running, ret := r.dev.Processes(list.kind)
		if list.kind == driver.ProcessCompute && !r.ok(itemProcesses, ret) || ret != driver.Success {
			if ret.Lost() || ret.Broken() {
				r.failed(itemNames[itemProcesses], ret)
				return nil
			}
			continue
		}
		for _, p := range running {
			// R535 mixes up its rows: a memory beyond the GPU's is some other field.
			p.HasMemory = p.HasMemory && r.sane("process memory", float64(p.Memory), 0, r.mostMemory())
			key := [2]int{int(p.PID), p.GPUInstance}
			if at, ok := seen[key]; ok {
				if !all[at].HasMemory {
					all[at].Memory, all[at].HasMemory = p.Memory, p.HasMemory
				}
				continue
			}
			if len(all) >= r.maxProcesses {
				r.telemetry.ReceiverNvmlDroppedProcesses.Add(context.Background(), 1)
				continue
			}
			seen[key] = len(all)
			all = append(all, process{p, list.attr, r.processes.Describe(p.PID, r.device(p.GPUInstance))})
		}
	}
	return all
}

// mostMemory is what one process can use: the GPU's, where it is told.
func (r *reader) mostMemory() float64 {
	if r.memory == 0 {
		return maxBytes
	}
	return float64(r.memory)
}

func (r *reader) recordProcessMemory(p *process) {
	if !p.HasMemory {
		return
	}
	r.reported++
	uuid, options := r.instanceOf(p.GPUInstance)
	options = append(options, p.options()...)
	if p.Executable != "" {
		options = append(options, metadata.WithProcessExecutableNameMetricAttribute(p.Executable))
	}
	r.build.RecordNvidiaGpuProcessMemoryUsageDataPoint(r.now, int64(p.Memory), uuid, r.identity.Name,
		int64(p.PID), p.kind, options...)
}

// recordContainers sums by container and GPU instance.
func (r *reader) recordContainers(all []process) {
	if !r.on.Metrics.NvidiaGpuContainerMemoryUsage.Enabled {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(p process) bool { return p.ContainerID == "" || !p.HasMemory })
	for len(all) > 0 {
		first, sum := all[0], uint64(0)
		all = slices.DeleteFunc(all, func(p process) bool {
			same := p.ContainerID == first.ContainerID && p.GPUInstance == first.GPUInstance
			if same {
				sum += p.Memory
			}
			return same
		})
		if r.sane("container memory", float64(sum), 0, maxBytes) {
			uuid, options := r.instanceOf(first.GPUInstance)
			r.build.RecordNvidiaGpuContainerMemoryUsageDataPoint(r.now, int64(sum), uuid, r.identity.Name,
				append(options, first.options()...)...)
		}
	}
}

// readProcessUtilization reports the newest sample of each process. Rows that are older than
// the last read are what the driver left in its buffer.
func (r *reader) readProcessUtilization() {
	rows, ret := r.dev.ProcessUtilization(r.processed)
	if !r.ok(itemProcessUtilization, ret) {
		return
	}
	newest := map[uint32]driver.ProcessSample{}
	since := r.processed
	for _, row := range rows {
		before, known := newest[row.PID]
		if row.Time > since && row.Time >= before.Time && (known || len(newest) < r.maxProcesses) {
			newest[row.PID] = row
			r.processed = max(r.processed, row.Time)
		}
	}
	for pid, row := range newest {
		what := r.processes.Describe(pid, r.device(wholeGPU))
		options := what.options()
		if what.Executable != "" {
			options = append(options, metadata.WithProcessExecutableNameMetricAttribute(what.Executable))
		}
		for task, percent := range map[metadata.AttributeProcessTask]uint32{
			metadata.AttributeProcessTaskGeneral: row.SM,
			metadata.AttributeProcessTaskEncoder: row.Encoder,
			metadata.AttributeProcessTaskDecoder: row.Decoder,
		} {
			if v, ok := r.ratio("process utilization", float64(percent)); ok {
				r.build.RecordNvidiaGpuProcessUtilizationDataPoint(r.now, v, r.uuid, r.identity.Name, int64(pid), task, options...)
			}
		}
	}
}

// device is what the kubelet may have given to a pod.
func (r *reader) device(instance int) Device {
	d := Device{UUID: r.uuid, Minor: -1, Instance: -1}
	if r.identity.HasMinor {
		d.Minor = r.identity.Minor
	}
	if uuid := r.instances[instance]; uuid != "" {
		d.UUID, d.Instance = uuid, instance
	}
	return d
}

// instanceOf is the identity of a process's points: the MIG device's, where it runs on one.
func (r *reader) instanceOf(instance int) (uuid string, options []metadata.MetricAttributeOption) {
	if instance < 0 {
		return r.uuid, nil
	}
	options = migOptions(r.uuid, instance, "")
	if uuid = r.instances[instance]; uuid == "" {
		return r.uuid, options[1:]
	}
	return uuid, options
}

// options are the attributes that are known; what is not known is absent and not "".
func (w *Workload) options() []metadata.MetricAttributeOption {
	var options []metadata.MetricAttributeOption
	add := func(value string, with func(string) metadata.MetricAttributeOption) {
		if value != "" {
			options = append(options, with(value))
		}
	}
	add(w.ContainerID, metadata.WithContainerIDMetricAttribute)
	add(w.PodUID, metadata.WithK8sPodUIDMetricAttribute)
	add(w.Pod, metadata.WithK8sPodNameMetricAttribute)
	add(w.Namespace, metadata.WithK8sNamespaceNameMetricAttribute)
	add(w.Container, metadata.WithK8sContainerNameMetricAttribute)
	return options
}
