package gpu

import (
	"context"
	"fmt"

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
}

func (o *opener) open(lib driver.Library, index int) {
	o.device, o.ret = lib.Device(index)
	if o.ret != driver.Success {
		return
	}
	if o.uuid, o.ret = o.device.UUID(); o.ret == driver.Success && o.uuid == "" {
		o.ret = driver.NoData
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
	f.tellDenied(all.denied)
	f.session.reached()
	if len(all.stuck) > 0 {
		f.report.hung("nvmlDeviceGetHandleByIndex")
	} else {
		f.report.connected(f.versions)
	}
	return all, true
}

// count asks for the number of GPUs; Timeout if the driver does not answer.
func (f *Fleet) count(ctx context.Context) (n int, ret driver.Return) {
	ret = driver.Timeout
	var counted, answer = 0, driver.Timeout
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
		r = newReader(&f.shared, o.uuid, f.scraped)
		f.readers[o.uuid] = r
		f.order = append(f.order, r)
	}
	if all.present[r] {
		f.countFailure("GetUUID", driver.InUse) // two indices, one GPU
		return
	}
	all.present[r] = true
	r.foundIndex, r.foundDevice = index, o.device
	f.events.watch(o.uuid, o.device)
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
