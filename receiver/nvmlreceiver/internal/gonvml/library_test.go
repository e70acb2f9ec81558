//go:build linux && cgo

package gonvml

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// A process binds one library for good, so each case that loads one runs in a process of
// its own: this test binary again, with the library's path in the environment.
const libraryVariable = "GONVML_TEST_LIBRARY"

// inChild runs the test in a child, on a library compiled with the defines, and tells
// whether this is the child. The exit status is that of the child.
func inChild(t *testing.T, wantStatus int, defines ...string) bool {
	t.Helper()
	if os.Getenv(libraryVariable) != "" {
		return true
	}
	path := filepath.Join(t.TempDir(), "libtiny.so")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	args := append([]string{"-shared", "-fPIC", "-o", path, filepath.Join("testdata", "tiny.c")}, defines...)
	out, err := exec.CommandContext(ctx, "cc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	child.Env = append(os.Environ(), libraryVariable+"="+path)
	out, _ = child.CombinedOutput()
	assert.Equal(t, wantStatus, child.ProcessState.ExitCode(), "%s", out)
	return false
}

// loaded is the user of the child's library.
func loaded(t *testing.T) driver.Library {
	t.Helper()
	lib, ret := Acquire(os.Getenv(libraryVariable))
	require.Equal(t, driver.Success, ret)
	require.Equal(t, driver.Success, lib.Init())
	t.Cleanup(func() { Release(lib) })
	return lib
}

// This is why there are guards. If it fails, the binding may have learned to look.
func TestUnguardedCallEndsTheProcess(t *testing.T) {
	if !inChild(t, 127) {
		return
	}
	api := nvml.New(nvml.WithLibraryPath(os.Getenv(libraryVariable)))
	require.Equal(t, nvml.SUCCESS, api.Init())
	gpu, _ := api.DeviceGetHandleByIndex(0)
	_, _ = gpu.GetMemoryInfo_v2()
}

func TestLibraryThatExportsLittle(t *testing.T) {
	if !inChild(t, 0) {
		return
	}
	lib := loaded(t)
	gpu := gpuOf(t, lib)
	memory, ret := gpu.Memory()
	assert.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.Memory{Total: 10, Used: 4}, memory, "by the old function")
	for name, do := range calls {
		if name == "MIGDevice" {
			continue
		}
		assert.Contains(t, []driver.Return{driver.Success, driver.FunctionNotFound}, do(gpu).ret, name)
	}
	assert.Equal(t, driver.FunctionNotFound, calls["Power"](gpu).ret)
	assert.Equal(t, driver.FunctionNotFound, calls["MIGDevice"](gpu).ret)
	assert.Equal(t, driver.Identity{}, gpu.Identity())
	assert.Equal(t, driver.Versions{NVML: "1"}, lib.Versions())
}

func TestLibraryWithTheNewFunction(t *testing.T) {
	if !inChild(t, 0, "-DMEMORY_V2") {
		return
	}
	memory, ret := gpuOf(t, loaded(t)).Memory()
	assert.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.Memory{Total: 10, Used: 3, Reserved: 1, HasReserved: true}, memory)
}

// Scenario: library_path is a folder, a named pipe, a file that is no library, or nothing.
// Guarantees: only the last is told as the absence of a GPU, and none blocks: a pipe would hold
// the linker's lock, and with it the process.
func TestPathThatIsNoLibrary(t *testing.T) {
	folder := t.TempDir()
	text, pipe := filepath.Join(folder, "text.so"), filepath.Join(folder, "pipe.so")
	require.NoError(t, os.WriteFile(text, []byte("not a library"), 0o600))
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for path, want := range map[string]driver.Return{
		folder: driver.LibraryUnusable, text: driver.LibraryUnusable, pipe: driver.LibraryUnusable,
		filepath.Join(folder, "none.so"): driver.LibraryNotFound,
		"libnone-of-this-name.so.1":      driver.LibraryNotFound,
	} {
		_, ret := preflight(path)
		assert.Equal(t, want, ret, path)
	}
}

func TestFileThatIsNoNVML(t *testing.T) {
	if !inChild(t, 0, "-DNO_INIT") {
		return
	}
	lib, ret := Acquire(os.Getenv(libraryVariable))
	require.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.LibraryUnusable, lib.Init())
	assert.Equal(t, driver.LibraryUnusable, lib.Init())
	_, ret = lib.DeviceCount()
	assert.Equal(t, driver.Uninitialized, ret)
	Release(lib)
	other, ret := Acquire("/does/not/exist.so")
	require.Equal(t, driver.Success, ret, "nothing of the file was bound")
	assert.Equal(t, driver.LibraryNotFound, other.Init())
	Release(other)
}

func TestLibraryIsShutDownAndInitialisedAgain(t *testing.T) {
	if !inChild(t, 0) {
		return
	}
	a, b := loaded(t), loaded(t)
	stale := gpuOf(t, b)
	require.Equal(t, driver.Success, a.Init())
	assert.Equal(t, driver.Versions{NVML: "1"}, a.Versions(), "one initialisation")
	assert.Equal(t, driver.Uninitialized, calls["UUID"](stale).ret)
	require.Equal(t, driver.Success, b.Init())
	assert.Equal(t, got("GPU-1", driver.Success), calls["UUID"](gpuOf(t, b)))
	assert.Equal(t, driver.Success, a.Shutdown())
	assert.Equal(t, driver.Success, b.Shutdown())
	require.Equal(t, driver.Success, b.Init())
	assert.Equal(t, driver.Versions{NVML: "1"}, b.Versions())
	Release(a)
	Release(b)
	_, ret := Acquire("")
	assert.Equal(t, driver.OtherLibraryInUse, ret, "the first one stays bound")
}

// What mocks cannot show: the binding's own types, and its structures in C.
func TestBindingInC(t *testing.T) {
	if !inChild(t, 0) {
		return
	}
	lib := loaded(t)
	gpu := gpuOf(t, lib)
	assert.True(t, same(gpu, gpuOf(t, lib)))
	assert.Equal(t, got(int32(-5), driver.Success), calls["Temperature"](gpu))
	assert.Equal(t, got(driver.FabricCompleted, driver.Success), calls["Fabric"](gpu))

	samples, ret := gpu.ProcessUtilization(0)
	assert.Equal(t, driver.Success, ret, "asked until the list no longer grew")
	assert.Len(t, samples, 3)
	values := []driver.FieldValue{{ID: 186, Scope: 1}, {ID: 82}}
	assert.Equal(t, driver.Success, gpu.FieldValues(values))
	assert.Equal(t, []driver.FieldValue{
		{ID: 186, Scope: 1, Wraps32: true, Value: 187, Uint: 187}, {ID: 82, Wraps32: true, Value: 82, Uint: 82},
	}, values)

	events, ret := lib.NewEventSet()
	require.Equal(t, driver.Success, ret)
	event, ret := events.Wait(1)
	assert.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.Event{Type: driver.EventXid, Data: 79, GPUInstance: -1, ComputeInstance: -1}, event)
	event, _ = events.Wait(2)
	assert.True(t, same(event.Device, gpu))
	events.Free()

	older, newer := sampleOf(t, gpu, -1), sampleOf(t, gpu, -1)
	metrics := []driver.GPMValue{{ID: 2}, {ID: 5}}
	assert.Equal(t, driver.Success, lib.GPMMetrics(older, newer, metrics))
	assert.Equal(t, []driver.GPMValue{{ID: 2, Value: 2}, {ID: 5, Value: 5}}, metrics)
	older.Free()
	newer.Free()
}

func TestAcquireAtOnce(t *testing.T) {
	if !inChild(t, 0) {
		return
	}
	var users sync.WaitGroup
	for n := range 8 {
		users.Go(func() {
			for range 30 {
				lib, ret := Acquire(os.Getenv(libraryVariable))
				if !assert.Equal(t, driver.Success, ret) || !assert.Equal(t, driver.Success, lib.Init()) {
					return
				}
				if d, ret := lib.Device(0); ret == driver.Success {
					_ = calls["UUID"](d)
				}
				if n%2 == 0 {
					_ = lib.Shutdown()
				}
				Release(lib)
			}
		})
	}
	users.Wait()
	assert.Zero(t, process.users)
	assert.Zero(t, process.core.inits)
	lib := loaded(t)
	assert.Equal(t, driver.Versions{NVML: "1"}, lib.Versions())
}
