// Package procs tells whose process a process on a GPU is: its executable, its
// container and, on Kubernetes, its pod. It reads /proc and what the kubelet
// serves on this node, and asks no other machine.
package procs

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Where the three sources are on a host. In a container they are wherever the
// host's are mounted.
const (
	DefaultProcPath      = "/proc"
	DefaultKubeletSocket = "/var/lib/kubelet/pod-resources/kubelet.sock"
	DefaultContainerLogs = "/var/log/containers"
)

const (
	defaultInterval  = 10 * time.Second
	defaultTimeout   = 5 * time.Second
	defaultProcesses = 4096
	defaultOwners    = 4096
)

// Settings say where to read. The zero value reads /proc and no pods.
type Settings struct {
	// ProcPath is a proc file system that shows the host's processes; empty
	// means DefaultProcPath.
	ProcPath string
	// KubeletSocket is the unix socket of the kubelet's PodResources API; empty
	// means not to ask it.
	KubeletSocket string
	// ContainerLogs is the folder in which the kubelet links the log of each
	// container. The names of the links tie container ids to pods, which the
	// PodResources API does not; nothing in it is opened. Empty means not to
	// look, and processes on a shared GPU then have no pod.
	ContainerLogs string
	// Interval is the time between two reads of pods, Timeout the time one may
	// take; zero or less means 10 s and 5 s.
	Interval, Timeout time.Duration
	// MaxProcesses bounds the processes that are remembered, MaxOwners the
	// pairs of device and container, and the containers; zero or less means
	// 4096 of each.
	MaxProcesses, MaxOwners int
	// Logger may be nil.
	Logger *zap.Logger
}

// Owner is a container of a pod. An empty Container means that the pod is
// certain and the container is not.
type Owner struct {
	Namespace, Pod, Container string
}

func compareOwners(a, b Owner) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
}

// Resolver answers from what it last read. All methods are safe for concurrent
// use; only Process and HostPIDs read files, none waits for the kubelet.
type Resolver struct {
	settings Settings
	proc     fs.FS
	list     lister // of pod resources, nil where there is nobody to ask

	processes cache
	pods      atomic.Pointer[snapshot]
	dropped   atomic.Uint64

	state    podState // of the last refresh; the refreshing goroutine's own
	failures int      // refreshes in a row that failed; the goroutine's own too
	stop     context.CancelFunc
	stopped  chan struct{}
}

// New returns a resolver that knows no pods until it is started.
func New(s Settings) *Resolver {
	s.ProcPath = cmp.Or(s.ProcPath, DefaultProcPath)
	s.Interval = orDefault(s.Interval, defaultInterval)
	s.Timeout = orDefault(s.Timeout, defaultTimeout)
	s.MaxProcesses = orDefault(s.MaxProcesses, defaultProcesses)
	s.MaxOwners = orDefault(s.MaxOwners, defaultOwners)
	if s.Logger == nil {
		s.Logger = zap.NewNop()
	}
	r := &Resolver{settings: s, proc: os.DirFS(s.ProcPath)}
	r.processes.limit = s.MaxProcesses
	if s.KubeletSocket != "" {
		r.list = kubelet(s.KubeletSocket)
	}
	r.pods.Store(&snapshot{})
	return r
}

// Start begins to read pods in the background. It does not wait for the first
// answer and reports no error: having no kubelet is normal.
func (r *Resolver) Start(ctx context.Context) error {
	if r.list == nil && r.settings.ContainerLogs == "" {
		return nil
	}
	// The context of a component's start ends when the start is over.
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.stopped = make(chan struct{})
	go r.run(ctx)
	return nil
}

// Shutdown ends what Start began and waits for it. It returns ctx's error if
// that ends first. A resolver that was not started may be shut down.
func (r *Resolver) Shutdown(ctx context.Context) error {
	if r.stop == nil {
		return nil
	}
	r.stop()
	select {
	case <-r.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Owners returns the containers that hold a device, by name, each once. It is
// empty for a device nobody holds and where pods are not known. The kubelet
// tells of containers that asked for a device, not of privileged ones that
// merely use it. The caller must not change the slice.
func (r *Resolver) Owners(d Device) []Owner {
	return r.pods.Load().owners(d)
}

// OwnerOf returns the container that p, a process on d, belongs to. Pass the
// zero Process for one that Process does not find. It reports false rather
// than guess:
//
//   - The container id of the process says which container it is, if the
//     kubelet's log links know it.
//   - Else the only holder of the device has it, unless the process is known to
//     run outside of pods.
//   - Several containers of one pod that hold the device give the pod without a
//     container. Where holders are of several pods (time slicing, MPS), none is
//     chosen.
//
// A process of a pod that uses a GPU without holding it, such as another
// monitor, counts for the only holder if ContainerLogs is not read.
func (r *Resolver) OwnerOf(p Process, d Device) (Owner, bool) {
	pods := r.pods.Load()
	if owner, ok := pods.containers[p.ContainerID]; ok {
		return owner, true
	}
	if p.HasCgroup && p.PodUID == "" {
		return Owner{}, false
	}
	owners := pods.owners(d)
	if len(owners) == 0 || pods.partial {
		return Owner{}, false
	}
	only := owners[0]
	for _, o := range owners[1:] {
		if o.Namespace != only.Namespace || o.Pod != only.Pod {
			return Owner{}, false
		}
		only.Container = ""
	}
	return only, true
}

// Dropped returns how often a holder of a device was left out because there
// were more than MaxOwners, since New.
func (r *Resolver) Dropped() uint64 { return r.dropped.Load() }

// HostPIDs reports whether the proc file system shows the pids of the host.
// Elsewhere a pid that NVML tells may be another process's. The sign is the
// kernel's thread daemon, which is process 2 of the host and of no container.
func (r *Resolver) HostPIDs() bool {
	data, err := readFile(r.proc, "2/stat")
	if err != nil {
		return false
	}
	s, ok := parseStat(data)
	return ok && s.comm == "kthreadd"
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// snapshot is what is known of pods at one time. It is not changed once it is
// stored.
type snapshot struct {
	holders    map[string][]Owner // by deviceKey, sorted
	containers map[string]Owner   // by container id
	// partial says that holders were left out: a device with one holder may
	// have more.
	partial bool
}

func (s *snapshot) owners(d Device) []Owner {
	keys := d.keys()
	owners := s.holders[keys[0]]
	more := s.holders[keys[1]]
	if len(more) == 0 {
		return owners
	}
	if len(owners) == 0 {
		return more
	}
	// Two device plugins that name one device differently.
	owners = slices.Concat(owners, more)
	slices.SortFunc(owners, compareOwners)
	return slices.Compact(owners)
}
