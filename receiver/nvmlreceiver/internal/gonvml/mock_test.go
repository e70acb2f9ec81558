//go:build linux && cgo

package gonvml

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// fill gives every function of a mock that is not set one that supports nothing: the mock
// panics otherwise.
func fill(mocked any) {
	unsupported := reflect.ValueOf(nvml.ERROR_NOT_SUPPORTED)
	fields := reflect.ValueOf(mocked).Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() != reflect.Func || !strings.HasSuffix(fields.Type().Field(i).Name, "Func") || !field.IsNil() {
			continue
		}
		field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value {
			results := make([]reflect.Value, field.Type().NumOut())
			for j := range results {
				results[j] = reflect.Zero(field.Type().Out(j))
				if results[j].Type() == unsupported.Type() {
					results[j] = unsupported
				}
			}
			return results
		}))
	}
}

// newAPI is a mock of one GPU whose library lacks some functions.
func newAPI(gpu *mock.Device, missing ...string) *mock.Interface {
	extensions := &mock.ExtendedInterface{LookupSymbolFunc: func(name string) error {
		if slices.Contains(missing, name) {
			return errors.New("not exported")
		}
		return nil
	}}
	api := &mock.Interface{
		ExtensionsFunc:     func() nvml.ExtendedInterface { return extensions },
		InitFunc:           func() nvml.Return { return nvml.SUCCESS },
		ShutdownFunc:       func() nvml.Return { return nvml.SUCCESS },
		DeviceGetCountFunc: func() (int, nvml.Return) { return 1, nvml.SUCCESS },
		DeviceGetHandleByIndexFunc: func(index int) (nvml.Device, nvml.Return) {
			if index != 0 {
				return nil, nvml.ERROR_INVALID_ARGUMENT
			}
			return gpu, nvml.SUCCESS
		},
	}
	fill(api)
	fill(gpu)
	return api
}

// started is a library that is initialised until the test ends.
func started(t *testing.T, api nvml.Interface) driver.Library {
	t.Helper()
	lib := New(api)
	require.Equal(t, driver.Success, lib.Init())
	t.Cleanup(func() { Release(lib) })
	return lib
}

// gpuOf is the first GPU of a started library.
func gpuOf(t *testing.T, lib driver.Library) driver.Device {
	t.Helper()
	gpu, ret := lib.Device(0)
	require.Equal(t, driver.Success, ret)
	return gpu
}

// give makes a function of a mock that always answers the same.
func give[T any](value T, ret nvml.Return) func() (T, nvml.Return) {
	return func() (T, nvml.Return) { return value, ret }
}

// same compares devices as a map's keys are.
func same(a, b driver.Device) bool { return a == b }
