package gpu

import (
	"fmt"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// maxRecoveryAction is beyond all of nvmlDeviceGpuRecoveryAction_t, which has 5 so far.
const maxRecoveryAction = 255

// planFields lists the fields to ask for in one call. What the GPU does not support leaves
// the list after the first answer: a batch costs the sum of its slow members.
func (r *reader) planFields() {
	on := &r.on.Metrics
	r.fields = r.fields[:0]
	add := func(enabled bool, scope uint32, ids ...uint32) {
		for _, id := range ids {
			if enabled {
				r.fields = append(r.fields, driver.FieldValue{ID: id, Scope: scope})
			}
		}
	}
	add(on.HwTemperature.Enabled, 0, driver.FieldMemoryTemperature)
	add(on.NvidiaGpuPowerInstant.Enabled, 0, driver.FieldPowerInstant)
	add(on.NvidiaGpuPowerInstant.Enabled, 1, driver.FieldPowerInstant)
	add(on.NvidiaGpuClockLimitedTime.Enabled, 0, driver.FieldSWPowerCapTime, driver.FieldThermalTime,
		driver.FieldSyncBoostTime, driver.FieldBoardLimitTime, driver.FieldReliabilityTime)
	add(on.NvidiaGpuClockLimitedTime.Enabled && r.thermalTimes, 0,
		driver.FieldSWThermalTime, driver.FieldHWThermalTime, driver.FieldHWPowerBrakeTime)
	add(on.HwGpuIo.Enabled, 0, driver.FieldPCIeTransmitBytes, driver.FieldPCIeReceiveBytes)
	add(on.NvidiaGpuPcieReplays.Enabled, 0, driver.FieldPCIeReplays)
	add(on.HwStatus.Enabled, 0, driver.FieldRecoveryAction)
	add(on.NvidiaGpuNvlinkIo.Enabled, driver.AllLinks, driver.FieldNVLinkDataTransmit, driver.FieldNVLinkDataReceive)
	add(on.NvidiaGpuNvlinkIo.Enabled || on.NvidiaGpuNvlinkErrors.Enabled, 0, driver.FieldNVLinkCount)
	r.links.reset()
}

func (r *reader) readFields() {
	if len(r.fields) == 0 || !r.wants(true, itemFields) {
		return
	}
	if ret := r.dev.FieldValues(r.fields); !r.ok(itemFields, ret) {
		return
	}
	for i := range r.fields {
		f := &r.fields[i]
		switch {
		case f.Return == driver.Success:
			r.recordField(f)
		case f.Return.Unsupported():
			if !ofLink(f.ID) {
				r.tell(fmt.Sprintf("GetFieldValues(%d)", f.ID), f.Return)
			}
		default:
			r.failed("GetFieldValues", f.Return)
		}
	}
	r.recordLinks()
	links := r.links.found
	r.fields = slices.DeleteFunc(r.fields, func(f driver.FieldValue) bool {
		return f.Return.Unsupported() || f.ID == driver.FieldNVLinkCount && f.Return == driver.Success
	})
	if links > 0 && !r.links.planned {
		r.planLinks(links)
	}
}

func (r *reader) recordField(f *driver.FieldValue) {
	name := r.identity.Name
	switch f.ID {
	case driver.FieldMemoryTemperature:
		// 0 is what drivers give where there is no sensor.
		if f.Value != 0 {
			r.recordTemperature(f.Value, metadata.AttributeHwSensorLocationMemory)
		}
	case driver.FieldPowerInstant:
		scope := metadata.AttributeNvidiaPowerScopeGpu
		if f.Scope == 1 {
			scope = metadata.AttributeNvidiaPowerScopeModule
		}
		if watts := f.Value / 1000; r.sane("instant power", watts, 0, maxWatts) {
			r.build.RecordNvidiaGpuPowerInstantDataPoint(r.now, watts, r.uuid, name, scope)
		}
	case driver.FieldSWPowerCapTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonSwPowerCap)
	case driver.FieldThermalTime:
		// All thermal reasons in one, on drivers that do not tell them apart.
		if !r.thermalTimes {
			r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonSwThermal)
		}
	case driver.FieldSyncBoostTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonSyncBoost)
	case driver.FieldBoardLimitTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonBoard)
	case driver.FieldReliabilityTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonReliability)
	case driver.FieldSWThermalTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonSwThermal)
	case driver.FieldHWThermalTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonHwThermal)
	case driver.FieldHWPowerBrakeTime:
		r.recordLimitTime(f, metadata.AttributeNvidiaGpuClockLimitReasonHwPowerBrake)
	case driver.FieldPCIeTransmitBytes:
		r.recordPCIe(f, metadata.AttributeNetworkIoDirectionTransmit)
	case driver.FieldPCIeReceiveBytes:
		r.recordPCIe(f, metadata.AttributeNetworkIoDirectionReceive)
	case driver.FieldPCIeReplays:
		if r.countable("PCIe replays", f) {
			v := r.count("nvidia.gpu.pcie.replays", 0, f.Uint, f.Wraps32)
			r.build.RecordNvidiaGpuPcieReplaysDataPoint(r.now, int64(v), r.uuid, name)
		}
	case driver.FieldRecoveryAction:
		if r.sane("recovery action", f.Value, 0, maxRecoveryAction) {
			r.health.recovery = f.Uint
		}
	default:
		if r.sane("NVLink", f.Value, 0, maxLinkValue) {
			r.links.take(f)
		}
	}
}

// countable tells whether a field can be what a counter says.
func (r *reader) countable(what string, f *driver.FieldValue) bool {
	return r.sane(what, f.Value, 0, 1<<62)
}

// recordLimitTime is for the fields that count nanoseconds.
func (r *reader) recordLimitTime(f *driver.FieldValue, reason metadata.AttributeNvidiaGpuClockLimitReason) {
	if r.countable("clock limit time", f) {
		v := r.count("nvidia.gpu.clock.limited.time", int(reason), f.Uint, f.Wraps32)
		r.build.RecordNvidiaGpuClockLimitedTimeDataPoint(r.now, float64(v)/1e9, r.uuid, r.identity.Name, reason)
	}
}

func (r *reader) recordPCIe(f *driver.FieldValue, direction metadata.AttributeNetworkIoDirection) {
	if r.countable("PCIe bytes", f) {
		v := r.count("hw.gpu.io", int(direction), f.Uint, f.Wraps32)
		r.build.RecordHwGpuIoDataPoint(r.now, int64(v), r.uuid, r.identity.Name, direction)
	}
}
