//go:build !(linux && cgo)

package gonvml

import "github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"

// Acquire makes a library that cannot be initialised: go-nvml needs linux and cgo.
func Acquire(string) (driver.Library, driver.Return) {
	return stub{}, driver.Success
}

// Release has nothing to give up.
func Release(driver.Library) {}

type stub struct{}

func (stub) Init() driver.Return               { return driver.BuiltWithoutSupport }
func (stub) Shutdown() driver.Return           { return driver.BuiltWithoutSupport }
func (stub) Versions() driver.Versions         { return driver.Versions{} }
func (stub) DeviceCount() (int, driver.Return) { return 0, driver.BuiltWithoutSupport }

func (stub) Device(int) (driver.Device, driver.Return) {
	return nil, driver.BuiltWithoutSupport
}

func (stub) NewEventSet() (driver.EventSet, driver.Return) {
	return nil, driver.BuiltWithoutSupport
}

func (stub) GPMMetrics(driver.GPMSample, driver.GPMSample, []driver.GPMValue) driver.Return {
	return driver.BuiltWithoutSupport
}
