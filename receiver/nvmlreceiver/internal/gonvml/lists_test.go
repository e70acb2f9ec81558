//go:build linux && cgo

package gonvml

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

func bits(v uint64) (raw [8]byte) {
	binary.NativeEndian.PutUint64(raw[:], v)
	return raw
}

func bits32(v uint32) (raw [8]byte) {
	// The rest of the union is not cleared by the driver.
	raw = bits(math.MaxUint64)
	binary.NativeEndian.PutUint32(raw[:], v)
	return raw
}

func bits16(v uint16) (raw [8]byte) {
	raw = bits(math.MaxUint64)
	binary.NativeEndian.PutUint16(raw[:], v)
	return raw
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name      string
		valueType nvml.ValueType
		raw       [8]byte
		want      decoded
		ok        bool
	}{
		{"double", nvml.VALUE_TYPE_DOUBLE, bits(math.Float64bits(1.5)), decoded{float: 1.5, uint: 1}, true},
		{"negative double", nvml.VALUE_TYPE_DOUBLE, bits(math.Float64bits(-1.5)), decoded{float: -1.5}, true},
		{"huge double", nvml.VALUE_TYPE_DOUBLE, bits(math.Float64bits(1e300)), decoded{float: 1e300, uint: math.MaxUint64}, true},
		{"not a number", nvml.VALUE_TYPE_DOUBLE, bits(math.Float64bits(math.NaN())), decoded{}, false},
		{"unsigned int", nvml.VALUE_TYPE_UNSIGNED_INT, bits32(4e9), decoded{float: 4e9, uint: 4e9, wraps: true}, true},
		{"no unsigned int", nvml.VALUE_TYPE_UNSIGNED_INT, bits32(none), decoded{}, false},
		{"unsigned long", nvml.VALUE_TYPE_UNSIGNED_LONG, bits(1 << 40), decoded{float: 1 << 40, uint: 1 << 40}, true},
		{"unsigned long long", nvml.VALUE_TYPE_UNSIGNED_LONG_LONG, bits(1<<60 + 1), decoded{float: 1 << 60, uint: 1<<60 + 1}, true},
		{"no unsigned long long", nvml.VALUE_TYPE_UNSIGNED_LONG_LONG, bits(math.MaxUint64), decoded{}, false},
		{"long long", nvml.VALUE_TYPE_SIGNED_LONG_LONG, bits(math.MaxUint64 - 4), decoded{float: -5}, true},
		{"int", nvml.VALUE_TYPE_SIGNED_INT, bits32(math.MaxUint32 - 4), decoded{float: -5}, true},
		{"positive int", nvml.VALUE_TYPE_SIGNED_INT, bits32(5), decoded{float: 5, uint: 5}, true},
		{"unsigned short", nvml.VALUE_TYPE_UNSIGNED_SHORT, bits16(500), decoded{float: 500, uint: 500, wraps: true}, true},
		{"of a later header", nvml.VALUE_TYPE_COUNT, bits(5), decoded{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			value, ok := decode(tt.valueType, tt.raw)
			assert.Equal(t, tt.ok, ok)
			if ok {
				assert.Equal(t, tt.want, value)
			}
		})
	}
}

func TestSamples(t *testing.T) {
	answers := []nvml.Return{nvml.ERROR_INSUFFICIENT_SIZE, nvml.SUCCESS}
	gpu := &mock.Device{GetSamplesFunc: func(kind nvml.SamplingType, since uint64) (nvml.ValueType, []nvml.Sample, nvml.Return) {
		assert.Equal(t, nvml.GPU_UTILIZATION_SAMPLES, kind)
		assert.Equal(t, uint64(100), since)
		ret := answers[0]
		answers = answers[1:]
		return nvml.VALUE_TYPE_UNSIGNED_INT, []nvml.Sample{
			{TimeStamp: 0, SampleValue: bits32(3)},
			{TimeStamp: 100, SampleValue: bits32(3)},
			{TimeStamp: 101, SampleValue: bits32(50)},
			{TimeStamp: 102, SampleValue: bits32(101)},
			{TimeStamp: 103, SampleValue: bits32(none)},
			{TimeStamp: 104, SampleValue: bits32(100)},
		}, ret
	}}
	device := gpuOf(t, started(t, newAPI(gpu)))
	buf := make([]driver.Sample, 1, 8)
	samples, ret := device.Samples(driver.SampleUtilization, 100, buf)
	require.Equal(t, driver.Success, ret)
	assert.Equal(t, []driver.Sample{{}, {Time: 101, Value: 50}, {Time: 104, Value: 100}}, samples)
	assert.Same(t, &buf[0], &samples[0], "the buffer is reused")

	answers = []nvml.Return{nvml.ERROR_INSUFFICIENT_SIZE, nvml.ERROR_INSUFFICIENT_SIZE, nvml.ERROR_INSUFFICIENT_SIZE}
	samples, ret = device.Samples(driver.SampleUtilization, 100, buf)
	assert.Equal(t, driver.InsufficientSize, ret)
	assert.Equal(t, buf, samples, "the caller keeps its buffer")

	answers = []nvml.Return{nvml.ERROR_NOT_FOUND}
	_, ret = device.Samples(driver.SampleUtilization, 100, buf)
	assert.Equal(t, driver.NotFound, ret)
}

func TestProcessUtilization(t *testing.T) {
	rows := []nvml.ProcessUtilizationSample{
		{Pid: 0, TimeStamp: 200, SmUtil: 5},
		{Pid: 7, TimeStamp: 100, SmUtil: 5},
		{Pid: 8, TimeStamp: 200, SmUtil: 60, MemUtil: 1, EncUtil: 2, DecUtil: 3},
		{Pid: 9, TimeStamp: 200, MemUtil: 4e9},
		{Pid: 10, TimeStamp: 201},
		{Pid: 1 << 30, TimeStamp: 201},
	}
	want := []driver.ProcessSample{{PID: 8, Time: 200, SM: 60, Memory: 1, Encoder: 2, Decoder: 3}, {PID: 10, Time: 201}}
	type reading struct {
		rows []nvml.ProcessUtilizationSample
		ret  nvml.Return // below 0: panic
	}
	const grown nvml.Return = -1
	for _, tt := range []struct {
		name     string
		readings []reading
		want     []driver.ProcessSample
		ret      driver.Return
	}{
		{"rows", []reading{{rows, nvml.SUCCESS}}, want, driver.Success},
		{"idle", []reading{{nil, nvml.ERROR_NOT_FOUND}}, nil, driver.NotFound},
		{"no rows", []reading{{nil, nvml.ERROR_INSUFFICIENT_SIZE}}, nil, driver.Success},
		{"more rows meanwhile", []reading{{nil, grown}, {rows[:1], nvml.ERROR_INSUFFICIENT_SIZE}, {rows, nvml.SUCCESS}}, want, driver.Success},
		{"ever more rows", []reading{{nil, grown}, {nil, grown}, {nil, grown}}, nil, driver.CallPanicked},
		{"ever too small", []reading{
			{rows[:1], nvml.ERROR_INSUFFICIENT_SIZE}, {rows[:1], nvml.ERROR_INSUFFICIENT_SIZE}, {rows[:1], nvml.ERROR_INSUFFICIENT_SIZE},
		}, nil, driver.InsufficientSize},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gpu := &mock.Device{GetProcessUtilizationFunc: func(since uint64) ([]nvml.ProcessUtilizationSample, nvml.Return) {
				assert.Equal(t, uint64(100), since)
				r := tt.readings[0]
				tt.readings = tt.readings[1:]
				if r.ret == grown {
					return r.rows[:len(rows)], r.ret
				}
				return r.rows, r.ret
			}}
			samples, ret := gpuOf(t, started(t, newAPI(gpu))).ProcessUtilization(100)
			assert.Equal(t, tt.ret, ret)
			assert.Equal(t, tt.want, samples)
			assert.Empty(t, tt.readings)
		})
	}
}

func TestFieldValues(t *testing.T) {
	gpu := &mock.Device{GetFieldValuesFunc: func(values []nvml.FieldValue) nvml.Return {
		for i := range values {
			v := &values[i]
			switch v.FieldId {
			case driver.FieldPowerInstant:
				v.NvmlReturn, v.ValueType, v.Value = 0, uint32(nvml.VALUE_TYPE_UNSIGNED_INT), bits32(626260+v.ScopeId)
			case driver.FieldNVLinkDataTransmit:
				v.NvmlReturn, v.ValueType, v.Value = 0, uint32(nvml.VALUE_TYPE_UNSIGNED_LONG_LONG), bits(1<<60+1)
			case driver.FieldMemoryTemperature:
				v.NvmlReturn = uint32(nvml.ERROR_NOT_SUPPORTED)
			case driver.FieldPCIeReplays:
				v.NvmlReturn, v.ValueType, v.Value = 0, uint32(nvml.VALUE_TYPE_UNSIGNED_INT), bits32(none)
			}
		}
		return nvml.SUCCESS
	}}
	device := gpuOf(t, started(t, newAPI(gpu)))
	ask := func() []driver.FieldValue {
		return []driver.FieldValue{
			{ID: driver.FieldPowerInstant, Scope: 1, Value: 5, Uint: 5},
			{ID: driver.FieldNVLinkDataTransmit, Scope: driver.AllLinks},
			{ID: driver.FieldMemoryTemperature, Value: 5},
			{ID: driver.FieldPCIeReplays},
			{ID: driver.FieldRecoveryAction, Value: 5},
		}
	}
	want := []driver.FieldValue{
		{ID: driver.FieldPowerInstant, Scope: 1, Wraps32: true, Value: 626261, Uint: 626261},
		{ID: driver.FieldNVLinkDataTransmit, Scope: driver.AllLinks, Value: 1 << 60, Uint: 1<<60 + 1},
		{ID: driver.FieldMemoryTemperature, Return: driver.NotSupported},
		{ID: driver.FieldPCIeReplays, Return: driver.NoData},
		{ID: driver.FieldRecoveryAction, Return: driver.NoData}, // The driver did not touch it.
	}
	for range 2 { // The second time in the buffer of the first.
		values := ask()
		assert.Equal(t, driver.Success, device.FieldValues(values))
		assert.Equal(t, want, values)
	}
	assert.Equal(t, driver.Success, device.FieldValues(nil))

	gpu.GetFieldValuesFunc = func([]nvml.FieldValue) nvml.Return { return nvml.ERROR_GPU_IS_LOST }
	values := ask()
	assert.Equal(t, driver.GPULost, device.FieldValues(values))
	for i, v := range values {
		assert.Equal(t, driver.FieldValue{ID: want[i].ID, Scope: want[i].Scope, Return: driver.GPULost}, v)
	}
}

func TestFieldValuesAllocateNothing(t *testing.T) {
	gpu := &mock.Device{}
	lib := started(t, newAPI(gpu))
	device := gpuOf(t, lib).(device)
	device.handle = fixedFields{device.handle}
	values := make([]driver.FieldValue, 20)
	allocations := testing.AllocsPerRun(100, func() { _ = device.FieldValues(values) })
	assert.Less(t, allocations, 1.0) // Under the race detector, pools forget at random.
}

// fixedFields is a device without the mock's record of calls.
type fixedFields struct{ nvml.Device }

func (fixedFields) GetFieldValues([]nvml.FieldValue) nvml.Return { return nvml.SUCCESS }
