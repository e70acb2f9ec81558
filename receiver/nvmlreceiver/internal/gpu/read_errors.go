package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

var memoryLocations = []struct {
	location driver.MemoryLocation
	attr     metadata.AttributeEccLocation
}{
	{driver.LocationL1, metadata.AttributeEccLocationL1Cache},
	{driver.LocationL2, metadata.AttributeEccLocationL2Cache},
	{driver.LocationDRAM, metadata.AttributeEccLocationDram},
	{driver.LocationRegister, metadata.AttributeEccLocationRegisterFile},
	{driver.LocationTexture, metadata.AttributeEccLocationTexture},
	{driver.LocationSRAM, metadata.AttributeEccLocationSram},
}

func (r *reader) readErrors() {
	on := &r.on.Metrics
	r.readECC(false, itemECCCorrected, metadata.AttributeErrorTypeCorrected)
	r.readECC(true, itemECCUncorrected, metadata.AttributeErrorTypeUncorrected)
	if r.wants(on.NvidiaGpuEccErrors.Enabled, itemMemoryErrors) {
		r.readMemoryErrors()
	}
	remap := on.NvidiaGpuMemoryRowRemapRows.Enabled || on.NvidiaGpuMemoryRowRemapState.Enabled || on.HwStatus.Enabled
	if r.wants(remap, itemRemappedRows) {
		if rows, ret := r.dev.RemappedRows(); r.ok(itemRemappedRows, ret) {
			r.recordRemap(rows)
		}
	}
}

func (r *reader) readECC(uncorrected bool, i item, kind metadata.AttributeErrorType) {
	if !r.wants(r.on.Metrics.HwErrors.Enabled, i) {
		return
	}
	if n, ret := r.dev.ECCErrors(uncorrected); r.ok(i, ret) && r.sane("ECC errors", float64(n), 0, 1<<62) {
		v := r.count("hw.errors", int(kind), n, false)
		r.build.RecordHwErrorsDataPoint(r.now, int64(v), r.uuid, r.identity.Name, metadata.AttributeHwTypeGpu, kind)
	}
}

// readMemoryErrors asks for each place; a GPU counts only in some of them, so the item is
// refused only when all are.
func (r *reader) readMemoryErrors() {
	last, answered := driver.Success, false
	for _, uncorrected := range []bool{false, true} {
		kind := metadata.AttributeErrorTypeCorrected
		if uncorrected {
			kind = metadata.AttributeErrorTypeUncorrected
		}
		for _, aggregate := range []bool{false, true} {
			since := metadata.AttributeEccCounterVolatile
			if aggregate {
				since = metadata.AttributeEccCounterAggregate
			}
			for _, l := range memoryLocations {
				n, ret := r.dev.MemoryErrors(uncorrected, aggregate, l.location)
				switch {
				case ret == driver.Success:
					answered = true
				case ret.Unsupported():
					last = ret
					continue
				default:
					r.failed(itemNames[itemMemoryErrors], ret)
					return
				}
				if r.sane("ECC errors", float64(n), 0, 1<<62) {
					v := r.count("nvidia.gpu.ecc.errors", int(kind)<<16|int(since)<<8|int(l.attr), n, false)
					r.build.RecordNvidiaGpuEccErrorsDataPoint(r.now, int64(v), r.uuid, r.identity.Name, kind, since, l.attr)
				}
			}
		}
	}
	if !answered {
		r.ok(itemMemoryErrors, last)
	}
}

func (r *reader) recordRemap(rows driver.RemappedRows) {
	r.health.remapPending, r.health.remapFailed = rows.Pending, rows.Failed
	name := r.identity.Name
	r.build.RecordNvidiaGpuMemoryRowRemapRowsDataPoint(r.now, int64(rows.Correctable), r.uuid, name, metadata.AttributeRemapCauseCorrectable)
	r.build.RecordNvidiaGpuMemoryRowRemapRowsDataPoint(r.now, int64(rows.Uncorrectable), r.uuid, name, metadata.AttributeRemapCauseUncorrectable)
	r.build.RecordNvidiaGpuMemoryRowRemapStateDataPoint(r.now, oneIf(rows.Pending), r.uuid, name, metadata.AttributeRemapStatePending)
	r.build.RecordNvidiaGpuMemoryRowRemapStateDataPoint(r.now, oneIf(rows.Failed), r.uuid, name, metadata.AttributeRemapStateFailed)
}

func oneIf(on bool) int64 {
	if on {
		return 1
	}
	return 0
}
