//go:build linux && cgo

package gonvml

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// gpmPatience is how long a call about GPM waits for another, which normally takes far
// less than a millisecond. Whoever waits longer waits for a call that hangs.
const gpmPatience = 200 * time.Millisecond

// gpmLock lets one call about GPM run at a time, and holds what they share.
type gpmLock struct {
	token chan struct{} // empty while a call runs
	query *nvml.GpmMetricsGetType

	mu        sync.Mutex
	discarded []*gpmSample // to be freed by whoever holds the token next
}

func newGPMLock() *gpmLock {
	l := &gpmLock{token: make(chan struct{}, 1)}
	l.token <- struct{}{}
	return l
}

// lock answers driver.InUse if a call hangs.
func (l *gpmLock) lock() driver.Return {
	select {
	case <-l.token:
		return driver.Success
	default:
	}
	timer := time.NewTimer(gpmPatience)
	defer timer.Stop()
	select {
	case <-l.token:
		return driver.Success
	case <-timer.C:
		return driver.InUse
	}
}

func (l *gpmLock) unlock() { l.token <- struct{}{} }

// enterGPM is enter with the lock; who got driver.Success unlocks after leave.
func (c *core) enterGPM(epoch uint64, anyOf ...symbol) driver.Return {
	// Before the gate: waiting here is no running call.
	if ret := c.gpm.lock(); ret != driver.Success {
		return ret
	}
	if ret := c.enter(epoch, anyOf...); ret != driver.Success {
		c.gpm.unlock()
		return ret
	}
	c.freeDiscarded(epoch)
	return driver.Success
}

// gpmSample is a sample of one epoch.
type gpmSample struct {
	core   *core
	epoch  uint64
	sample nvml.GpmSample
	freed  atomic.Bool
}

// Free implements driver.GPMSample. It never blocks on a call that hangs: the next call
// about GPM frees the sample, or the shutdown does. That of a past epoch is forgotten, as
// its library is gone.
func (s *gpmSample) Free() {
	if s.freed.Swap(true) {
		return
	}
	l := s.core.gpm
	l.mu.Lock()
	l.discarded = append(l.discarded, s)
	l.mu.Unlock()
	select {
	case <-l.token:
	default:
		return
	}
	defer l.unlock()
	if s.core.enter(s.epoch) != driver.Success {
		return
	}
	var ret driver.Return
	defer s.core.leave(&ret)
	s.core.freeDiscarded(s.epoch)
}

// freeDiscarded frees what Free could not. Its caller holds the lock or knows that no call
// runs.
func (c *core) freeDiscarded(epoch uint64) {
	l := c.gpm
	l.mu.Lock()
	discarded := l.discarded
	l.discarded = nil
	l.mu.Unlock()
	for _, s := range discarded {
		if s.epoch == epoch && c.exported[symGPMSampleFree] {
			freeSample(s.sample)
		}
	}
}

func freeSample(sample nvml.GpmSample) {
	var ret driver.Return
	defer caught(&ret)
	_ = sample.Free()
}

// GPMSupported implements driver.Device.
func (d device) GPMSupported() (supported bool, ret driver.Return) {
	if ret = d.core.enterGPM(d.epoch, symGPMSupport); ret != driver.Success {
		return false, ret
	}
	defer d.core.gpm.unlock()
	defer d.core.leave(&ret)
	support, code := d.handle.GpmQueryDeviceSupport()
	if code != nvml.SUCCESS {
		return false, driver.Return(code)
	}
	return support.IsSupportedDevice != 0, driver.Success
}

// GPMSample implements driver.Device.
func (d device) GPMSample(instance int) (taken driver.GPMSample, ret driver.Return) {
	get := symGPMSampleGet
	if instance >= 0 {
		get = symGPMMIGSampleGet
	}
	if ret = d.core.enterGPM(d.epoch, get); ret != driver.Success {
		return nil, ret
	}
	defer d.core.gpm.unlock()
	defer d.core.leave(&ret)
	if !d.has(symGPMSampleAlloc) || !d.has(symGPMSampleFree) {
		return nil, driver.FunctionNotFound
	}
	sample, code := d.core.api.GpmSampleAlloc()
	if code != nvml.SUCCESS {
		return nil, driver.Return(code)
	}
	defer func() {
		if taken == nil {
			freeSample(sample)
		}
	}()
	if instance >= 0 {
		code = sample.MigGet(d.handle, instance)
	} else {
		code = sample.Get(d.handle)
	}
	if code != nvml.SUCCESS {
		return nil, driver.Return(code)
	}
	return &gpmSample{core: d.core, epoch: d.epoch, sample: sample}, driver.Success
}

// GPMMetrics implements driver.Library.
func (l *library) GPMMetrics(older, newer driver.GPMSample, values []driver.GPMValue) (ret driver.Return) {
	if len(values) == 0 {
		return driver.Success
	}
	defer func() {
		if ret != driver.Success {
			for i := range values {
				values[i] = driver.GPMValue{ID: values[i].ID, Return: ret}
			}
		}
	}()
	c := l.core
	first, ok1 := older.(*gpmSample)
	second, ok2 := newer.(*gpmSample)
	switch {
	case !ok1, !ok2, first.core != c, second.core != c:
		return driver.InvalidArgument
	case first.epoch != second.epoch:
		return driver.Uninitialized
	}
	if ret = c.enterGPM(first.epoch, symGPMMetricsGet); ret != driver.Success {
		return ret
	}
	defer c.gpm.unlock()
	defer c.leave(&ret)
	if first.freed.Load() || second.freed.Load() {
		return driver.InvalidArgument
	}
	return c.gpmMetrics(first.sample, second.sample, values)
}

// gpmMetrics reuses one query, which is 19 KB: the lock is held.
func (c *core) gpmMetrics(older, newer nvml.GpmSample, values []driver.GPMValue) driver.Return {
	if c.gpm.query == nil {
		c.gpm.query = &nvml.GpmMetricsGetType{}
	}
	query := c.gpm.query
	if len(values) > len(query.Metrics) {
		return driver.InvalidArgument
	}
	query.NumMetrics, query.Sample1, query.Sample2 = uint32(len(values)), older, newer
	for i := range values {
		// A value that the driver does not touch must not read as a success.
		query.Metrics[i] = nvml.GpmMetric{MetricId: values[i].ID, NvmlReturn: uint32(nvml.ERROR_NO_DATA)}
	}
	if code := c.api.GpmMetricsGet(query); code != nvml.SUCCESS {
		return driver.Return(code)
	}
	for i := range values {
		values[i] = gpmValue(values[i].ID, &query.Metrics[i])
	}
	return driver.Success
}

func gpmValue(id uint32, answer *nvml.GpmMetric) driver.GPMValue {
	v := driver.GPMValue{ID: id, Return: driver.Return(answer.NvmlReturn)}
	switch {
	case v.Return != driver.Success:
	case !plausibleGPM(id, answer.Value):
		v.Return = driver.NoData
	default:
		v.Value = answer.Value
	}
	return v
}

// plausibleGPM rejects what a driver of another layout of the structure would give. The
// metrics up to GPMFP16 are percentages, which may pass 100 by an error of measurement.
func plausibleGPM(id uint32, value float64) bool {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return false
	}
	return id > driver.GPMFP16 || value <= 101
}
