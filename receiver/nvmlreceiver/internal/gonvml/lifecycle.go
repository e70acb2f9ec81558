//go:build linux && cgo

package gonvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// attach is Init of one user.
func (c *core) attach(l *library) driver.Return {
	c.lifecycle.Lock()
	defer c.lifecycle.Unlock()
	ret := driver.Success
	switch open := c.gate.state.Load(); open {
	case gateClosed:
		ret = c.initialise()
	case l.epoch.Load():
		ret = c.renew()
	default:
		// Another user was first.
	}
	return c.settle(l, ret)
}

// settle makes a user attached or detached, by how its Init ended. A failed one holds
// nothing: its user may try again or go away.
func (c *core) settle(l *library, ret driver.Return) driver.Return {
	c.mu.Lock()
	if ret == driver.Success && l.released {
		ret = driver.Uninitialized
	}
	if ret == driver.Success {
		c.attached[l] = struct{}{}
		l.epoch.Store(c.epoch)
	} else {
		delete(c.attached, l)
		l.epoch.Store(gateClosed)
	}
	unused := len(c.attached) == 0
	c.mu.Unlock()
	if unused {
		_ = c.terminate()
	}
	return ret
}

// detach is Shutdown of one user.
func (c *core) detach(l *library) driver.Return {
	c.lifecycle.Lock()
	defer c.lifecycle.Unlock()
	c.mu.Lock()
	_, was := c.attached[l]
	delete(c.attached, l)
	l.epoch.Store(gateClosed)
	unused := len(c.attached) == 0
	c.mu.Unlock()
	switch {
	case !was:
		return driver.Uninitialized
	case unused:
		return c.terminate()
	default:
		return driver.Success
	}
}

// release tells whether the user was not released before.
func (c *core) release(l *library) bool {
	c.mu.Lock()
	first := !l.released
	l.released = true
	_, was := c.attached[l]
	c.mu.Unlock()
	if was {
		_ = c.detach(l)
	}
	return first
}

// initialise loads the library and starts an epoch.
func (c *core) initialise() (ret driver.Return) {
	defer caught(&ret)
	if c.preflight != nil {
		done, ret := c.preflight()
		if ret != driver.Success {
			return ret
		}
		defer done()
	}
	c.loaded.Store(true)
	if ret := c.nvmlInit(); ret != driver.Success {
		return ret
	}
	// A call that hung through the last shutdown may still read the table. What it says
	// is still true: the file is the same as long as the process runs.
	if c.gate.running.Load() == 0 || c.epoch == 0 {
		c.resolve()
	}
	c.readVersions()
	c.epoch++
	c.gate.open(c.epoch)
	return driver.Success
}

// renew shuts NVML down and initialises it again. While a call hangs, it can only be
// initialised once more, as it counts; the handles stay good and the gate opens before,
// because nvmlInit may then hang as well.
func (c *core) renew() driver.Return {
	if !c.gate.drain(c.patience) {
		c.gate.open(c.epoch)
		return c.nvmlInit()
	}
	_ = c.nvmlShutdown()
	c.gate.close()
	return c.initialise()
}

// terminate ends the epoch.
func (c *core) terminate() driver.Return {
	if c.inits == 0 {
		c.gate.close()
		return driver.Success
	}
	idle := c.gate.drain(c.patience)
	defer c.gate.close()
	if !idle {
		return driver.InUse
	}
	return c.nvmlShutdown()
}

// nvmlInit may fail and leave the file open in the binding. That is of no matter: it stays
// in the process anyway once a function of it is bound.
func (c *core) nvmlInit() (ret driver.Return) {
	defer caught(&ret)
	ret = driver.Return(c.api.Init())
	if ret == driver.Success {
		c.inits++
	}
	return ret
}

// nvmlShutdown takes back every nvmlInit. No call may run.
func (c *core) nvmlShutdown() (ret driver.Return) {
	defer caught(&ret)
	if c.inits == 0 {
		return driver.Success
	}
	if !c.exported[symShutdown] {
		return driver.FunctionNotFound
	}
	c.freeDiscarded(c.epoch)
	for c.inits > 0 {
		switch ret := c.api.Shutdown(); ret {
		case nvml.SUCCESS:
			c.inits--
		case nvml.ERROR_UNINITIALIZED:
			c.inits = 0
		default:
			return driver.Return(ret)
		}
	}
	return driver.Success
}
