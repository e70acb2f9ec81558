//go:build linux && cgo

package gonvml

import (
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// checked turns an answer into the driver's, where all bits set, NVML_VALUE_NOT_AVAILABLE,
// is no value. The binding hands out some unsigned C integers as int.
func checked[T uint32 | uint64 | int](value T, code nvml.Return) (T, driver.Return) {
	if code != nvml.SUCCESS {
		return 0, driver.Return(code)
	}
	var absent bool
	switch v := any(value).(type) {
	case uint32:
		absent = v == math.MaxUint32
	case uint64:
		absent = v == math.MaxUint64
	case int:
		absent = v < 0 || v >= math.MaxUint32
	}
	if absent {
		return 0, driver.NoData
	}
	return value, driver.Success
}

// percent is checked for what cannot be more than 100.
func percent(value uint32, code nvml.Return) (uint32, driver.Return) {
	if code == nvml.SUCCESS && value > 100 {
		return 0, driver.NoData
	}
	return checked(value, code)
}

// outdated tells that an older function may know what this one does not.
func outdated(ret driver.Return) bool {
	switch ret {
	case driver.NotSupported, driver.FunctionNotFound, driver.ArgumentMismatch, driver.Deprecated:
		return true
	default:
		return false
	}
}
