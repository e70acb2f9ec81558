package nvmlreceiver

import (
	"context"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gpu"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/procs"
)

// workloads tells what the processes on a GPU are.
type workloads struct {
	resolver *procs.Resolver
	log      *zap.Logger
	// hostPIDs tells whether proc_path numbers processes as the driver does. Elsewhere a
	// number that it finds is another process.
	hostPIDs atomic.Bool
}

func newWorkloads(log *zap.Logger, cfg *ProcessesConfig) *workloads {
	return &workloads{log: log, resolver: procs.New(procs.Settings{
		ProcPath: cfg.ProcPath, KubeletSocket: cfg.PodResources, ContainerLogs: cfg.ContainerLogs, Logger: log,
	})}
}

func (w *workloads) start(ctx context.Context) error {
	w.hostPIDs.Store(w.resolver.HostPIDs())
	if !w.hostPIDs.Load() {
		w.log.Warn("processes::proc_path does not show the processes of the host, so processes on GPUs have no name, container or pod. " +
			"In a container: hostPID: true, or mount /proc of the host and set proc_path to it.")
	}
	return w.resolver.Start(ctx)
}

func (w *workloads) Describe(pid uint32, on gpu.Device) gpu.Workload {
	var p procs.Process
	if w.hostPIDs.Load() {
		p, _ = w.resolver.Process(pid)
	}
	owner, _ := w.resolver.OwnerOf(p, procs.Device{UUID: on.UUID, Minor: on.Minor, GPUInstance: on.Instance})
	return gpu.Workload{
		Executable: p.Executable, ContainerID: p.ContainerID, PodUID: p.PodUID,
		Namespace: owner.Namespace, Pod: owner.Pod, Container: owner.Container,
	}
}

func (w *workloads) endScrape() { w.resolver.EndScrape() }
