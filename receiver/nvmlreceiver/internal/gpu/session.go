package gpu

import (
	"context"
	"time"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

const (
	// firstRetry and lastRetry bound the time between two attempts to reach the driver, which
	// doubles. A driver that is installed while the collector runs shows within lastRetry.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// lastRenewal is lastRetry where the driver works and only a GPU is lost: a GPU that was
	// reset is seen only after the library was initialised anew.
	lastRenewal = 5 * time.Minute
	// calmAfter is how long all GPUs must answer, at least, for a lost one to be over and done.
	calmAfter = time.Minute
)

// session is the tie to the driver, of the fleet's lock.
type session struct {
	connected bool
	// broken is why the tie is to be renewed, else Success.
	broken driver.Return
	// next is when it may be tried, after wait.
	next time.Time
	wait time.Duration
	// renewal is when a lost GPU is looked for anew, after renewalWait.
	renewal     time.Time
	renewalWait time.Duration
	// calm is since when all GPUs answer.
	calm time.Time
}

// lose says that the driver is gone.
func (s *session) lose(ret driver.Return, now time.Time) {
	s.broken = ret
	s.retryLater(now)
}

// reached says that the driver answers.
func (s *session) reached() { s.wait = 0 }

func (s *session) retryLater(now time.Time) {
	s.wait = min(max(2*s.wait, firstRetry), lastRetry)
	s.next = now.Add(s.wait)
}

// renewSoon says that a GPU is lost.
func (s *session) renewSoon(now time.Time) {
	s.calm = time.Time{}
	if s.renewal.IsZero() {
		s.renewalWait = min(max(2*s.renewalWait, 5*time.Second), lastRenewal)
		s.renewal = now.Add(s.renewalWait)
	}
}

// healthy says that all GPUs answer. One that is soon lost again is waited for longer.
func (s *session) healthy(now time.Time) {
	s.renewal = time.Time{}
	if s.calm.IsZero() {
		s.calm = now
	}
	if now.Sub(s.calm) >= max(s.renewalWait, calmAfter) {
		s.renewalWait = 0
	}
}

// connect makes sure of a driver, or returns false.
//
//nolint:contextcheck // as scrape
func (f *Fleet) connect(ctx context.Context) bool {
	s := &f.session
	now := f.scraped
	if s.connected {
		due := !s.renewal.IsZero() && !now.Before(s.renewal)
		if s.broken == driver.Success && !due {
			return true
		}
		if !f.disconnect(ctx) {
			return s.broken == driver.Success // a call hangs: go on with what works
		}
		if due {
			s.next = now
		}
	}
	if now.Before(s.next) {
		return false
	}
	ret, versions, ok := f.initialize(ctx)
	if !ok {
		f.report.hung("nvmlInit")
		s.retryLater(now)
		return false
	}
	f.countInit(ret)
	if ret != driver.Success {
		f.report.unreachable(ret)
		s.retryLater(now)
		return false
	}
	f.versions, f.thermalTimes = versions, tellsThermalTimes(versions.Driver)
	s.connected, s.broken = true, driver.Success
	s.renewal = time.Time{}
	for _, r := range f.order {
		r.renew()
	}
	f.events.start()
	return true
}

// attempt is an initialisation that may take its time.
type attempt struct {
	done     <-chan struct{}
	ret      driver.Return
	versions driver.Versions
}

// initialize returns false if the driver does not answer in time; the next call then waits for
// the same attempt.
func (f *Fleet) initialize(ctx context.Context) (driver.Return, driver.Versions, bool) {
	if f.attempt == nil {
		a := &attempt{}
		done, ok := f.control.run(func() {
			if a.ret = f.lib.Init(); a.ret == driver.Success {
				a.versions = f.lib.Versions()
			}
		})
		if !ok {
			return 0, driver.Versions{}, false
		}
		a.done = done
		f.attempt = a
	}
	select {
	case <-f.attempt.done:
	case <-ctx.Done():
		return 0, driver.Versions{}, false
	}
	a := f.attempt
	f.attempt = nil
	return a.ret, a.versions, true
}

// disconnect prepares for a new Init, which renews the tie, unless a call is in flight.
func (f *Fleet) disconnect(ctx context.Context) bool {
	// The GPUs that answer need the rest of the time.
	ctx, cancel := context.WithTimeout(ctx, min(f.timeout/4, stopWait))
	defer cancel()
	if !f.idle() || !f.events.stop(ctx) {
		f.session.renewal = f.scraped.Add(f.interval)
		return false
	}
	f.letGo()
	return true
}

// letGo gives back all that would not outlive a new initialisation. No call may be in flight.
func (f *Fleet) letGo() {
	for _, r := range f.order {
		r.freeSamples()
		r.foundDevice, r.dev = nil, nil
	}
	f.session.connected = false
}

// idle tells whether no call of the fleet is in flight.
func (f *Fleet) idle() bool {
	if f.control.busy.Load() {
		return false
	}
	for _, o := range f.openers {
		if o.lane.busy.Load() {
			return false
		}
	}
	for _, r := range f.order {
		if r.lane.busy.Load() {
			return false
		}
	}
	return true
}

// quiet waits until the fleet is idle, within the timeout.
func (f *Fleet) quiet(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !f.idle() {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}
