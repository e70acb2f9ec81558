package assembly

import (
	"slices"
	"sync/atomic"
	"time"
	"unique"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const (
	// maxKeys is how many spans of a closed trace are remembered.
	maxKeys = 64
	// maxClosed is how many of its requests are.
	maxClosed = 8
)

// tombstone remembers what of a trace was observed. When full, what was
// observed last takes the place of what was observed first.
type tombstone struct {
	keys    []dialect.Key // of spans that were observed, and those above them
	nextKey int
	rest    []dialect.Key // of others, while keys leave room
	closed  []closedRequest
	nextOne int
	above   []unseenParent
	expires time.Time
}

// closedRequest is a request that was observed, as far as late spans need it.
type closedRequest struct {
	span      uint32 // the half of its span's key; 0: it was not seen
	at        interval
	outer     bool   // all of its trace that went on meanwhile is below it
	parent    uint32 // the half of the key of what is above its span; 0: nothing, or its span was not seen
	gateway   bool   // it has a gateway's span, see forest.adopt
	engine    bool   // it has an engine's call
	input     int64  // of its first call with tokens
	call      uint64 // dialect.Details.Sequences of it
	reads     bool   // it has no more than one token of output, as a leg that reads the prompt
	labels    unique.Handle[closedLabels]
	tokens    bool // its tokens were observed
	estimated bool // a queue time was estimated
}

// closedLabels is who served a closed request, and how it ended.
type closedLabels struct {
	inference.Identity
	inference.Result
}

// knows reports whether the span was observed.
func (t *tombstone) knows(k dialect.Key) bool {
	return t != nil && (slices.Contains(t.keys, k) || slices.Contains(t.rest, k))
}

// holds reports whether a span with this id was observed.
func (t *tombstone) holds(spanID [8]byte) bool {
	if t == nil || spanID == [8]byte{} {
		return false
	}
	half := dialect.SpanIDKey(spanID)
	has := func(k dialect.Key) bool { return k.SpanID() == half }
	return slices.ContainsFunc(t.keys, has) || slices.ContainsFunc(t.rest, has)
}

// of returns the closed request that span f, a root of g, belongs to: the one
// whose span is its parent, else, if its parent was not seen, one that was going
// on around it, else one of its own parent whose gateway, engine, sequence or leg
// it is, else, where some span of a closed request is its parent, the last one.
// nil: it belongs to none.
func (t *tombstone) of(f *dialect.Facts, g *group, parentSeen bool) *closedRequest {
	if t == nil || len(t.closed) == 0 {
		return nil
	}
	parent := dialect.SpanIDKey(f.ParentID)
	for i := range t.closed {
		if c := &t.closed[i]; c.span != 0 && c.span == parent {
			return c
		}
	}
	for i := range t.closed {
		if c := &t.closed[i]; c.outer && !parentSeen && f.Timed() && c.at.covers(intervalOf(f)) {
			return c
		}
	}
	for i := range t.closed {
		c := &t.closed[i]
		if c.parent == 0 || c.parent != parent {
			continue
		}
		meanwhile := c.at.overlaps(intervalOf(f))
		if meanwhile && c.isBeside(g) || c.call != 0 && c.call == g.call && (meanwhile || c.reads) {
			return c
		}
	}
	if !t.holds(f.ParentID) {
		return nil
	}
	return t.last()
}

// isBeside reports whether g has the gateway of c's engine or the engine of c's
// gateway. Other input is another call's.
func (c *closedRequest) isBeside(g *group) bool {
	return c.engine != c.gateway && c.engine == g.gateway && c.gateway == g.engine &&
		(c.input == 0 || g.input == 0 || c.input == g.input)
}

// remember adds a span. One that matters less is remembered only while there
// is room.
func (t *tombstone) remember(k dialect.Key, matters bool) {
	full := len(t.keys)+len(t.rest) >= maxKeys
	switch {
	case !matters && !full:
		t.rest = append(t.rest, k)
	case !matters:
	case len(t.keys) >= maxKeys:
		t.keys[t.nextKey] = k
		t.nextKey = (t.nextKey + 1) % maxKeys
	default:
		t.keys = append(t.keys, k)
		if full {
			t.rest = t.rest[:len(t.rest)-1]
		}
	}
}

// unseenParent is the id above a closed call, of which no span had come.
type unseenParent struct {
	half   uint32            // of the id's key
	below  inference.Measure // duration of what is directly below it; absent if that is no layer
	served bool              // what is below it is the server's side
	labels unique.Handle[closedLabels]
}

// isAbove reports whether a span is above calls that were observed without it.
func (t *tombstone) isAbove(k dialect.Key) bool { return t.parent(k) != nil }

// parent returns what is known of the span with this key from calls below it
// that were observed without it, or nil.
func (t *tombstone) parent(k dialect.Key) *unseenParent {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.above, func(p unseenParent) bool { return p.half == k.SpanID() })
	if i < 0 {
		return nil
	}
	return &t.above[i]
}

// addAbove remembers a parent that was not seen. With a second call below it,
// the time between them is no layer's own.
func (t *tombstone) addAbove(id [8]byte, p unseenParent) {
	if id == [8]byte{} {
		return
	}
	p.half = dialect.SpanIDKey(id)
	for i := range t.above {
		if t.above[i].half == p.half {
			t.above[i].below = inference.Measure{}
			return
		}
	}
	if len(t.above) < maxClosed {
		t.above = append(t.above, p)
	}
}

// last is the request that was closed last.
func (t *tombstone) last() *closedRequest {
	return &t.closed[(t.nextOne+len(t.closed)-1)%len(t.closed)]
}

// close adds a request.
func (t *tombstone) close(c closedRequest) {
	if len(t.closed) < maxClosed {
		t.closed = append(t.closed, c)
		return
	}
	t.closed[t.nextOne] = c
	t.nextOne = (t.nextOne + 1) % maxClosed
}

// graveyard is the tombstones of one shard, the oldest leaving first.
type graveyard struct {
	byTrace map[[16]byte]*tombstone
	order   []grave // a ring, from head
	head    int
	limit   int
	count   *atomic.Int64
	free    []*tombstone // of which the memory is used again
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
		if last := len(g.free) - 1; last >= 0 {
			t, g.free[last] = g.free[last], nil
			g.free = g.free[:last]
		}
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
	if len(g.free) < mostFree {
		clear(t.closed)
		clear(t.above)
		*t = tombstone{keys: t.keys[:0], rest: t.rest[:0], closed: t.closed[:0], above: t.above[:0]}
		g.free = append(g.free, t)
	}
}
