//go:build linux && cgo

package gonvml

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// The gate is open for the handles of one epoch, the time from one initialisation of NVML
// to its shutdown; epochs count from 1.
const (
	gateClosed   uint64 = 0
	gateDraining uint64 = math.MaxUint64
)

// gate counts the calls that run in NVML and turns away those that must not.
type gate struct {
	state   atomic.Uint64
	running atomic.Int64
	idle    chan struct{} // holds a token when running may have fallen to 0
}

func newGate() gate {
	return gate{idle: make(chan struct{}, 1)}
}

// enter lets a call on a handle of the epoch in; who got driver.Success must exit. The
// count is raised before the state is read: whoever closes the gate and then finds the
// count 0 knows that nobody is inside.
func (g *gate) enter(epoch uint64) driver.Return {
	g.running.Add(1)
	state := g.state.Load()
	if state == epoch && epoch != gateClosed {
		return driver.Success
	}
	g.exit()
	if state == gateDraining {
		return driver.NotReady
	}
	return driver.Uninitialized
}

func (g *gate) exit() {
	if g.running.Add(-1) == 0 && g.state.Load() == gateDraining {
		select {
		case g.idle <- struct{}{}:
		default:
		}
	}
}

// open admits calls on handles of the epoch.
func (g *gate) open(epoch uint64) { g.state.Store(epoch) }

// close turns calls away for good.
func (g *gate) close() { g.state.Store(gateClosed) }

// drain turns calls away for now and tells whether the running ones ended in time.
func (g *gate) drain(patience time.Duration) bool {
	g.state.Store(gateDraining)
	if g.running.Load() == 0 {
		return true
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-g.idle:
			if g.running.Load() == 0 {
				return true
			}
		case <-timer.C:
			return g.running.Load() == 0
		}
	}
}
