package engine

// gpu runs sequences in steps. Between steps sequences join and leave; each
// step gives every sequence one token, the first one with its prefill.
type gpu struct {
	lane    *lane
	running []*Request
	awake   bool
}

// wake starts the steps of an idle GPU.
func (g *gpu) wake() {
	g.awake = true
	g.lane.sim.after(g.lane.sim.cfg.Step.Wake, g.begin)
}

// begin starts a step, or lets the GPU sleep when there is nothing to do.
func (g *gpu) begin() {
	promptTokens := g.admit()
	if len(g.running) == 0 {
		g.awake = false
		return
	}
	sim := g.lane.sim
	sim.after(sim.cfg.Step.of(len(g.running), promptTokens, g.lane.scale), g.finish)
}

// admit takes waiting requests into the batch and returns their prompt tokens.
func (g *gpu) admit() int {
	sim, promptTokens, joined := g.lane.sim, 0, len(g.running)
	for len(g.running) < sim.cfg.MaxBatchSize {
		r := g.lane.take(sim.cfg.MaxPrefillTokens-promptTokens, promptTokens == 0)
		if r == nil {
			break
		}
		promptTokens += r.InputTokens
		g.running = append(g.running, r)
		sim.reach(r, Scheduled)
	}
	for _, r := range g.running[joined:] {
		r.BatchSize = len(g.running)
	}
	return promptTokens
}

// finish ends a step: every sequence gets its token, and some leave.
func (g *gpu) finish() {
	stay := g.running[:0]
	for _, r := range g.running {
		if g.advance(r) {
			stay = append(stay, r)
		}
	}
	clear(g.running[len(stay):])
	g.running = stay
	g.begin()
}

// advance gives a sequence its next token and tells if it stays in the batch.
func (g *gpu) advance(r *Request) bool {
	sim := g.lane.sim
	if r.OutputTokens == r.fate.failAfter {
		return g.drop(r, Failed, r.fate.failType)
	}
	r.OutputTokens++
	if r.OutputTokens == 1 {
		sim.reach(r, FirstToken)
	}
	switch {
	case r.OutputTokens == r.fate.tokens:
		g.complete(r)
		return false
	case r.OutputTokens == r.fate.leaveAfter:
		return g.drop(r, Aborted, ErrorDisconnected)
	case sim.expired(r):
		return g.drop(r, TimedOut, ErrorTimeout)
	}
	return true
}

func (g *gpu) complete(r *Request) {
	r.Outcome, r.FinishReason = OK, FinishStop
	if r.fate.cut {
		r.FinishReason = FinishLength
	}
	g.lane.sim.reach(r, Generated)
	g.lane.sim.deliver(r)
}

// drop ends a sequence that goes wrong, and the request with it.
func (g *gpu) drop(r *Request, outcome Outcome, errorType string) bool {
	r.Outcome, r.ErrorType = outcome, errorType
	g.lane.sim.reach(r, Generated)
	g.lane.sim.end(r, outcome, errorType)
	return false
}
