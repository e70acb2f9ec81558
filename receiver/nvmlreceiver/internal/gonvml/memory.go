//go:build linux && cgo

package gonvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// Memory implements driver.Device. The first version of the function counts the driver's
// reserved bytes as used.
func (d device) Memory() (memory driver.Memory, ret driver.Return) {
	if ret = d.enter(symMemoryInfoV2, symMemoryInfo); ret != driver.Success {
		return driver.Memory{}, ret
	}
	defer d.core.leave(&ret)
	ret = driver.FunctionNotFound
	if d.has(symMemoryInfoV2) {
		info, code := d.handle.GetMemoryInfo_v2()
		memory = driver.Memory{Total: info.Total, Used: info.Used, Reserved: info.Reserved, HasReserved: true}
		ret = driver.Return(code)
	}
	if d.has(symMemoryInfo) && outdated(ret) {
		info, code := d.handle.GetMemoryInfo()
		memory = driver.Memory{Total: info.Total, Used: info.Used}
		ret = driver.Return(code)
	}
	switch {
	case ret != driver.Success:
		return driver.Memory{}, ret
	case memory.Total == 0, memory.Total == math.MaxUint64, memory.Used == math.MaxUint64:
		return driver.Memory{}, driver.NoData
	default:
		return memory, driver.Success
	}
}

// ECCErrors implements driver.Device.
func (d device) ECCErrors(uncorrected bool) (count uint64, ret driver.Return) {
	if ret = d.enter(symTotalECCErrors); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetTotalEccErrors(errorType(uncorrected), nvml.VOLATILE_ECC))
}

// MemoryErrors implements driver.Device.
func (d device) MemoryErrors(uncorrected, aggregate bool, location driver.MemoryLocation) (
	count uint64, ret driver.Return,
) {
	if ret = d.enter(symMemoryErrorCounter); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	counter := nvml.VOLATILE_ECC
	if aggregate {
		counter = nvml.AGGREGATE_ECC
	}
	return checked(d.handle.GetMemoryErrorCounter(errorType(uncorrected), counter, nvml.MemoryLocation(location)))
}

func errorType(uncorrected bool) nvml.MemoryErrorType {
	if uncorrected {
		return nvml.MEMORY_ERROR_TYPE_UNCORRECTED
	}
	return nvml.MEMORY_ERROR_TYPE_CORRECTED
}

// RemappedRows implements driver.Device.
func (d device) RemappedRows() (rows driver.RemappedRows, ret driver.Return) {
	if ret = d.enter(symRemappedRows); ret != driver.Success {
		return driver.RemappedRows{}, ret
	}
	defer d.core.leave(&ret)
	var code nvml.Return
	rows.Correctable, rows.Uncorrectable, rows.Pending, rows.Failed, code = d.handle.GetRemappedRows()
	for _, count := range [...]int{rows.Correctable, rows.Uncorrectable} {
		if _, ret = checked(count, code); ret != driver.Success {
			return driver.RemappedRows{}, ret
		}
	}
	return rows, driver.Success
}
