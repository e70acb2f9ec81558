//go:build linux && cgo

package gonvml

import (
	"reflect"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// SupportedEvents implements driver.Device.
func (d device) SupportedEvents() (types driver.EventType, ret driver.Return) {
	if ret = d.enter(symSupportedEvents); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	bits, ret := checked(d.handle.GetSupportedEventTypes())
	return driver.EventType(bits), ret
}

// eventSet is a set of one epoch.
type eventSet struct {
	core  *core
	epoch uint64
	set   nvml.EventSet
}

// NewEventSet implements driver.Library.
func (l *library) NewEventSet() (created driver.EventSet, ret driver.Return) {
	epoch := l.epoch.Load()
	if ret = l.core.enter(epoch, symEventSetCreate); ret != driver.Success {
		return nil, ret
	}
	defer l.core.leave(&ret)
	set, code := l.core.api.EventSetCreate()
	if code != nvml.SUCCESS {
		return nil, driver.Return(code)
	}
	return &eventSet{core: l.core, epoch: epoch, set: set}, driver.Success
}

// Register implements driver.EventSet. One type that the device does not support fails
// all: the caller asks SupportedEvents first.
func (s *eventSet) Register(registered driver.Device, types driver.EventType) (ret driver.Return) {
	d, ok := registered.(device)
	switch {
	case !ok, d.core != s.core:
		return driver.InvalidArgument
	case d.epoch != s.epoch:
		return driver.Uninitialized
	}
	if ret = s.core.enter(s.epoch, symRegisterEvents); ret != driver.Success {
		return ret
	}
	defer s.core.leave(&ret)
	return driver.Return(d.handle.RegisterEvents(uint64(types), s.set))
}

// Wait implements driver.EventSet. Whoever shuts the library down waits for it.
func (s *eventSet) Wait(timeoutMillis uint32) (event driver.Event, ret driver.Return) {
	if ret = s.core.enter(s.epoch, symEventSetWaitV2, symEventSetWait); ret != driver.Success {
		return driver.Event{}, ret
	}
	defer s.core.leave(&ret)
	data, code := s.set.Wait(timeoutMillis)
	if code != nvml.SUCCESS {
		return driver.Event{}, driver.Return(code)
	}
	event = driver.Event{
		Type:            driver.EventType(data.EventType),
		Data:            data.EventData,
		GPUInstance:     instance(data.GpuInstanceId),
		ComputeInstance: instance(data.ComputeInstanceId),
	}
	if !noHandle(data.Device) {
		event.Device = device{core: s.core, epoch: s.epoch, handle: data.Device}
	}
	return event, driver.Success
}

// Free implements driver.EventSet. A set of a past epoch is forgotten, as its library is
// gone.
func (s *eventSet) Free() {
	ret := s.core.enter(s.epoch, symEventSetFree)
	if ret != driver.Success {
		return
	}
	defer s.core.leave(&ret)
	_ = s.set.Free()
}

// noHandle tells that a device is no device. The binding's own type is not exported: a
// struct around a C pointer that is nil.
func noHandle(handle nvml.Device) bool {
	return handle == nil || reflect.ValueOf(handle).IsZero()
}
