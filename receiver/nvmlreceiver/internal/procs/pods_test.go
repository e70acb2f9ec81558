package procs

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

func holds(pod, container, resource string, ids ...string) *podresources.PodResources {
	return &podresources.PodResources{
		Namespace: "ml", Name: pod,
		Containers: []*podresources.ContainerResources{{
			Name:    container,
			Devices: []*podresources.ContainerDevices{{ResourceName: resource, DeviceIds: ids}},
		}},
	}
}

// answering returns a resolver whose kubelet gave one answer.
func answering(t *testing.T, s Settings, pods ...*podresources.PodResources) *Resolver {
	t.Helper()
	r := New(s)
	r.list = func(context.Context) ([]*podresources.PodResources, error) { return pods, nil }
	r.refresh(t.Context())
	return r
}

func gpu(uuid string, minor int) Device { return Device{UUID: uuid, Minor: minor, GPUInstance: -1} }

var whole = gpu("GPU-"+uid, 0)

func TestOwners(t *testing.T) {
	r := answering(
		t, Settings{},
		holds("a", "x", "nvidia.com/gpu", "GPU-"+uid),
		holds("b", "x", "nvidia.com/gpu.shared", "GPU-shared::0", "GPU-shared::1"),
		holds("c", "x", "example.com/accelerator", "GPU-shared::2"),
		holds("d", "x", "nvidia.com/mig-1g.10gb", "MIG-one"),
		holds("e", "x", "nvidia.com/gpu", "nvidia3"),
		holds("f", "x", "nvidia.com/gpu", "nvidia4/gi3"),
		holds("g", "x", "nvidia.com/gpu", "nvidia4/gi3/vgpu1"),
		holds("h", "x", "nvidia.com/gpu", "nvidia5/vgpu1"),
		holds("i", "x", "vpc.amazonaws.com/pod-eni", "eni-1"),
		holds("j", "x", "nvidia.com/gpu", "MIG::7"),
	)
	for name, tt := range map[string]struct {
		device Device
		pods   []string
	}{
		"by uuid":                 {whole, []string{"a"}},
		"shared, any resource":    {gpu("GPU-shared", 1), []string{"b", "c"}},
		"mig":                     {Device{UUID: "MIG-one", Minor: 2, GPUInstance: 1}, []string{"d"}},
		"by device file":          {gpu("GPU-3", 3), []string{"e"}},
		"gpu instance, shared":    {Device{UUID: "MIG-two", Minor: 4, GPUInstance: 3}, []string{"f", "g"}},
		"another gpu instance":    {Device{UUID: "MIG-3", Minor: 4, GPUInstance: 4}, nil},
		"whole, instance held":    {gpu("GPU-4", 4), nil},
		"by device file, shared":  {gpu("GPU-5", 5), []string{"h"}},
		"no minor number":         {gpu("GPU-5", -1), nil},
		"both names":              {gpu("GPU-shared", 3), []string{"b", "c", "e"}},
		"not held":                {gpu("GPU-6", 6), nil},
		"nothing known of device": {Device{Minor: -1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var pods []string
			for _, o := range r.Owners(tt.device) {
				assert.Equal(t, "ml", o.Namespace)
				assert.Equal(t, "x", o.Container)
				pods = append(pods, o.Pod)
			}
			assert.Equal(t, tt.pods, pods)
		})
	}
}

func TestOwnerOf(t *testing.T) {
	inPod := Process{ContainerID: id1, PodUID: uid, HasCgroup: true}
	onHost := Process{HasCgroup: true}

	alone := answering(t, Settings{}, holds("a", "x", "nvidia.com/gpu", "GPU-"+uid))
	owner, ok := alone.OwnerOf(inPod, whole)
	assert.True(t, ok)
	assert.Equal(t, Owner{"ml", "a", "x"}, owner)
	_, ok = alone.OwnerOf(Process{}, whole)
	assert.True(t, ok, "nothing says that it is not the holder's")
	_, ok = alone.OwnerOf(onHost, whole)
	assert.False(t, ok, "a process of the host")
	_, ok = alone.OwnerOf(Process{ContainerID: id1, HasCgroup: true}, whole)
	assert.False(t, ok, "a container outside of Kubernetes")
	_, ok = alone.OwnerOf(inPod, gpu("GPU-other", 1))
	assert.False(t, ok, "a device that nobody holds")

	shared := []*podresources.PodResources{
		holds("a", "x", "nvidia.com/gpu", "GPU-"+uid+"::0"),
		holds("b", "y", "nvidia.com/gpu", "GPU-"+uid+"::1"),
	}
	_, ok = answering(t, Settings{}, shared...).OwnerOf(inPod, whole)
	assert.False(t, ok, "two pods share the device")

	logs := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(logs, "b_ml_y-"+id1+".log"), nil, 0o600))
	r := answering(t, Settings{ContainerLogs: logs}, shared...)
	owner, ok = r.OwnerOf(inPod, whole)
	assert.True(t, ok, "the container id tells")
	assert.Equal(t, Owner{"ml", "b", "y"}, owner)
	_, ok = r.OwnerOf(Process{ContainerID: id2, PodUID: uid, HasCgroup: true}, whole)
	assert.False(t, ok)

	onePod := answering(
		t, Settings{},
		holds("a", "x", "nvidia.com/gpu", "GPU-"+uid+"::0"),
		holds("a", "y", "nvidia.com/gpu", "GPU-"+uid+"::1"),
	)
	owner, ok = onePod.OwnerOf(inPod, whole)
	assert.True(t, ok)
	assert.Equal(t, Owner{Namespace: "ml", Pod: "a"}, owner, "the pod is certain, the container is not")
}

// With holders left out, one that is left may look like the only one.
func TestMaxOwners(t *testing.T) {
	r := answering(
		t, Settings{MaxOwners: 1},
		holds("a", "x", "nvidia.com/gpu", "GPU-"+uid+"::0"),
		holds("b", "y", "nvidia.com/gpu", "GPU-"+uid+"::1"),
	)
	assert.Len(t, r.Owners(whole), 1)
	assert.Equal(t, uint64(1), r.Dropped())
	_, ok := r.OwnerOf(Process{}, whole)
	assert.False(t, ok)
}

func TestParseLogLink(t *testing.T) {
	got, owner, ok := parseLogLink("web-0_ml_vllm-openai-" + id1 + ".log")
	assert.True(t, ok)
	assert.Equal(t, id1, got)
	assert.Equal(t, Owner{"ml", "web-0", "vllm-openai"}, owner)
	for _, name := range []string{
		"", ".log", id1 + ".log", "-" + id1 + ".log", "web-0_ml-" + id1 + ".log", "web-0_ml_x-" + id1,
		"web-0_ml_x-" + id1[:60] + ".log", "web-0__x-" + id1 + ".log", "a\xff_ml_x-" + id1 + ".log",
	} {
		_, _, ok := parseLogLink(name)
		assert.False(t, ok, name)
	}
}

func TestRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.DebugLevel)
		r := New(Settings{Logger: zap.New(core)})
		var asked atomic.Int64
		var answer atomic.Pointer[error]
		answer.Store(&errNoSocket)
		r.list = func(ctx context.Context) ([]*podresources.PodResources, error) {
			asked.Add(1)
			deadline, ok := ctx.Deadline()
			assert.True(t, ok)
			assert.Equal(t, defaultTimeout, time.Until(deadline))
			return []*podresources.PodResources{holds("a", "x", "nvidia.com/gpu", "GPU-"+uid)}, *answer.Load()
		}
		rounds := func(n int) {
			for range n {
				time.Sleep(defaultInterval)
				synctest.Wait()
			}
		}
		start, cancel := context.WithCancel(t.Context())
		require.NoError(t, r.Start(start))
		cancel() // as a collector may, once it has started
		synctest.Wait()
		assert.Equal(t, int64(1), asked.Load(), "at once")
		rounds(2)
		assert.Equal(t, int64(3), asked.Load())
		assert.Len(t, logs.TakeAll(), 1, "one line while there is no kubelet")
		assert.Empty(t, r.Owners(whole))

		answer.Store(new(error))
		rounds(2)
		assert.Len(t, logs.TakeAll(), 1, "one line when there is one")
		assert.Len(t, r.Owners(whole), 1)

		failure := errors.New("no")
		answer.Store(&failure)
		rounds(maxFailures - 1)
		assert.Len(t, r.Owners(whole), 1, "a kubelet that restarts")
		rounds(1)
		assert.Empty(t, r.Owners(whole), "what is old is not told")
		failed := logs.TakeAll()
		require.Len(t, failed, 1)
		assert.Equal(t, zap.WarnLevel, failed[0].Level)

		require.NoError(t, r.Shutdown(t.Context()))
		before := asked.Load()
		rounds(2)
		assert.Equal(t, before, asked.Load(), "nothing after shutdown")
	})
}

func TestShutdownDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Settings{})
		release := make(chan struct{})
		r.list = func(context.Context) ([]*podresources.PodResources, error) {
			<-release
			return nil, nil
		}
		require.NoError(t, r.Start(t.Context()))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, r.Shutdown(ctx), context.DeadlineExceeded)
		close(release)
		require.NoError(t, r.Shutdown(t.Context()))
	})
}

func TestNothingToRead(t *testing.T) {
	r := New(Settings{})
	require.NoError(t, r.Shutdown(t.Context()), "before the start")
	require.NoError(t, r.Start(t.Context()))
	assert.Empty(t, r.Owners(whole))
	require.NoError(t, r.Shutdown(t.Context()))
}

// fakeKubelet serves the PodResources API.
type fakeKubelet struct {
	podresources.UnimplementedPodResourcesListerServer

	pods []*podresources.PodResources
	hang bool
}

func (k *fakeKubelet) List(ctx context.Context, _ *podresources.ListPodResourcesRequest) (*podresources.ListPodResourcesResponse, error) {
	if k.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &podresources.ListPodResourcesResponse{PodResources: k.pods}, nil
}

// serve serves k at a socket until the test ends.
func (k *fakeKubelet) serve(t *testing.T, socket string) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "unix", socket)
	require.NoError(t, err)
	server := grpc.NewServer()
	podresources.RegisterPodResourcesListerServer(server, k)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		assert.NoError(t, <-served)
	})
}

func TestKubelet(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "kubelet.sock")
	list := kubelet(socket)
	_, err := list(t.Context())
	require.ErrorIs(t, err, errNoSocket)

	k := &fakeKubelet{pods: []*podresources.PodResources{holds("a", "x", "nvidia.com/gpu", "GPU-"+uid)}}
	k.serve(t, socket)
	pods, err := list(t.Context())
	require.NoError(t, err)
	require.Len(t, pods, 1)
	assert.Equal(t, "a", pods[0].GetName())
}

func TestKubeletFails(t *testing.T) {
	t.Run("hangs", func(t *testing.T) {
		socket := filepath.Join(t.TempDir(), "kubelet.sock")
		(&fakeKubelet{hang: true}).serve(t, socket)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := kubelet(socket)(ctx)
		require.Error(t, err)
		assert.NotErrorIs(t, err, errNoSocket)
	})
	t.Run("does not listen", func(t *testing.T) {
		socket := filepath.Join(t.TempDir(), "kubelet.sock")
		require.NoError(t, os.WriteFile(socket, nil, 0o600))
		_, err := kubelet(socket)(t.Context())
		require.Error(t, err)
		assert.NotErrorIs(t, err, errNoSocket)
	})
}

func TestResolverAsksKubelet(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "kubelet.sock")
	k := &fakeKubelet{pods: []*podresources.PodResources{holds("a", "x", "nvidia.com/gpu", "GPU-"+uid)}}
	k.serve(t, socket)
	r := New(Settings{KubeletSocket: socket})
	require.NoError(t, r.Start(t.Context()))
	assert.Eventually(t, func() bool { return len(r.Owners(whole)) == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, r.Shutdown(t.Context()))
}
