package assembly

import (
	"sync"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// shard owns the traces whose ids fall to it. The lock is held for one trace
// at a time, never while requests are handed on.
type shard struct {
	mu     sync.Mutex
	cfg    *Config
	stats  *Stats
	open   openTraces
	graves graveyard
	build  Builder
	limit  int // of open traces
	closed []*inference.Request
}

func newShard(cfg *Config, stats *Stats, shards int) *shard {
	return &shard{
		cfg: cfg, stats: stats, limit: max(1, cfg.MaxTraces/shards),
		open:   openTraces{byID: make(map[[16]byte]*openTrace)},
		graves: newGraveyard(max(1, cfg.MaxTombstones/shards), &stats.Tombstones),
		build:  Builder{Boundary: cfg.Boundary, DefaultModel: cfg.DefaultModel},
	}
}

// add takes one span in.
func (s *shard) add(now time.Time, span *dialect.Span) {
	t := s.open.byID[span.TraceID]
	if s.duplicate(t, span) {
		s.stats.Duplicates.Add(1)
		return
	}
	if t == nil {
		t = s.openTrace(now, span.TraceID)
	}
	if len(t.spans) >= s.cfg.MaxSpansPerTrace {
		s.stats.Refused.Add(1)
		return
	}
	f := span.Facts
	f.Arrived = uint32(max(0, min(now.Sub(t.first).Milliseconds(), 1<<32-1)))
	t.spans = append(t.spans, f)
	s.stats.OpenSpans.Add(1)
	if f.Details != nil {
		s.countDropped(&f.Details.Values)
	}
	// The shortest wait that this span may have begun.
	if soonest := now.Add(min(s.cfg.Linger, s.cfg.IdleTimeout)); soonest.Before(t.deadline) {
		s.open.reschedule(t, soonest)
	}
}

// duplicate reports whether the span came before: the same one delivered
// again, or a twin, which has everything but its id.
func (s *shard) duplicate(t *openTrace, span *dialect.Span) bool {
	if s.graves.byTrace[span.TraceID].knows(span.Key) {
		return true
	}
	if t == nil {
		return false
	}
	for i := range t.spans {
		f := &t.spans[i]
		if f.Key == span.Key ||
			f.Key.Content() == span.Key.Content() && f.ParentID == span.ParentID && f.Start == span.Start && f.End == span.End {
			return true
		}
	}
	return false
}

// openTrace makes room for a trace and opens it.
func (s *shard) openTrace(now time.Time, id [16]byte) *openTrace {
	for len(s.open.byID) >= s.limit {
		s.stats.EvictedTraces.Add(1)
		s.close(now, s.open.oldest, ReasonEvicted)
	}
	t := &openTrace{id: id, first: now, deadline: now.Add(s.cfg.MaxAge)}
	s.open.add(t)
	s.stats.OpenTraces.Add(1)
	return t
}

func (s *shard) countDropped(v *dialect.Values) {
	for r, n := range v.Dropped {
		if n > 0 {
			s.stats.Dropped[r].Add(int64(n))
		}
	}
}

// advance settles up to limit traces that are due, and reports whether more are.
func (s *shard) advance(now time.Time, limit int) (more bool) {
	for range limit {
		if len(s.open.due) == 0 || s.open.due[0].deadline.After(now) {
			s.graves.expire(now)
			return false
		}
		s.settle(now, s.open.due[0])
	}
	return true
}

// take returns the requests that were closed since the last call.
func (s *shard) take() []*inference.Request {
	closed := s.closed
	s.closed = nil
	return closed
}
