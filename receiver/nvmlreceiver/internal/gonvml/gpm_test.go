//go:build linux && cgo

package gonvml

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// gpmFake counts samples.
type gpmFake struct {
	*mock.Interface

	live      int
	instances []int
	get       func() nvml.Return
}

func newGPMFake() *gpmFake {
	f := &gpmFake{Interface: newAPI(&mock.Device{})}
	f.get = func() nvml.Return { return nvml.SUCCESS }
	f.GpmSampleAllocFunc = func() (nvml.GpmSample, nvml.Return) {
		f.live++
		return &mock.GpmSample{
			GetFunc: func(nvml.Device) nvml.Return { return f.get() },
			MigGetFunc: func(_ nvml.Device, instance int) nvml.Return {
				f.instances = append(f.instances, instance)
				return f.get()
			},
			FreeFunc: func() nvml.Return {
				f.live--
				return nvml.SUCCESS
			},
		}, nvml.SUCCESS
	}
	return f
}

func sampleOf(t *testing.T, gpu driver.Device, instance int) driver.GPMSample {
	t.Helper()
	sample, ret := gpu.GPMSample(instance)
	require.Equal(t, driver.Success, ret)
	return sample
}

func TestGPMSamples(t *testing.T) {
	f := newGPMFake()
	gpu := gpuOf(t, started(t, f))
	whole, part := sampleOf(t, gpu, -1), sampleOf(t, gpu, 0)
	assert.Equal(t, []int{0}, f.instances)
	assert.Equal(t, 2, f.live)
	whole.Free()
	whole.Free()
	part.Free()
	assert.Zero(t, f.live)

	f.get = func() nvml.Return { return nvml.ERROR_NOT_SUPPORTED }
	_, ret := gpu.GPMSample(-1)
	assert.Equal(t, driver.NotSupported, ret)
	f.get = func() nvml.Return { panic("broken") }
	_, ret = gpu.GPMSample(-1)
	assert.Equal(t, driver.CallPanicked, ret)
	assert.Zero(t, f.live, "a sample that could not be taken is freed")
}

func TestGPMMetrics(t *testing.T) {
	f := newGPMFake()
	lib := started(t, f)
	older, newer := sampleOf(t, gpuOf(t, lib), -1), sampleOf(t, gpuOf(t, lib), -1)
	given := map[uint32]nvml.GpmMetric{
		driver.GPMSMUtilization: {Value: 98.5},
		driver.GPMTensor:        {NvmlReturn: uint32(nvml.ERROR_NOT_SUPPORTED), Value: 5},
		driver.GPMFP64:          {Value: math.NaN()},
		driver.GPMFP32:          {Value: 6e18},
		driver.GPMFP16:          {Value: 100.2},
		20:                      {Value: 5000},
	}
	f.GpmMetricsGetFunc = func(query *nvml.GpmMetricsGetType) nvml.Return {
		assert.Same(t, older.(*gpmSample).sample, query.Sample1)
		assert.Same(t, newer.(*gpmSample).sample, query.Sample2)
		for i := range query.NumMetrics {
			m := &query.Metrics[i]
			if answer, ok := given[m.MetricId]; ok {
				m.NvmlReturn, m.Value = answer.NvmlReturn, answer.Value
			}
		}
		return nvml.SUCCESS
	}
	want := []driver.GPMValue{
		{ID: driver.GPMSMUtilization, Value: 98.5},
		{ID: driver.GPMTensor, Return: driver.NotSupported},
		{ID: driver.GPMFP64, Return: driver.NoData},
		{ID: driver.GPMFP32, Return: driver.NoData},
		{ID: driver.GPMFP16, Value: 100.2},
		{ID: 20, Value: 5000},
		{ID: driver.GPMInteger, Return: driver.NoData}, // The driver did not touch it.
	}
	ask := func() (values []driver.GPMValue) {
		for _, v := range want {
			values = append(values, driver.GPMValue{ID: v.ID, Value: 5})
		}
		return values
	}
	values := ask()
	assert.Equal(t, driver.Success, lib.GPMMetrics(older, newer, values))
	assert.Equal(t, want, values)

	f.GpmMetricsGetFunc = func(*nvml.GpmMetricsGetType) nvml.Return { panic("no sample of the binding") }
	values = ask()
	assert.Equal(t, driver.CallPanicked, lib.GPMMetrics(older, newer, values))
	assert.Equal(t, driver.GPMValue{ID: driver.GPMSMUtilization, Return: driver.CallPanicked}, values[0])

	assert.Equal(t, driver.Success, lib.GPMMetrics(older, newer, nil))
	assert.Equal(t, driver.InvalidArgument, lib.GPMMetrics(nil, newer, values))
	assert.Equal(t, driver.InvalidArgument, lib.GPMMetrics(older, newer, make([]driver.GPMValue, 478)))
	other := sampleOf(t, gpuOf(t, started(t, newGPMFake())), -1)
	assert.Equal(t, driver.InvalidArgument, lib.GPMMetrics(older, other, values), "of another library")
	older.Free()
	assert.Equal(t, driver.InvalidArgument, lib.GPMMetrics(older, newer, values), "freed")
}

func TestGPMCallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newGPMFake()
		lib := New(f)
		require.Equal(t, driver.Success, lib.Init())
		gpu := gpuOf(t, lib)
		earlier := sampleOf(t, gpu, -1)

		release := make(chan struct{})
		f.get = func() nvml.Return {
			<-release
			return nvml.SUCCESS
		}
		ended := make(chan driver.GPMSample)
		go func() {
			sample, _ := gpu.GPMSample(-1)
			ended <- sample
		}()
		synctest.Wait()

		begin := time.Now()
		_, ret := gpu.GPMSupported()
		assert.Equal(t, driver.InUse, ret)
		assert.Equal(t, gpmPatience, time.Since(begin))
		begin = time.Now()
		earlier.Free()
		assert.Zero(t, time.Since(begin), "Free waits for nobody")
		assert.Equal(t, 2, f.live)

		close(release)
		late := <-ended
		_, ret = gpu.GPMSupported()
		assert.Equal(t, driver.NotSupported, ret)
		assert.Equal(t, 1, f.live, "the next call frees")
		require.Equal(t, driver.Success, lib.Shutdown())
		late.Free()
		require.Equal(t, driver.Success, lib.Init())
		_, _ = gpuOf(t, lib).GPMSupported()
		assert.Equal(t, driver.Success, lib.Shutdown())
		assert.Equal(t, 1, f.live, "what is left of a closed library is not touched")
	})
}

func TestShutdownFreesWhatWasDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newGPMFake()
		lib := New(f)
		require.Equal(t, driver.Success, lib.Init())
		gpu := gpuOf(t, lib)
		sample := sampleOf(t, gpu, -1)
		release := make(chan struct{})
		f.get = func() nvml.Return {
			<-release
			return nvml.ERROR_GPU_IS_LOST
		}
		go func() { _, _ = gpu.GPMSample(-1) }()
		synctest.Wait()
		sample.Free()
		time.AfterFunc(time.Second, func() { close(release) })
		assert.Equal(t, driver.Success, lib.Shutdown())
		assert.Zero(t, f.live)
	})
}
