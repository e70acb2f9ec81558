//go:build linux && cgo

package gonvml

import (
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// library is one user of a core.
type library struct {
	core    *core
	counted bool          // by Acquire
	epoch   atomic.Uint64 // that the user has joined; 0 is none

	released bool // under core.mu
}

var _ driver.Library = (*library)(nil)

// Init implements driver.Library; the package comment tells what a second one does.
func (l *library) Init() driver.Return { return l.core.attach(l) }

// Shutdown implements driver.Library. driver.InUse tells that NVML was left open because a
// call hangs in it.
func (l *library) Shutdown() driver.Return { return l.core.detach(l) }

// Versions implements driver.Library.
func (l *library) Versions() driver.Versions {
	if v := l.core.versions.Load(); v != nil {
		return *v
	}
	return driver.Versions{}
}

// DeviceCount implements driver.Library.
func (l *library) DeviceCount() (count int, ret driver.Return) {
	if ret = l.core.enter(l.epoch.Load(), symCountV2, symCount); ret != driver.Success {
		return 0, ret
	}
	defer l.core.leave(&ret)
	return checked(l.core.api.DeviceGetCount())
}

// Device implements driver.Library.
func (l *library) Device(index int) (found driver.Device, ret driver.Return) {
	epoch := l.epoch.Load()
	if ret = l.core.enter(epoch, symHandleByIndexV2, symHandleByIndex); ret != driver.Success {
		return nil, ret
	}
	defer l.core.leave(&ret)
	handle, code := l.core.api.DeviceGetHandleByIndex(index)
	return l.core.device(epoch, handle, code)
}
