//go:build linux && cgo

package gonvml

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// drainPatience is how long a shutdown waits for running calls. It is longer than a wait
// for events should be.
const drainPatience = 2 * time.Second

// core is the library that the users share.
type core struct {
	api       nvml.Interface
	preflight func() (done func(), ret driver.Return) // nil: nothing to check
	goOnly    bool                                    // api must not be trusted to stay out of C
	patience  time.Duration

	gate   gate
	gpm    *gpmLock
	fields sync.Pool // of *fieldBuffer

	// loaded tells that functions of the file may be bound, for as long as the process runs.
	loaded   atomic.Bool
	versions atomic.Pointer[driver.Versions]
	// exported is written while no call runs and read by calls that run.
	exported [symbolCount]bool

	// lifecycle is held while NVML is initialised or shut down, so possibly for ever.
	lifecycle sync.Mutex
	epoch     uint64 // of the newest initialisation; under lifecycle
	inits     int    // successful nvmlInit without their nvmlShutdown; under lifecycle

	// mu is held for moments.
	mu       sync.Mutex
	attached map[*library]struct{} // the users between Init and Shutdown
}

func newCore(api nvml.Interface, preflight func() (func(), driver.Return)) *core {
	return &core{
		api:       api,
		preflight: preflight,
		patience:  drainPatience,
		gate:      newGate(),
		gpm:       newGPMLock(),
		attached:  map[*library]struct{}{},
	}
}

// enter lets a call in that needs one of the functions; none needed is none asked. Who got
// driver.Success defers leave.
func (c *core) enter(epoch uint64, anyOf ...symbol) driver.Return {
	if ret := c.gate.enter(epoch); ret != driver.Success {
		return ret
	}
	for _, s := range anyOf {
		if c.exported[s] {
			return driver.Success
		}
	}
	if len(anyOf) == 0 {
		return driver.Success
	}
	c.gate.exit()
	return driver.FunctionNotFound
}

// leave ends what enter began, also by a panic. It must be what is deferred, not called by
// that.
func (c *core) leave(ret *driver.Return) {
	if recover() != nil { //nolint:revive // It is deferred by name.
		*ret = driver.CallPanicked
	}
	c.gate.exit()
}

// caught is leave for parts of a call, which may be tried again.
func caught(ret *driver.Return) {
	if recover() != nil { //nolint:revive // It is deferred by name.
		*ret = driver.CallPanicked
	}
}
