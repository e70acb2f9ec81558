package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

var clocks = []struct {
	clock  driver.Clock
	item   item
	domain metadata.AttributeNvidiaGpuClockDomain
}{
	{driver.ClockGraphics, itemClockGraphics, metadata.AttributeNvidiaGpuClockDomainGraphics},
	{driver.ClockSM, itemClockSM, metadata.AttributeNvidiaGpuClockDomainSm},
	{driver.ClockMemory, itemClockMemory, metadata.AttributeNvidiaGpuClockDomainMemory},
	{driver.ClockVideo, itemClockVideo, metadata.AttributeNvidiaGpuClockDomainVideo},
}

var clockLimits = []struct {
	limit  driver.ClockLimit
	reason metadata.AttributeNvidiaGpuClockLimitReason
}{
	{driver.LimitIdle, metadata.AttributeNvidiaGpuClockLimitReasonIdle},
	{driver.LimitAppClocks, metadata.AttributeNvidiaGpuClockLimitReasonApplicationClocks},
	{driver.LimitSWPowerCap, metadata.AttributeNvidiaGpuClockLimitReasonSwPowerCap},
	{driver.LimitHWSlowdown, metadata.AttributeNvidiaGpuClockLimitReasonHwSlowdown},
	{driver.LimitSyncBoost, metadata.AttributeNvidiaGpuClockLimitReasonSyncBoost},
	{driver.LimitSWThermal, metadata.AttributeNvidiaGpuClockLimitReasonSwThermal},
	{driver.LimitHWThermal, metadata.AttributeNvidiaGpuClockLimitReasonHwThermal},
	{driver.LimitHWPowerBrake, metadata.AttributeNvidiaGpuClockLimitReasonHwPowerBrake},
	{driver.LimitDisplayClocks, metadata.AttributeNvidiaGpuClockLimitReasonDisplay},
	{driver.LimitBoard, metadata.AttributeNvidiaGpuClockLimitReasonBoard},
	{driver.LimitReliability, metadata.AttributeNvidiaGpuClockLimitReasonReliability},
}

func (r *reader) readClocks() {
	on := &r.on.Metrics
	for _, c := range clocks {
		if !r.wants(on.NvidiaGpuClockFrequency.Enabled, c.item) {
			continue
		}
		if megahertz, ret := r.dev.Clock(c.clock); r.ok(c.item, ret) && r.sane("clock", float64(megahertz), 0, maxMegahertz) {
			r.build.RecordNvidiaGpuClockFrequencyDataPoint(r.now, int64(megahertz)*1e6, r.uuid, r.identity.Name, c.domain)
		}
	}
	r.readClockLimits()
	if r.wants(on.NvidiaGpuPerformanceState.Enabled, itemPerformanceState) {
		// 32 is unknown.
		if state, ret := r.dev.PerformanceState(); r.ok(itemPerformanceState, ret) && state >= 0 && state < 32 {
			r.build.RecordNvidiaGpuPerformanceStateDataPoint(r.now, int64(state), r.uuid, r.identity.Name)
		}
	}
}

// readClockLimits also tells the health: some reasons are faults.
func (r *reader) readClockLimits() {
	on := &r.on.Metrics
	if !r.wants(on.NvidiaGpuClockLimited.Enabled || on.HwStatus.Enabled, itemClockLimits) {
		return
	}
	active, ret := r.dev.ClockLimits()
	if !r.ok(itemClockLimits, ret) {
		return
	}
	r.health.limits = active
	if r.limits == 0 && r.wants(true, itemSupportedClockLimits) {
		if supported, ret := r.dev.SupportedClockLimits(); r.ok(itemSupportedClockLimits, ret) {
			r.limits = supported
		}
	}
	for _, c := range clockLimits {
		value := int64(0)
		if active&c.limit != 0 {
			value = 1
		}
		if r.limits&c.limit != 0 || value == 1 {
			r.build.RecordNvidiaGpuClockLimitedDataPoint(r.now, value, r.uuid, r.identity.Name, c.reason)
		}
	}
}
