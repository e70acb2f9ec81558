package engine

import "time"

// Simulation plays a [Config]. It is used once and by one goroutine.
type Simulation struct {
	cfg     Config
	now     time.Duration
	agenda  agenda
	clients *clients
	cpu     pool
	lanes   []*lane
	// inFlight counts requests between [Arrived] and [Ended].
	inFlight int
	observe  func(Moment)
}

// New makes a simulation of a valid config.
func New(cfg Config) (*Simulation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Simulation{cfg: cfg, clients: newClients(cfg)}
	s.cpu = pool{sim: s, free: cfg.CPUWorkers}
	for _, m := range cfg.Models {
		s.lanes = append(s.lanes, newLane(s, m))
	}
	return s, nil
}

// Run plays the whole simulation. It calls observe for every moment in order of
// time, and pace (if not nil) with the time of everything that is about to happen.
// Both may take as long as they like and may call [Simulation.StopArrivals].
// Requests belong to the simulation: observe reads them, and keeps nothing of them
// that it has not copied.
func (s *Simulation) Run(pace func(time.Duration), observe func(Moment)) {
	s.observe = observe
	s.scheduleArrival()
	for e, ok := s.agenda.next(); ok; e, ok = s.agenda.next() {
		if pace != nil {
			pace(e.at)
		}
		s.now = e.at
		e.do()
	}
}

// Length is how long a whole simulation of a valid config takes.
func Length(cfg Config) (time.Duration, error) {
	s, err := New(cfg)
	if err != nil {
		return 0, err
	}
	var last time.Duration
	s.Run(nil, func(m Moment) { last = m.At })
	return last, nil
}

// InFlight is the number of requests that have arrived and not ended.
func (s *Simulation) InFlight() int { return s.inFlight }

// StopArrivals lets no further request in. Those that are in are served.
func (s *Simulation) StopArrivals() { s.clients.gone = true }

// scheduleArrival puts the next request on the agenda, if there is one.
func (s *Simulation) scheduleArrival() {
	at, ok := s.clients.nextArrival(s.now)
	if !ok {
		return
	}
	s.agenda.add(at, func() {
		if s.clients.gone {
			return
		}
		r, model := s.clients.arrive()
		s.scheduleArrival()
		s.serve(r, s.lanes[model])
	})
}

// serve leads a request to the queue of its model.
func (s *Simulation) serve(r *Request, l *lane) {
	s.inFlight++
	s.reach(r, Arrived)
	s.after(s.cfg.Receive.of(r.InputTokens), func() {
		s.reach(r, Received)
		s.cpu.run(s.cfg.Preprocess.of(r.InputTokens), func() {
			s.reach(r, Preprocessed)
			l.enqueue(r)
		})
	})
}

// deliver leads a request with its whole answer to its end.
func (s *Simulation) deliver(r *Request) {
	s.after(s.cfg.Postprocess.of(r.OutputTokens), func() {
		s.reach(r, Postprocessed)
		s.after(s.cfg.Send, func() { s.end(r, OK, "") })
	})
}

func (s *Simulation) end(r *Request, outcome Outcome, errorType string) {
	r.Outcome, r.ErrorType = outcome, errorType
	s.inFlight--
	s.reach(r, Ended)
}

func (s *Simulation) reach(r *Request, m Milestone) {
	r.at[m], r.reached[m] = s.now, true
	s.observe(Moment{Request: r, Milestone: m, At: s.now})
}

func (s *Simulation) after(d time.Duration, do func()) { s.agenda.add(s.now+d, do) }

// expired tells if the service gives up on a request.
func (s *Simulation) expired(r *Request) bool {
	return s.now-r.at[Arrived] >= s.cfg.Timeout
}
