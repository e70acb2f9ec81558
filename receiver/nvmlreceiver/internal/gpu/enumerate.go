package gpu

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// maxGPUs bounds the enumeration; hosts have up to 16 today.
const maxGPUs = 256

// opener gets the handle of the GPU at one index, which may hang for a GPU that is broken.
type opener struct {
	lane   *lane
	device driver.Device
	uuid   string
	ret    driver.Return
	// name is the product name of the GPU named. It is asked for here, once, so that a GPU
	// that hangs when it is first read has a name all the same.
	name, named string
}

func (o *opener) open(lib driver.Library, index int) {
	o.device, o.ret = lib.Device(index)
	if o.ret != driver.Success {
		return
	}
	if o.uuid, o.ret = o.device.UUID(); o.ret == driver.Success && o.uuid == "" {
		o.ret = driver.NoData
	}
	if o.ret == driver.Success && o.named != o.uuid {
		o.name, o.named = o.device.Identity().Name, o.uuid
	}
}

// found is what an enumeration tells.
type found struct {
	present map[*reader]bool
	// stuck are the indices that the driver hangs on, denied those that it does not open.
	stuck  map[int]bool
	denied map[int]driver.Return
}

// enumerate finds the GPUs. Indices move and GPUs come and go, so it is done each time. ok is
// false where the driver does not even count them.
//
//nolint:contextcheck // as scrape
func (f *Fleet) enumerate(ctx context.Context) (all found, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout/2)
	defer cancel()
	n, ret := f.count(ctx)
	if ret != driver.Success {
		return found{}, false
	}
	all = found{present: map[*reader]bool{}, stuck: map[int]bool{}, denied: map[int]driver.Return{}}
	opened := make([]<-chan struct{}, min(n, maxGPUs))
	for i := range opened {
		if i == len(f.openers) {
			f.openers = append(f.openers, &opener{lane: newLane()})
		}
		if f.hangs(i) {
			continue // one call of a GPU at a time
		}
		o := f.openers[i]
		opened[i], _ = o.lane.run(func() { o.open(f.lib, i) })
	}
	for i, done := range opened {
		if done == nil || !wait(ctx, done) {
			all.stuck[i] = true
			continue
		}
		f.take(i, f.openers[i], &all)
	}
	f.events.watch(ctx, func(yield func(string, driver.Device) bool) {
		for r := range all.present {
			if !yield(r.uuid, r.foundDevice) {
				return
			}
		}
	})
	if r := f.readers[f.events.busy()]; r != nil && all.present[r] {
		delete(all.present, r)
		all.stuck[r.foundIndex] = true
	}
	f.tellDenied(all.denied)
	f.session.reached()
	if slices.ContainsFunc(f.openers, func(o *opener) bool { return o.lane.busy.Load() }) {
		f.report.hung("nvmlDeviceGetHandleByIndex")
	} else {
		f.report.connected(f.versions)
	}
	return all, true
}

// hangs tells whether a call on the GPU that was at an index has not returned.
func (f *Fleet) hangs(index int) bool {
	listening := f.events.busy()
	return slices.ContainsFunc(f.order, func(r *reader) bool {
		return r.foundIndex == index && (r.lane.busy.Load() || r.uuid == listening)
	})
}

// count asks for the number of GPUs; Timeout if the driver does not answer.
//
//nolint:contextcheck // as scrape
func (f *Fleet) count(ctx context.Context) (n int, ret driver.Return) {
	ret = driver.Timeout
	counted, answer := 0, driver.Timeout
	done, ok := f.control.run(func() { counted, answer = f.lib.DeviceCount() })
	if ok && wait(ctx, done) {
		n, ret = counted, answer
	}
	switch ret {
	case driver.Success:
	case driver.Timeout:
		f.report.hung("nvmlDeviceGetCount")
	default:
		f.countFailure("GetCount", ret)
		f.report.unreachable(ret)
		f.session.lose(ret, f.scraped)
	}
	return n, ret
}

// take notes the GPU at an index. The readers of GPUs that are not there are kept: one that
// fell off the bus is reported as failed, and one that returns goes on with its counters.
func (f *Fleet) take(index int, o *opener, all *found) {
	if o.ret != driver.Success {
		all.denied[index] = o.ret
		f.countFailure("GetHandleByIndex", o.ret)
		return
	}
	r := f.readers[o.uuid]
	if r == nil {
		if len(f.order) >= maxGPUs {
			f.countFailure("GetUUID", driver.NotFound) // a driver that gives a GPU a new id each time
			return
		}
		r = newReader(&f.shared, o.uuid, f.scraped)
		f.readers[o.uuid] = r
		f.order = append(f.order, r)
		r.foundName = o.name
		f.events.name(r.uuid, r.foundName)
	}
	if all.present[r] {
		f.countFailure("GetUUID", driver.InUse) // two indices, one GPU
		return
	}
	all.present[r] = true
	r.foundIndex, r.foundDevice = index, o.device
}

// tellDenied logs once which GPUs cannot be opened. A lost one is told of by its reader.
func (f *Fleet) tellDenied(denied map[int]driver.Return) {
	for index, ret := range denied {
		if f.denied[index] != ret && !ret.Lost() {
			f.log.Warn(fmt.Sprintf("GPU %d cannot be opened: %s. The other GPUs are read. %s", index, ret, cure(ret)),
				zap.Int("nvidia.gpu.index", index))
		}
	}
	f.denied = denied
}

// wait returns false if the context ends first.
func wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}
