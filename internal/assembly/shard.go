package assembly

import (
	"slices"
	"sync"
	"time"
	"unique"

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
	room   int // for spans: MaxSpans less those held
	closed []*inference.Request
	free   []*openTrace // of which the memory is used again

	// What known found last; a trace that opens or closes ends it.
	looked bool
	id     [16]byte
	trace  *openTrace
	tomb   *tombstone

	lastLabels closedLabels
	lastHandle unique.Handle[closedLabels]
}

func newShard(cfg *Config, stats *Stats, shards int) *shard {
	return &shard{
		cfg: cfg, stats: stats, limit: max(1, cfg.MaxTraces/shards), room: max(1, cfg.MaxSpans/shards),
		open:   openTraces{byID: make(map[[16]byte]*openTrace)},
		graves: newGraveyard(max(1, cfg.MaxTombstones/shards), &stats.Tombstones),
		build:  Builder{Boundary: cfg.Boundary, DefaultModel: cfg.DefaultModel, Dimensions: cfg.Dimensions, Semconv: cfg.Semconv, Measures: cfg.Measures},
	}
}

// add takes one span in, the first of a run of the same trace.
func (s *shard) add(now time.Time, span *dialect.Span, run int) {
	t := s.known(span.TraceID)
	if s.duplicate(t, span) {
		s.stats.Duplicates.Add(1)
		return
	}
	if t != nil && len(t.spans) >= s.cfg.MaxSpansPerTrace && !s.makeRoom(t, span) {
		s.stats.Refused.Add(1)
		return
	}
	for s.room < 1 {
		oldest := s.open.oldest(t)
		s.evict(now, oldest)
		if oldest == t {
			t = nil
		}
	}
	if t == nil {
		t = s.openTrace(now, span.TraceID)
	}
	f := span.Facts
	f.Arrived = uint32(max(0, min(now.Sub(t.first).Milliseconds(), 1<<32-1)))
	if len(t.spans) == cap(t.spans) {
		t.spans = slices.Grow(t.spans, run)
	}
	t.spans = append(t.spans, f)
	s.hold(1)
	if t.infers(&f) {
		s.open.promote(t)
	}
	if f.Details != nil {
		s.countDropped(&f.Details.Values)
	}
	// The shortest wait that this span may have begun.
	if soonest := now.Add(min(s.cfg.Linger, s.cfg.IdleTimeout)); soonest.Before(t.deadline) {
		s.open.reschedule(t, soonest)
	}
}

// known returns the open trace with an id, nil if there is none. For a run of
// spans it is looked for once.
func (s *shard) known(id [16]byte) *openTrace {
	if !s.looked || s.id != id {
		s.looked, s.id, s.trace, s.tomb = true, id, s.open.byID[id], s.graves.byTrace[id]
	}
	return s.trace
}

// hold counts n more spans as held.
func (s *shard) hold(n int) {
	s.room -= n
	s.stats.OpenSpans.Add(int64(n))
}

// makeRoom makes room in a full trace for a span that matters more than one
// that it holds: a call, a phase or a root, for a plain span that is nobody's
// parent. What is refused is the plain span.
func (s *shard) makeRoom(t *openTrace, span *dialect.Span) bool {
	if span.Part == dialect.PartPlain && span.ParentID != [8]byte{} {
		return false
	}
	parents := map[[8]byte]bool{span.ParentID: true}
	for i := range t.spans {
		parents[t.spans[i].ParentID] = true
	}
	i := slices.IndexFunc(t.spans, func(f dialect.Facts) bool {
		return f.Part == dialect.PartPlain && f.ParentID != [8]byte{} && !parents[f.SpanID]
	})
	if i < 0 {
		return false
	}
	t.spans = slices.Delete(t.spans, i, i+1)
	s.hold(-1)
	s.stats.Refused.Add(1)
	return true
}

// duplicate reports whether the span came before: the same one delivered
// again, or a twin, which has everything but its id.
func (s *shard) duplicate(t *openTrace, span *dialect.Span) bool {
	if s.tomb.knows(span.Key) {
		return true
	}
	if t == nil {
		return false
	}
	for i := range t.spans {
		if Same(&t.spans[i], &span.Facts) {
			t.addTwin(&t.spans[i], span)
			return true
		}
	}
	return false
}

// Same reports whether two spans of one trace are one: the same delivered
// twice, or twins, which have everything in common but their ids. Spans without
// a duration are no twins: too little tells them apart.
func Same(a, b *dialect.Facts) bool {
	return a.Key == b.Key || a.End > a.Start && a.Key.Content() == b.Key.Content() &&
		a.ParentID == b.ParentID && a.Start == b.Start && a.End == b.End
}

// twin is a span that was left out for one that is alike. It may come again
// when that is closed, and others may name it as their parent.
type twin struct {
	key    dialect.Key
	id, of [8]byte
}

func (t *openTrace) addTwin(of *dialect.Facts, span *dialect.Span) {
	known := func(w twin) bool { return w.key == span.Key }
	if span.Key != of.Key && len(t.twins) < maxKeys && !slices.ContainsFunc(t.twins, known) {
		t.twins = append(t.twins, twin{span.Key, span.SpanID, of.SpanID})
	}
}

// openTrace makes room for a trace and opens it.
func (s *shard) openTrace(now time.Time, id [16]byte) *openTrace {
	for len(s.open.byID) >= s.limit {
		s.evict(now, s.open.oldest(nil))
	}
	t := &openTrace{}
	if last := len(s.free) - 1; last >= 0 {
		t, s.free[last] = s.free[last], nil
		s.free = s.free[:last]
	}
	// The shortest wait that its first span may begin.
	t.id, t.first, t.deadline = id, now, now.Add(min(s.cfg.Linger, s.cfg.IdleTimeout, s.cfg.MaxAge))
	s.open.add(t)
	s.looked = false
	s.stats.OpenTraces.Add(1)
	return t
}

// evict closes a trace before its time.
func (s *shard) evict(now time.Time, t *openTrace) {
	s.stats.Evicted[t.kind()].Add(1)
	s.close(now, t, ReasonEvicted)
}

func (s *shard) countDropped(v *dialect.Values) {
	for r, n := range v.Dropped {
		if n > 0 {
			s.stats.Dropped[r].Add(int64(n))
		}
	}
}

// advance settles traces that are due until they held so many spans, and
// reports whether more are due.
func (s *shard) advance(now time.Time, spans int) (more bool) {
	for spans > 0 {
		if len(s.open.due) == 0 || s.open.due[0].deadline.After(now) {
			s.graves.expire(now)
			s.looked = false
			return false
		}
		spans -= len(s.open.due[0].spans)
		s.settle(now, s.open.due[0])
	}
	return true
}

// take moves the requests that were closed since the last call to a list.
func (s *shard) take(to []*inference.Request) []*inference.Request {
	to = append(to, s.closed...)
	clear(s.closed)
	s.closed = s.closed[:0]
	return to
}
