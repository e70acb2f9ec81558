//go:build linux && cgo

package gonvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// device is a GPU or MIG device of one epoch. It is a value, so that two of one handle are
// equal.
type device struct {
	core   *core
	epoch  uint64
	handle nvml.Device
}

var _ driver.Device = device{}

func (c *core) device(epoch uint64, handle nvml.Device, code nvml.Return) (driver.Device, driver.Return) {
	if code != nvml.SUCCESS {
		return nil, driver.Return(code)
	}
	if noHandle(handle) {
		return nil, driver.NotFound
	}
	return device{core: c, epoch: epoch, handle: handle}, driver.Success
}

func (d device) enter(anyOf ...symbol) driver.Return { return d.core.enter(d.epoch, anyOf...) }

func (d device) has(s symbol) bool { return d.core.exported[s] }

// Utilization implements driver.Device.
func (d device) Utilization() (gpu, memory uint32, ret driver.Return) {
	if ret = d.enter(symUtilization); ret != driver.Success {
		return 0, 0, ret
	}
	defer d.core.leave(&ret)
	rates, code := d.handle.GetUtilizationRates()
	gpu, ret = percent(rates.Gpu, code)
	if ret != driver.Success {
		return 0, 0, ret
	}
	memory, ret = percent(rates.Memory, code)
	if ret != driver.Success {
		return 0, 0, ret
	}
	return gpu, memory, driver.Success
}

// EncoderUtilization implements driver.Device.
func (d device) EncoderUtilization() (busy uint32, ret driver.Return) {
	if ret = d.enter(symEncoderUtilization); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	busy, _, code := d.handle.GetEncoderUtilization()
	return percent(busy, code)
}

// DecoderUtilization implements driver.Device.
func (d device) DecoderUtilization() (busy uint32, ret driver.Return) {
	if ret = d.enter(symDecoderUtilization); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	busy, _, code := d.handle.GetDecoderUtilization()
	return percent(busy, code)
}

// Clock implements driver.Device.
func (d device) Clock(clock driver.Clock) (megahertz uint32, ret driver.Return) {
	if ret = d.enter(symClockInfo); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetClockInfo(nvml.ClockType(clock)))
}

// ClockLimits implements driver.Device. The reasons of throttling were renamed to those of
// clock events in R535.
func (d device) ClockLimits() (limits driver.ClockLimit, ret driver.Return) {
	if ret = d.enter(symEventReasons, symThrottleReasons); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return clockLimits(
		d.has(symEventReasons), d.handle.GetCurrentClocksEventReasons,
		d.has(symThrottleReasons), d.handle.GetCurrentClocksThrottleReasons)
}

// SupportedClockLimits implements driver.Device.
func (d device) SupportedClockLimits() (limits driver.ClockLimit, ret driver.Return) {
	if ret = d.enter(symSupportedEventReasons, symSupportedThrottleReasons); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return clockLimits(
		d.has(symSupportedEventReasons), d.handle.GetSupportedClocksEventReasons,
		d.has(symSupportedThrottleReasons), d.handle.GetSupportedClocksThrottleReasons)
}

func clockLimits(hasNew bool, readNew func() (uint64, nvml.Return),
	hasOld bool, readOld func() (uint64, nvml.Return),
) (driver.ClockLimit, driver.Return) {
	reasons, ret := uint64(0), driver.FunctionNotFound
	if hasNew {
		reasons, ret = checked(readNew())
	}
	if hasOld && outdated(ret) {
		reasons, ret = checked(readOld())
	}
	return driver.ClockLimit(reasons), ret
}

// PerformanceState implements driver.Device.
func (d device) PerformanceState() (state int, ret driver.Return) {
	if ret = d.enter(symPerformanceState); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	p, code := d.handle.GetPerformanceState()
	if code == nvml.SUCCESS && (p < nvml.PSTATE_0 || p > nvml.PSTATE_15) {
		return 0, driver.NoData
	}
	return checked(int(p), code)
}

// PCIeThroughput implements driver.Device.
func (d device) PCIeThroughput(receive bool) (kilobytes uint32, ret driver.Return) {
	if ret = d.enter(symPCIeThroughput); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	counter := nvml.PCIE_UTIL_TX_BYTES
	if receive {
		counter = nvml.PCIE_UTIL_RX_BYTES
	}
	return checked(d.handle.GetPcieThroughput(counter))
}
