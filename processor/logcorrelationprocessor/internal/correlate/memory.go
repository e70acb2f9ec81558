package correlate

import (
	"slices"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// open returns a trace, the youngest from now on, and makes room for a new one.
func (c *Core) open(now time.Time, id [16]byte) *trace {
	if t := c.traces[id]; t != nil {
		t.last = now
		c.ages.touch(&t.age)
		return t
	}
	for len(c.traces) >= c.cfg.MaxTraces {
		c.evictTrace(now)
	}
	t := &trace{id: id, last: now}
	t.age.value, t.soon.value, t.decide.value, t.stale.value = t, t, t, t
	c.ages.append(&t.age)
	c.traces[id] = t
	c.low.add(t)
	c.Stats.Traces.Add(1)
	return t
}

func (c *Core) evictTrace(now time.Time) {
	c.Stats.EvictedTraces.Add(1)
	c.forget(now, c.ages.front.value)
}

// add gives a span to a trace, which is the youngest, and tells whether it was new.
func (c *Core) add(t *trace, f *dialect.Facts) bool {
	if t.knows(f) {
		return false
	}
	if len(t.spans) >= c.cfg.MaxSpansPerTrace {
		c.Stats.RefusedSpans.Add(1)
		return false
	}
	if t.complete {
		c.Stats.LateSpans.Add(1)
	}
	for c.spans >= c.cfg.maxSpans() {
		c.evictTrace(t.last)
	}
	t.add(f)
	c.spans++
	return true
}

// name adds a request id to a trace and tells whether anything was new.
func (c *Core) name(t *trace, n *SpanName) (added bool) {
	span := t.itself(n.Span)
	for _, key := range n.Keys {
		same, first := false, true
		for i := range t.keys {
			if k := &t.keys[i]; k.key == key {
				first = false
				same = same || k.span == span
			}
		}
		if same {
			continue
		}
		if len(t.keys) >= maxKeysPerTrace {
			c.Stats.RefusedIDs.Add(1)
			return added
		}
		c.ages.touch(&t.age) // alone it has room
		for c.Stats.RequestIDs.Load() >= int64(c.cfg.maxKeys()) {
			c.evictTrace(t.last)
		}
		k := spanKey{key: key, span: span, raw: n.Raw}
		if first {
			k.node = c.namedBy(key.Text).of(key.Cut).push(t)
		}
		t.keys = append(t.keys, k)
		c.Stats.RequestIDs.Add(1)
		t.dirty, added = true, true
	}
	return added
}

// namedBy returns who names a request id, for one more to be added.
func (c *Core) namedBy(text string) *named {
	n := c.names[text]
	if n == nil {
		n = &named{}
		c.names[text] = n
	}
	return n
}

// schedule completes a changed trace now or says when, or lets go what waited for the change.
func (c *Core) schedule(now time.Time, t *trace) {
	if t.complete {
		c.release(now, t)
		return
	}
	if t.deciding {
		c.fresh(t)
	}
	grew := t.grew
	t.deciding, t.grew = false, false
	switch {
	case t.served:
		c.complete(now, t)
	case grew && (t.known || t.top):
		// The engine's own span may come yet: SDKs export every few seconds. All wait
		// equally long, so the list stays in order.
		t.ready = now.Add(c.cfg.Linger)
		remove(&t.soon)
		c.soon.append(&t.soon)
	}
}

func (c *Core) complete(now time.Time, t *trace) {
	remove(&t.soon)
	t.complete, t.since = true, now
	if t.sampled == SampledUnknown && c.cfg.sampling() {
		c.decide.append(&t.decide)
	}
	c.release(now, t)
}

const (
	// longTrace is the number of spans from which on a trace is not built anew for every span
	// and record, but once in rebuildEvery: it takes up to milliseconds.
	longTrace    = 32
	rebuildEvery = 250 * time.Millisecond
)

// fresh builds what a trace knows, if spans came since. If it is long, that may be put off for
// up to twice rebuildEvery: records that name what came since wait so long. Advance does it
// then, since it may complete the trace.
func (c *Core) fresh(t *trace) {
	if !t.dirty || t.stale.in != nil {
		return
	}
	if len(t.spans) > c.long && !t.built.IsZero() && c.now.Sub(t.built) < rebuildEvery {
		t.staleSince = c.now
		c.stale.append(&t.stale)
		return
	}
	c.rebuild(t)
}

func (c *Core) rebuild(t *trace) {
	remove(&t.stale)
	t.build(&c.builder, c.index)
	t.built = c.now
}

// forget ends the memory of a trace. What waits for it goes on waiting, but remembers what was
// known; what waited because it could have been about this trace or another may go.
func (c *Core) forget(now time.Time, t *trace) {
	c.forEachWaiting(t, func(p *Parcel) {
		if a := c.look(&p.Query); a.Trace == t.id {
			p.Answer = a
		}
	})
	remove(&t.age)
	remove(&t.soon)
	remove(&t.decide)
	remove(&t.stale)
	delete(c.traces, t.id)
	c.low.remove(t)
	for i := range t.keys {
		k := &t.keys[i]
		remove(k.node)
		if n := c.names[k.key.Text]; n != nil && n.whole.n+n.cut.n == 0 {
			delete(c.names, k.key.Text)
		}
	}
	c.spans -= len(t.spans)
	c.Stats.RequestIDs.Add(-int64(len(t.keys)))
	c.Stats.Traces.Add(-1)
	c.forEachWaiting(t, func(p *Parcel) {
		if a := c.look(&p.Query); a.Final {
			c.leave(now, p, a, CauseComplete)
		}
	})
}

// release lets the parcels go that wait for a trace, if there is nothing more to wait for.
func (c *Core) release(now time.Time, t *trace) {
	if !c.final(t) || len(c.waiting) == 0 {
		return
	}
	c.forEachWaiting(t, func(p *Parcel) {
		if a := c.look(&p.Query); a.Final {
			c.leave(now, p, a, CauseComplete)
		}
	})
}

// forEachWaiting calls f for the parcels that may wait for a trace. f may let its parcel go.
// Those that name several traces are left out: for them nothing changes.
func (c *Core) forEachWaiting(t *trace, f func(*Parcel)) {
	if len(c.waiting) == 0 {
		return
	}
	c.waiting[waitKey{trace: t.id}].forEach(f)
	if !c.low.ambiguous(t.id) {
		c.waiting[waitKey{trace: lowOnly(t.id), low: true}].forEach(f)
	}
	for i := range t.keys {
		text := t.keys[i].key.Text
		if slices.ContainsFunc(t.keys[:i], func(k spanKey) bool { return k.key.Text == text }) {
			continue
		}
		if n := c.names[text]; n == nil || n.whole.n < 2 {
			c.waiting[waitKey{key: text}].forEach(f)
		}
	}
}
