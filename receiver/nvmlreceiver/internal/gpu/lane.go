package gpu

import (
	"sync/atomic"
)

// lane runs functions that may hang, one at a time, so that the driver has at most one call
// in flight per GPU, and so that one that hangs costs one goroutine and not one per scrape.
// run is for one caller at a time.
type lane struct {
	work chan func()
	busy atomic.Bool
}

func newLane() *lane {
	l := &lane{work: make(chan func())}
	go func() {
		for fn := range l.work {
			fn()
		}
	}()
	return l
}

// run starts fn unless an earlier function still runs. done is closed when fn has returned;
// until then the lane owns whatever fn uses.
func (l *lane) run(fn func()) (done <-chan struct{}, ok bool) {
	if !l.busy.CompareAndSwap(false, true) {
		return nil, false
	}
	d := make(chan struct{})
	l.work <- func() {
		defer close(d)
		defer l.busy.Store(false)
		fn()
	}
	return d, true
}

// close ends the goroutine once the function that it runs has returned.
func (l *lane) close() { close(l.work) }
