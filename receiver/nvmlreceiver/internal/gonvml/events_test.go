//go:build linux && cgo

package gonvml

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

func TestEvents(t *testing.T) {
	var data nvml.EventData
	code, freed := nvml.SUCCESS, 0
	set := &mock.EventSet{
		WaitFunc: func(millis uint32) (nvml.EventData, nvml.Return) {
			assert.Equal(t, uint32(500), millis)
			return data, code
		},
		FreeFunc: func() nvml.Return {
			freed++
			return nvml.SUCCESS
		},
	}
	gpu := &mock.Device{RegisterEventsFunc: func(types uint64, in nvml.EventSet) nvml.Return {
		assert.Equal(t, uint64(0xA), types)
		assert.Same(t, set, in)
		return nvml.SUCCESS
	}}
	api := newAPI(gpu)
	api.EventSetCreateFunc = func() (nvml.EventSet, nvml.Return) { return set, nvml.SUCCESS }
	lib := started(t, api)

	events, ret := lib.NewEventSet()
	require.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.Success, events.Register(gpuOf(t, lib), driver.EventXid|driver.EventDoubleBitECC))
	assert.Equal(t, driver.InvalidArgument, events.Register(nil, driver.EventXid))
	other := gpuOf(t, started(t, newAPI(&mock.Device{})))
	assert.Equal(t, driver.InvalidArgument, events.Register(other, driver.EventXid))

	data = nvml.EventData{Device: gpu, EventType: 8, EventData: 79, GpuInstanceId: none, ComputeInstanceId: none}
	event, ret := events.Wait(500)
	assert.Equal(t, driver.Success, ret)
	assert.Equal(t, driver.Event{
		Device: gpuOf(t, lib), Type: driver.EventXid, Data: 79, GPUInstance: -1, ComputeInstance: -1,
	}, event)

	data = nvml.EventData{EventType: 8, EventData: 999, GpuInstanceId: 1}
	event, _ = events.Wait(500)
	assert.Equal(t, driver.Event{Type: driver.EventXid, Data: 999, GPUInstance: 1}, event)

	code = nvml.ERROR_TIMEOUT
	_, ret = events.Wait(500)
	assert.Equal(t, driver.Timeout, ret)

	events.Free()
	assert.Equal(t, 1, freed)

	stale, _ := lib.NewEventSet()
	require.Equal(t, driver.Success, lib.Init())
	_, ret = stale.Wait(500)
	assert.Equal(t, driver.Uninitialized, ret)
	assert.Equal(t, driver.Uninitialized, stale.Register(gpuOf(t, lib), driver.EventXid))
	stale.Free()
	assert.Equal(t, 1, freed, "what is left of a closed library is not touched")
}
