package gpu

import (
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// maxGPUs bounds the enumeration; hosts have up to 16 today.
const maxGPUs = 256

// found is a GPU at an index, or why it could not be opened.
type found struct {
	index  int
	device driver.Device
	uuid   string
	ret    driver.Return
}

// enumeration finds the GPUs. It may hang; at may be called meanwhile.
type enumeration struct {
	lib   driver.Library
	index atomic.Int64
	gpus  []found
	ret   driver.Return
}

func (e *enumeration) run() {
	e.index.Store(-1)
	n, ret := e.lib.DeviceCount()
	e.ret = ret
	if ret != driver.Success {
		return
	}
	for i := range min(n, maxGPUs) {
		e.index.Store(int64(i))
		g := found{index: i}
		g.device, g.ret = e.lib.Device(i)
		if g.ret == driver.Success {
			g.uuid, g.ret = g.device.UUID()
			if g.ret == driver.Success && g.uuid == "" {
				g.ret = driver.NoData
			}
		}
		e.gpus = append(e.gpus, g)
	}
}

// at is the index that is being opened, or -1.
func (e *enumeration) at() int { return int(e.index.Load()) }

func (e *enumeration) result() ([]found, driver.Return) { return e.gpus, e.ret }
