package correlate

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// Core is the traces and the records that wait for them. Its methods may be called at once.
//
// One lock guards all of it. No method holds it for longer than it takes to look at one
// trace, or at the parcels that wait for one trace or request id; Advance and Drain hold it
// for all that they release.
type Core struct {
	cfg   Config
	Stats Stats

	mu      sync.Mutex
	long    int // longTrace, but in tests
	builder assembly.Builder
	index   map[[8]byte]int32 // scratch of trace.build
	traces  map[[16]byte]*trace
	low     lowHalves
	names   map[string]*named // who names a request id
	ages    list[*trace]      // by last span
	soon    list[*trace]      // by the time at which they are taken for complete
	decide  list[*trace]      // by the time at which they became complete
	stale   list[*trace]      // by the time since which they are to be built anew
	spans   int               // of all traces
	now     time.Time         // the latest that was told

	held    list[*Parcel] // by arrival
	due     parcels
	waiting map[waitKey]*waitList
	arrived uint64    // parcels so far
	out     []*Parcel // released, to be returned by the method that runs
}

// New returns an empty core.
func New(cfg Config) *Core {
	return &Core{
		cfg: cfg, builder: assembly.Builder{DefaultModel: cfg.DefaultModel}, index: map[[8]byte]int32{},
		long: longTrace, traces: map[[16]byte]*trace{}, low: lowHalves{}, names: map[string]*named{}, waiting: map[waitKey]*waitList{},
	}
}

// Key is one form of a request id; see ids.Forms. Cut forms meet only those that are not.
type Key struct {
	Text string
	Cut  bool
}

// SpanName is a request id that a span names, as it spells it and in all its forms.
type SpanName struct {
	Trace [16]byte
	Span  [8]byte
	Raw   string
	Keys  []Key
}

// breath is how many traces of one batch are looked at before others get the lock.
const breath = 64

// Add takes spans in, with the request ids that they name and the traces in which one failed,
// and returns the parcels that they release.
func (c *Core) Add(now time.Time, spans []dialect.Span, names []SpanName, failed [][16]byte) []*Parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(now)
	var changed []*trace
	change := func(t *trace) {
		if !t.changed {
			t.changed = true
			changed = append(changed, t)
		}
	}
	var t *trace
	for i := range spans {
		if spans[i].TraceID == ([16]byte{}) {
			continue // it would be the trace of all that have none
		}
		// Spans of one trace mostly come together.
		if t == nil || t.id != spans[i].TraceID || t.age.in == nil {
			t = c.open(now, spans[i].TraceID)
			t.spans = slices.Grow(t.spans, max(0, min(runOf(spans[i:]), c.cfg.MaxSpansPerTrace-len(t.spans))))
		}
		if c.add(t, &spans[i].Facts) {
			change(t)
		}
	}
	for i := range names {
		if t := c.traces[names[i].Trace]; t != nil && c.name(t, &names[i]) {
			change(t)
		}
	}
	for _, id := range failed {
		if t := c.traces[id]; t != nil {
			t.failed = true
		}
	}
	var out []*Parcel
	for i, t := range changed {
		if i%breath == breath-1 {
			out = append(out, c.take()...)
			c.mu.Unlock()
			c.mu.Lock()
		}
		if t.changed = false; c.traces[t.id] == t { // not evicted meanwhile
			c.schedule(now, t)
		}
	}
	return inOrder(append(out, c.take()...))
}

// runOf is how many spans of one trace come first.
func runOf(spans []dialect.Span) int {
	n := 1
	for n < len(spans) && spans[n].TraceID == spans[0].TraceID {
		n++
	}
	return n
}

// Sample notes that a sampler behind has kept these traces.
func (c *Core) Sample(now time.Time, ids [][16]byte) []*Parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(now)
	for _, id := range ids {
		if t := c.traces[id]; t != nil && t.sampled != SampledTrue {
			t.sampled = SampledTrue
			remove(&t.decide)
			c.release(now, t)
		}
	}
	return c.take()
}

// Look tells what is known about a record.
func (c *Core) Look(q *Query) Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look(q)
}

// Hold keeps a parcel until its answer is final or its deadline comes. It returns what is
// released: the parcel itself if there is nothing to wait for or no room for it, or others
// that must make room. Until it is released, neither it nor its data may be changed.
func (c *Core) Hold(now time.Time, p *Parcel) []*Parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(now)
	p.seq = c.arrived
	c.arrived++
	p.bytes = p.size()
	switch a := c.look(&p.Query); {
	case a.Final:
		c.leave(now, p, a, CauseComplete)
	case !p.Deadline.After(now):
		c.leave(now, p, a, CauseDeadline)
	case p.bytes > c.cfg.MaxHeldBytes/2:
		// Half of all others would make room for it.
		c.evict(now, p, CauseMaxHeldBytes)
	case p.Records > c.cfg.MaxHeldPerTrace:
		c.evict(now, p, CauseMaxHeldPerTrace)
	default:
		c.keep(now, p)
	}
	return c.take()
}

// Advance returns the parcels whose time has come at now.
func (c *Core) Advance(now time.Time) []*Parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(now)
	for c.stale.front != nil && now.Sub(c.stale.front.value.staleSince) >= rebuildEvery {
		t := c.stale.front.value
		c.rebuild(t)
		c.schedule(now, t)
	}
	for c.soon.front != nil && !c.soon.front.value.ready.After(now) {
		c.complete(now, c.soon.front.value)
	}
	for c.decide.front != nil && now.Sub(c.decide.front.value.since) >= c.cfg.SampledAfter {
		t := c.decide.front.value
		remove(&t.decide)
		if c.cfg.sampling() { // else who would have told is gone
			t.sampled = SampledFalse
		}
		c.release(now, t)
	}
	for len(c.due) > 0 && !c.due[0].Deadline.After(now) {
		p := c.due[0]
		c.leave(now, p, c.answer(p), CauseDeadline)
	}
	for c.ages.front != nil && now.Sub(c.ages.front.value.last) >= c.cfg.TTL {
		c.forget(now, c.ages.front.value)
	}
	return c.take()
}

// Drain returns all parcels of an owner.
func (c *Core) Drain(now time.Time, owner any) []*Parcel {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := c.held.front; n != nil; {
		p, next := n.value, n.next
		if p.Owner == owner {
			c.leave(now, p, c.answer(p), CauseShutdown)
		}
		n = next
	}
	return c.take()
}

// tell notes the time. Callers read it before they get the lock, so it may be in the past.
func (c *Core) tell(now time.Time) {
	if now.After(c.now) {
		c.now = now
	}
}

// take returns what was released, in the order of its arrival.
func (c *Core) take() []*Parcel {
	out := c.out
	c.out = nil
	return inOrder(out)
}

func inOrder(out []*Parcel) []*Parcel {
	slices.SortFunc(out, func(a, b *Parcel) int { return cmp.Compare(a.seq, b.seq) })
	return out
}
