// Package play plays a simulation to the outside: it lays virtual time onto the
// wall clock and sends spans and request logs when their time has come.
package play

import (
	"errors"
	"time"
)

// Clock turns virtual time into timestamps, and waits for it to come.
type Clock struct {
	origin, started time.Time
	speed           float64
}

// NewClock starts a clock now for a simulation that takes length.
//
// At speed 1 virtual time is wall time. At a higher speed, and at speed 0 (as
// fast as possible), timestamps keep their virtual distances and the last one
// falls on the moment it is sent, so that none lies in the future.
func NewClock(now time.Time, speed float64, length time.Duration) (*Clock, error) {
	now = now.Round(0) // wall clock only: spans carry no monotonic reading
	c := &Clock{origin: now, started: now, speed: speed}
	switch {
	case speed == 0:
		c.origin = now.Add(-length)
	case speed >= 1:
		c.origin = now.Add(time.Duration(float64(length)/speed) - length)
	default:
		return nil, errors.New("--speed: give 0 (as fast as possible) or 1 and above")
	}
	return c, nil
}

// Timestamp is the wall-clock time that spans bear for a virtual time.
func (c *Clock) Timestamp(at time.Duration) time.Time { return c.origin.Add(at) }

// Wait returns true when the virtual time has come, or false as soon as one of
// the channels is closed before.
func (c *Clock) Wait(at time.Duration, interrupt, abandon <-chan struct{}) bool {
	if c.speed == 0 {
		return true
	}
	left := time.Until(c.started.Add(time.Duration(float64(at) / c.speed)))
	if left <= 0 {
		return true
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-interrupt:
	case <-abandon:
	}
	return false
}
