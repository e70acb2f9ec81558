package correlate

func (c *Core) look(q *Query) Answer {
	if q.None() {
		return Answer{State: StateNoID, Final: true}
	}
	t, several, guess := c.traceOf(q)
	switch {
	case several:
		return Answer{State: StateAmbiguous}
	case t == nil:
		return Answer{State: StateUnmatched}
	}
	c.fresh(t)
	a := Answer{State: StatePartial, Trace: t.id, Failed: t.failed, Sampled: t.sampled, Guess: guess}
	var sure bool
	a.Facts, sure = t.find(q.Span, q.Keys)
	a.Final = sure && !guess && c.final(t)
	if t.complete && a.Facts != nil {
		a.State = StateJoined
	}
	return a
}

// final tells whether waiting for a trace would add nothing.
func (c *Core) final(t *trace) bool {
	return t.complete && (t.sampled != SampledUnknown || !c.cfg.WaitForSampled || !c.cfg.sampling())
}

// traceOf returns the trace that a record names, and whether it names several. A record with a
// trace id is about that trace, whatever request id it has.
func (c *Core) traceOf(q *Query) (t *trace, several, guess bool) {
	if q.Trace != [16]byte{} {
		if q.Low64 {
			t, several = c.low.trace(q.Trace)
			return t, several, false
		}
		return c.traces[q.Trace], false, false
	}
	for i, key := range q.Keys {
		if t, several = c.names[key.Text].trace(key); t != nil || several {
			return t, several, q.Own > 0 && i >= q.Own
		}
	}
	return nil, false, false
}
