//go:build linux && cgo

package gonvml

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// attempts is how often a list is asked for whose size changes between the question for
// the size and that for the list.
const attempts = 3

// Samples implements driver.Device. Slots of the driver's ring that were never filled have
// no time.
func (d device) Samples(kind driver.SampleKind, since uint64, buf []driver.Sample) (
	samples []driver.Sample, ret driver.Return,
) {
	samples = buf
	if ret = d.enter(symSamples); ret != driver.Success {
		return samples, ret
	}
	defer d.core.leave(&ret)
	var valueType nvml.ValueType
	var raw []nvml.Sample
	for range attempts {
		valueType, raw, ret = d.readSamples(kind, since)
		if ret != driver.InsufficientSize && ret != driver.CallPanicked {
			break
		}
	}
	if ret != driver.Success {
		return samples, ret
	}
	for i := range raw {
		value, ok := decode(valueType, raw[i].SampleValue)
		bad := kind == driver.SampleUtilization && (value.float < 0 || value.float > 100)
		if !ok || bad || raw[i].TimeStamp <= since {
			continue
		}
		samples = append(samples, driver.Sample{Time: raw[i].TimeStamp, Value: value.float})
	}
	return samples, driver.Success
}

func (d device) readSamples(kind driver.SampleKind, since uint64) (
	valueType nvml.ValueType, raw []nvml.Sample, ret driver.Return,
) {
	defer caught(&ret)
	valueType, raw, code := d.handle.GetSamples(nvml.SamplingType(kind), since)
	return valueType, raw, driver.Return(code)
}

// decoded is an nvmlValue_t.
type decoded struct {
	float float64
	uint  uint64 // float without its fraction, and of an integer without loss; 0 if negative
	wraps bool   // at 32 bits or less
}

// decode reads the union nvmlValue_t as its type says; ok is false for no value and for
// types that are newer than this program.
func decode(valueType nvml.ValueType, raw [8]byte) (value decoded, ok bool) {
	word, long := binary.NativeEndian.Uint32(raw[:]), binary.NativeEndian.Uint64(raw[:])
	switch valueType {
	case nvml.VALUE_TYPE_DOUBLE:
		f := math.Float64frombits(long)
		return decoded{float: f, uint: whole(f)}, !math.IsNaN(f) && !math.IsInf(f, 0)
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return decoded{float: float64(word), uint: uint64(word), wraps: true}, word != math.MaxUint32
	case nvml.VALUE_TYPE_UNSIGNED_LONG, nvml.VALUE_TYPE_UNSIGNED_LONG_LONG:
		// An unsigned long of a 64-bit Linux has 64 bits.
		return decoded{float: float64(long), uint: long}, long != math.MaxUint64
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return signed(int64(long)), true
	case nvml.VALUE_TYPE_SIGNED_INT:
		return signed(int64(int32(word))), true
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		short := binary.NativeEndian.Uint16(raw[:])
		return decoded{float: float64(short), uint: uint64(short), wraps: true}, true
	default:
		return decoded{}, false
	}
}

// whole is a number without its fraction, within what an uint64 holds.
func whole(f float64) uint64 {
	switch {
	case f >= math.MaxUint64:
		return math.MaxUint64
	case f >= 0:
		return uint64(f)
	default:
		return 0
	}
}

func signed(v int64) decoded {
	return decoded{float: float64(v), uint: uint64(max(v, 0))}
}
