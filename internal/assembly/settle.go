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
		wait, reason := g.wait(&s.build, s.cfg, late)
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

// late reports whether g belongs to a request that is closed: what it hangs on
// was observed.
func (s *shard) late(g *group, tomb *tombstone) bool {
	for _, r := range g.roots {
		if tomb.holds(s.build.spans[r].ParentID) {
			return true
		}
	}
	return false
}

// closeGroup hands a group's requests on and remembers its spans.
func (s *shard) closeGroup(now time.Time, t *openTrace, g *group, reason Reason, late bool) {
	if g.cyclic {
		s.stats.Cycles.Add(1)
	}
	if g.empty() {
		return
	}
	tomb := s.graves.bury(t.id, now.Add(s.cfg.MaxAge))
	for _, r := range s.build.build(t.id, g.members) {
		if late {
			completeLate(r, tomb)
			s.stats.Late.Add(1)
		} else {
			s.stats.Closed[reason].Add(1)
			if !r.Seen {
				s.stats.Incomplete.Add(1)
			}
		}
		tomb.identity = r.Identity
		s.closed = append(s.closed, r)
	}
	for i := range s.build.Dropped {
		s.stats.Dropped[i].Add(int64(s.build.Dropped[i]))
		s.build.Dropped[i] = 0
	}
	for _, i := range g.members {
		f := &s.build.spans[i]
		if f.Part != dialect.PartAgent && len(tomb.keys) < maxKeys {
			tomb.keys = append(tomb.keys, f.Key)
		}
	}
}

// completeLate makes r what a late span adds to a closed request: calls and
// phases, never a second request.
func completeLate(r *inference.Request, tomb *tombstone) {
	r.Seen = false
	r.Duration, r.TTFT = inference.Measure{}, inference.Measure{}
	r.Hops = nil
	inherit := func(of *inference.Identity) {
		if of.Model == inference.UnknownModel && tomb.identity.Model != "" {
			of.Model, of.ModelVersion = tomb.identity.Model, tomb.identity.ModelVersion
		}
	}
	inherit(&r.Identity)
	for i := range r.Calls {
		inherit(&r.Calls[i].Identity)
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
	s.stats.OpenSpans.Add(int64(len(kept) - len(t.spans)))
	clear(t.spans[len(kept):])
	t.spans = kept
}

// forget removes t from the open traces.
func (s *shard) forget(t *openTrace) {
	s.open.remove(t)
	s.stats.OpenTraces.Add(-1)
	s.stats.OpenSpans.Add(-int64(len(t.spans)))
	t.spans = nil
}

// at returns the time of an arrival.
func at(t *openTrace, arrived uint32) time.Time {
	return t.first.Add(time.Duration(arrived) * time.Millisecond)
}
