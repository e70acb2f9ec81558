package engine

// lane is the queue of one model and the GPUs that serve it.
type lane struct {
	sim     *Simulation
	scale   float64
	waiting []*Request
	gpus    []*gpu
}

func newLane(s *Simulation, m Model) *lane {
	l := &lane{sim: s, scale: m.scale()}
	for range s.cfg.GPUs {
		l.gpus = append(l.gpus, &gpu{lane: l})
	}
	return l
}

// enqueue lets a request wait for a GPU, or rejects it when too many wait.
func (l *lane) enqueue(r *Request) {
	if len(l.waiting) >= l.sim.cfg.QueueLimit {
		l.sim.end(r, Rejected, ErrorQueueFull)
		return
	}
	l.waiting = append(l.waiting, r)
	for _, g := range l.gpus {
		if !g.awake {
			g.wake()
			return
		}
	}
}

// take removes the first waiting request that fits into the room for prompt
// tokens. Order is kept: a long prompt is not overtaken by a short one.
func (l *lane) take(room int, alone bool) *Request {
	for len(l.waiting) > 0 {
		r := l.waiting[0]
		if !l.sim.expired(r) && r.InputTokens > room && !alone {
			return nil
		}
		l.waiting[0] = nil
		l.waiting = l.waiting[1:]
		if !l.sim.expired(r) {
			return r
		}
		l.sim.end(r, TimedOut, ErrorTimeout)
	}
	return nil
}
