package assembly

import (
	"slices"
	"time"
	"unique"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// settle closes the groups of t that are due and reschedules the rest.
func (s *shard) settle(now time.Time, t *openTrace) {
	s.build.twins = t.twins
	s.build.plant(t.spans)
	var next time.Time // when the first of what stays is due
	var gone []bool
	groups := s.build.groups()
	for i := range groups {
		g := &groups[i]
		late := s.late(t, g)
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
		s.closeGroup(now, t, g, reason, late)
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
	s.build.twins = t.twins
	s.build.plant(t.spans)
	groups := s.build.groups()
	for i := range groups {
		s.closeGroup(now, t, &groups[i], reason, s.late(t, &groups[i]))
	}
	s.forget(t)
}

// late returns the closed request that g belongs to, or nil: something of it
// hangs on what was observed, or it is what was above calls that were.
func (s *shard) late(t *openTrace, g *group) *closedRequest {
	tomb := s.graves.byTrace[t.id]
	if tomb == nil || len(tomb.closed) == 0 {
		return nil
	}
	for _, r := range g.roots {
		if c := tomb.of(&s.build.spans[r], g, s.build.parentSeen(r)); c != nil {
			return c
		}
	}
	if len(tomb.above) == 0 {
		return nil
	}
	var above bool
	for _, i := range g.members {
		f := &s.build.spans[i]
		if f.Part == dialect.PartCall {
			return nil // it is the request of a call that is still open
		}
		above = above || tomb.isAbove(f.Key)
	}
	if above {
		return tomb.last()
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
		s.addLateHops(t, g)
		return
	}
	tomb := s.graves.bury(t.id, now.Add(s.cfg.MaxAge))
	s.looked = false
	s.build.late, s.build.closed = of != nil, tomb
	s.build.told = of != nil && of.engine
	for _, r := range s.build.build(t.id, g.members) {
		if of != nil {
			s.completeLate(r, of)
			s.stats.Late.Add(1)
		} else {
			s.stats.Closed[reason].Add(1)
			if !r.Seen {
				s.stats.Incomplete.Add(1)
			}
			tomb.close(s.closedRequest(g, r))
		}
		s.closed = append(s.closed, r)
		s.build.leave(r)
	}
	s.build.late, s.build.closed, s.build.told = false, nil, false
	s.stats.Disagreements.Add(int64(s.build.Disagreed))
	s.build.Disagreed = 0
	for i := range s.build.Dropped {
		s.stats.Dropped[i].Add(int64(s.build.Dropped[i]))
		s.build.Dropped[i] = 0
	}
	s.remember(tomb, g)
	for _, w := range t.twins {
		if !tomb.knows(w.key) {
			tomb.remember(w.key, true)
		}
	}
}

// remember adds the spans of a closed group to its tombstone: those that were
// observed, those above them, and the rest while there is room. What is below
// an agent, or a span above the request, is no part of it: those are left out.
func (s *shard) remember(tomb *tombstone, g *group) {
	b := &s.build
	weight := func(i int32) int {
		switch f := &b.spans[i]; {
		case f.Part == dialect.PartAgent || b.beyond[i]:
			return -1
		case b.callsBelow[i] > 0 || b.stagesBelow[i] || f.Part == dialect.PartRequest:
			return 1
		case f.Part == dialect.PartPlain:
			return 2
		}
		return 0
	}
	tomb.keys = slices.Grow(tomb.keys, min(len(g.members), maxKeys-len(tomb.keys)))
	for pass := range 3 {
		for _, i := range g.members {
			if weight(i) == pass {
				tomb.remember(b.spans[i].Key, pass < 2)
			}
		}
	}
	for _, r := range g.roots {
		if !b.parentSeen(r) && weight(r) < 2 && len(tomb.closed) > 0 {
			below, kind := b.layer(&b.spans[r])
			tomb.addAbove(b.spans[r].ParentID, unseenParent{
				below: below, served: kind == inference.HopGateway, labels: tomb.last().labels,
			})
		}
	}
}

// closedRequest returns what is remembered of r. Only the root of a trace has
// all below it that goes on meanwhile, and not even that where agents are.
func (s *shard) closedRequest(g *group, r *inference.Request) closedRequest {
	c := closedRequest{
		labels:  s.intern(closedLabels{r.Identity, r.Result}),
		tokens:  r.InputTokens.Known() || r.OutputTokens.Known(),
		gateway: g.gateway, engine: g.engine, input: g.input, call: g.call,
		reads: r.OutputTokens.Known() && r.OutputTokens.N() <= 1,
	}
	if r.Seen {
		f := &s.build.spans[s.build.find(r.SpanID)]
		c.span, c.at = f.Key.SpanID(), intervalOf(f)
		if f.ParentID != [8]byte{} {
			c.parent = dialect.SpanIDKey(f.ParentID)
		}
		c.outer = f.Part != dialect.PartCall && f.ParentID == [8]byte{} && f.Timed() && !g.agents
	}
	for i := range r.Calls {
		c.estimated = c.estimated || r.Calls[i].Phases[inference.PhaseQueue].Provenance == inference.Estimated
	}
	return c
}

// intern is unique.Make; mostly they are those of the request before.
func (s *shard) intern(labels closedLabels) unique.Handle[closedLabels] {
	if s.lastHandle == (unique.Handle[closedLabels]{}) || labels != s.lastLabels {
		s.lastLabels, s.lastHandle = labels, unique.Make(labels)
	}
	return s.lastHandle
}

// completeLate makes r what late spans add to a closed request: calls and
// phases, never a second request, and nothing that was observed of it.
func (s *shard) completeLate(r *inference.Request, of *closedRequest) {
	r.Seen, r.Hops = false, r.Hops[:0]
	r.Duration, r.TTFT = inference.Measure{}, inference.Measure{}
	if of.tokens {
		r.InputTokens, r.OutputTokens, r.CachedTokens = inference.Count{}, inference.Count{}, inference.Count{}
	}
	of.tokens = of.tokens || r.InputTokens.Known() || r.OutputTokens.Known()
	if of.estimated {
		r.Phases[inference.PhaseQueue] = inference.Measure{}
	}
	if r.Result.Outcome == inference.OutcomeOK {
		r.Result = of.labels.Value().Result
	}
	s.inherit(&r.Identity, of)
	for i := range r.Calls {
		s.inherit(&r.Calls[i].Identity, of)
	}
}

// inherit gives a late part the model and the dimensions of its request where it
// names none.
func (s *shard) inherit(to *inference.Identity, of *closedRequest) {
	to.Dimensions = s.build.inheritDimensions(to.Dimensions, of.labels.Value().Dimensions)
	if to.Model == inference.UnknownModel || to.Model == s.cfg.DefaultModel {
		was := of.labels.Value()
		to.Model, to.ModelVersion = was.Model, was.ModelVersion
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
	s.looked = false
	s.stats.OpenTraces.Add(-1)
	s.hold(-len(t.spans))
	if len(s.free) < mostFree && cap(t.spans) <= mostFreeSpans {
		clear(t.spans)
		*t = openTrace{spans: t.spans[:0]}
		s.free = append(s.free, t)
		return
	}
	t.spans = nil
}

// Of closed traces the memory of some small ones is kept for those that come.
const (
	mostFree      = 256
	mostFreeSpans = 32
)

// at returns the time of an arrival.
func at(t *openTrace, arrived uint32) time.Time {
	return t.first.Add(time.Duration(arrived) * time.Millisecond)
}
