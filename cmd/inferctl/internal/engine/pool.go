package engine

import "time"

// pool is a number of workers that take jobs in the order they come.
type pool struct {
	sim     *Simulation
	free    int
	waiting []job
}

type job struct {
	cost time.Duration
	done func()
}

// run does a job of this cost as soon as a worker is free, then calls done.
func (p *pool) run(cost time.Duration, done func()) {
	if p.free == 0 {
		p.waiting = append(p.waiting, job{cost, done})
		return
	}
	p.free--
	p.start(job{cost, done})
}

func (p *pool) start(j job) {
	p.sim.after(j.cost, func() {
		p.release()
		j.done()
	})
}

func (p *pool) release() {
	if len(p.waiting) == 0 {
		p.free++
		return
	}
	next := p.waiting[0]
	p.waiting = p.waiting[1:]
	p.start(next)
}
