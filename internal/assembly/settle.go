package assembly

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// settle closes the groups of t that are due and reschedules the rest.
func (s *shard) settle(now time.Time, t *openTrace) {
	s.build.plant(t.spans)
	tomb := s.graves.byTrace[t.id]
	var next time.Time // when the first of what stays is due
	var gone []bool
	for _, g := range s.build.groups() {
		late := s.late(&g, tomb)
		wait, reason := g.wait(&s.build, s.cfg, late != nil)
		due := at(t, g.last).Add(wait)
		if oldest := at(t, g.first).Add(s.cfg.MaxAge); oldest.Before(due) {
			due, reason = oldest, ReasonMaxAge
		}
		if due.After(now) {
			if next.IsZero() || due.Before(next) {
				next = due
			}
			continue
		}
		if gone == nil {
			gone = make([]bool, len(t.spans))
		}
		for _, i := range g.members {
			gone[i] = true
		}
		s.closeGroup(now, t, &g, reason, late)
	}
	s.drop(t, gone)
	if len(t.spans) == 0 {
		s.forget(t)
		return
	}
	s.open.reschedule(t, next)
}

// close closes all of t at once.
func (s *shard) close(now time.Time, t *openTrace, reason Reason) {
	s.build.plant(t.spans)
	tomb := s.graves.byTrace[t.id]
	for _, g := range s.build.groups() {
		s.closeGroup(now, t, &g, reason, s.late(&g, tomb))
	}
	s.forget(t)
}

// late returns the closed request that g belongs to, or nil.
func (s *shard) late(g *group, tomb *tombstone) *closedRequest {
	for _, r := range g.roots {
		if c := tomb.of(&s.build.spans[r], s.build.parentSeen(r)); c != nil {
			return c
		}
	}
	return nil
}

// closeGroup hands a group's requests on and remembers its spans. of is the
// closed request that they belong to, if any.
func (s *shard) closeGroup(now time.Time, t *openTrace, g *group, reason Reason, of *closedRequest) {
	if g.cyclic {
		s.stats.Cycles.Add(1)
	}
	if !g.observable(of != nil) {
		return
	}
	tomb := s.graves.bury(t.id, now.Add(s.cfg.MaxAge))
	s.build.late = of != nil
	for _, r := range s.build.build(t.id, g.members) {
		if of != nil {
			s.completeLate(r, of)
			s.stats.Late.Add(1)
		} else {
			s.stats.Closed[reason].Add(1)
			if !r.Seen {
				s.stats.Incomplete.Add(1)
			}
			tomb.close(s.closedRequest(r))
		}
		s.closed = append(s.closed, r)
	}
	s.build.late = false
	for i := range s.build.Dropped {
		s.stats.Dropped[i].Add(int64(s.build.Dropped[i]))
		s.build.Dropped[i] = 0
	}
	s.remember(tomb, g)
}

// remember adds the spans of a closed group to its tombstone: first those that
// were observed and those above them, then the rest while there is room. What
// is below an agent is no part of a closed request, so agents are left out.
func (s *shard) remember(tomb *tombstone, g *group) {
	b := &s.build
	for _, matters := range []bool{true, false} {
		for _, i := range g.members {
			f := &b.spans[i]
			observed := f.Part == dialect.PartCall || f.Part == dialect.PartStage || f.Part == dialect.PartInside || b.callsBelow[i] > 0 || b.stagesBelow[i]
			if f.Part != dialect.PartAgent && observed == matters {
				tomb.remember(f.Key, matters)
			}
		}
	}
}

// closedRequest returns what is remembered of r.
func (s *shard) closedRequest(r *inference.Request) closedRequest {
	c := closedRequest{identity: r.Identity, result: r.Result, tokens: r.InputTokens.Known || r.OutputTokens.Known}
	if r.Seen {
		f := &s.build.spans[s.build.byID[r.SpanID]]
		c.span, c.at, c.outer = f.Key.SpanID(), intervalOf(f), f.Part == dialect.PartPlain && f.Timed()
	}
	for i := range r.Calls {
		c.estimated = c.estimated || r.Calls[i].Phases[inference.PhaseQueue].Provenance == inference.Estimated
	}
	return c
}

// completeLate makes r what late spans add to a closed request: calls and
// phases, never a second request, and nothing that was observed of it.
func (s *shard) completeLate(r *inference.Request, of *closedRequest) {
	r.Seen, r.Hops = false, nil
	r.Duration, r.TTFT = inference.Measure{}, inference.Measure{}
	if of.tokens {
		r.InputTokens, r.OutputTokens, r.CachedTokens = inference.Count{}, inference.Count{}, inference.Count{}
	}
	of.tokens = of.tokens || r.InputTokens.Known || r.OutputTokens.Known
	if of.estimated {
		r.Phases[inference.PhaseQueue] = inference.Measure{}
	}
	if r.Result.Outcome == inference.OutcomeOK {
		r.Result = of.result
	}
	s.inherit(&r.Identity, of)
	for i := range r.Calls {
		s.inherit(&r.Calls[i].Identity, of)
	}
}

// inherit gives a late part the model of its request where it names none.
func (s *shard) inherit(to *inference.Identity, of *closedRequest) {
	if to.Model == inference.UnknownModel || to.Model == s.cfg.DefaultModel {
		to.Model, to.ModelVersion = of.identity.Model, of.identity.ModelVersion
	}
}

// drop removes the spans marked gone.
func (s *shard) drop(t *openTrace, gone []bool) {
	if gone == nil {
		return
	}
	kept := t.spans[:0]
	for i := range t.spans {
		if !gone[i] {
			kept = append(kept, t.spans[i])
		}
	}
	s.hold(len(kept) - len(t.spans))
	clear(t.spans[len(kept):])
	t.spans = kept
}

// forget removes t from the open traces.
func (s *shard) forget(t *openTrace) {
	s.open.remove(t)
	s.stats.OpenTraces.Add(-1)
	s.hold(-len(t.spans))
	t.spans = nil
}

// at returns the time of an arrival.
func at(t *openTrace, arrived uint32) time.Time {
	return t.first.Add(time.Duration(arrived) * time.Millisecond)
}
