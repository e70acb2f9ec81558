//go:build linux && cgo

package gonvml

import (
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// defaultPath is what go-nvml opens unless told otherwise; the linker searches for it.
const defaultPath = "libnvidia-ml.so.1"

// process holds the one library of the process and counts its users.
var process struct {
	mu    sync.Mutex
	core  *core
	path  string
	users int
}

// Acquire makes a user of the process's NVML library. The path "" is libnvidia-ml.so.1, as
// the dynamic linker finds it. The answer is driver.OtherLibraryInUse, and no library, if
// there are users of another path or one was ever loaded: its functions stay bound until
// the process ends. Nothing is loaded before Init.
func Acquire(path string) (driver.Library, driver.Return) {
	if path == "" {
		path = defaultPath
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.core != nil && process.path != path {
		if process.users > 0 || process.core.loaded.Load() {
			return nil, driver.OtherLibraryInUse
		}
		process.core = nil
	}
	if process.core == nil {
		process.path = path
		process.core = newCore(nvml.New(nvml.WithLibraryPath(path)), func() (func(), driver.Return) {
			return preflight(path)
		})
	}
	process.users++
	return &library{core: process.core, counted: true}, driver.Success
}

// Release gives up a library that Acquire or New made; it must not be used afterwards. A
// user that did not shut down is shut down, which may block. One whose Init or Shutdown
// hangs can be released all the same: an Init that ends later undoes itself.
func Release(lib driver.Library) {
	l, ok := lib.(*library)
	if !ok || !l.core.release(l) || !l.counted {
		return
	}
	process.mu.Lock()
	defer process.mu.Unlock()
	process.users--
}

// New makes a library on any implementation of the binding, such as its mocks, which has
// nothing to do with the process's. Two functions are taken for missing, as the binding
// calls them in C even for a mock: nvmlDeviceGetTemperatureV and
// nvmlDeviceGetGpuFabricInfoV.
func New(api nvml.Interface) driver.Library {
	c := newCore(api, nil)
	c.goOnly = true
	return &library{core: c}
}
