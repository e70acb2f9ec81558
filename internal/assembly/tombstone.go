package assembly

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// maxKeys is how many spans of a closed trace are remembered.
const maxKeys = 64

// tombstone remembers what of a trace was observed.
type tombstone struct {
	keys     []dialect.Key
	identity inference.Identity // of the last request, for late spans that name no model
	expires  time.Time
}

// knows reports whether the span was observed.
func (t *tombstone) knows(k dialect.Key) bool {
	return t != nil && slices.Contains(t.keys, k)
}

// holds reports whether a span with this id was observed.
func (t *tombstone) holds(spanID [8]byte) bool {
	if t == nil || spanID == [8]byte{} {
		return false
	}
	half := dialect.SpanIDKey(spanID)
	for _, known := range t.keys {
		if known.SpanID() == half {
			return true
		}
	}
	return false
}

// graveyard is the tombstones of one shard, the oldest leaving first.
type graveyard struct {
	byTrace map[[16]byte]*tombstone
	order   []grave // a ring, from head
	head    int
	limit   int
	count   *atomic.Int64
}

type grave struct {
	traceID [16]byte
	expires time.Time
}

func newGraveyard(limit int, count *atomic.Int64) graveyard {
	return graveyard{byTrace: make(map[[16]byte]*tombstone), limit: limit, count: count}
}

// bury returns the tombstone of a trace, made or renewed.
func (g *graveyard) bury(traceID [16]byte, expires time.Time) *tombstone {
	t := g.byTrace[traceID]
	if t == nil {
		for len(g.byTrace) >= g.limit {
			g.dig()
		}
		t = &tombstone{}
		g.byTrace[traceID] = t
		g.count.Add(1)
		g.order = append(g.order, grave{traceID, expires})
	}
	t.expires = expires
	return t
}

// expire forgets what is too old.
func (g *graveyard) expire(now time.Time) {
	for g.head < len(g.order) && !g.order[g.head].expires.After(now) {
		g.dig()
	}
}

// dig takes the oldest grave: it is forgotten, or, when renewed since and there
// is room, goes to the back.
func (g *graveyard) dig() {
	oldest := g.order[g.head]
	g.head++
	if g.head > len(g.order)/2 && g.head > 64 {
		g.order = append(g.order[:0], g.order[g.head:]...)
		g.head = 0
	}
	t := g.byTrace[oldest.traceID]
	if t.expires.After(oldest.expires) && len(g.byTrace) < g.limit {
		g.order = append(g.order, grave{oldest.traceID, t.expires})
		return
	}
	delete(g.byTrace, oldest.traceID)
	g.count.Add(-1)
}
