//go:build linux && cgo

package gonvml

import (
	"slices"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// FieldValues implements driver.Device.
func (d device) FieldValues(values []driver.FieldValue) (ret driver.Return) {
	if len(values) == 0 {
		return driver.Success
	}
	defer func() {
		if ret != driver.Success {
			for i := range values {
				values[i] = driver.FieldValue{ID: values[i].ID, Scope: values[i].Scope, Return: ret}
			}
		}
	}()
	if ret = d.enter(symFieldValues); ret != driver.Success {
		return ret
	}
	defer d.core.leave(&ret)

	buffer := d.core.fieldBuffer(len(values))
	asked := buffer.values
	for i := range values {
		// A value that the driver does not touch must not read as a success.
		asked[i] = nvml.FieldValue{FieldId: values[i].ID, ScopeId: values[i].Scope, NvmlReturn: uint32(nvml.ERROR_NO_DATA)}
	}
	code := d.handle.GetFieldValues(asked)
	if code == nvml.SUCCESS {
		for i := range values {
			values[i] = fieldValue(values[i].ID, values[i].Scope, &asked[i])
		}
	}
	d.core.fields.Put(buffer)
	return driver.Return(code)
}

type fieldBuffer struct{ values []nvml.FieldValue }

// fieldBuffer takes a buffer of n values from the pool; one in a call that panicked is not
// given back.
func (c *core) fieldBuffer(n int) *fieldBuffer {
	buffer, ok := c.fields.Get().(*fieldBuffer)
	if !ok {
		buffer = &fieldBuffer{}
	}
	buffer.values = slices.Grow(buffer.values[:0], n)[:n]
	return buffer
}

func fieldValue(id, scope uint32, answer *nvml.FieldValue) driver.FieldValue {
	v := driver.FieldValue{ID: id, Scope: scope, Return: driver.Return(answer.NvmlReturn)}
	if v.Return != driver.Success {
		return v
	}
	value, ok := decode(nvml.ValueType(answer.ValueType), answer.Value)
	if !ok {
		v.Return = driver.NoData
		return v
	}
	v.Value, v.Uint, v.Wraps32 = value.float, value.uint, value.wraps
	return v
}
