package correlate

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Sampled tells whether a trace is kept by a sampler behind.
type Sampled uint8

// What is known of sampling.
const (
	SampledUnknown Sampled = iota
	SampledTrue
	SampledFalse
)

// trace is what is remembered of one trace.
type trace struct {
	id    [16]byte
	spans []dialect.Facts // what requests are built from
	twins []twin
	// keys are the request ids that its spans name, and which span names each; bounded.
	keys []spanKey
	// views and places are made from the above when they are asked for; see build.
	views  []view
	places []place // of spans

	last  time.Time // arrival of the last span
	ready time.Time // when the facts that are there are taken for complete
	since time.Time // when it became complete
	built time.Time // when its views and places were made

	staleSince time.Time // when they were asked for and not made anew

	complete bool
	failed   bool // a span of it failed
	infers   bool // a dialect read something in it
	top      bool // its topmost span was seen
	known    bool // there is a call that has a duration
	served   bool // an engine told of its call, and all it has to tell
	dirty    bool // spans or names came since it was built
	deciding bool // one of them could complete it
	grew     bool // a span came since it was scheduled
	changed  bool // it is among those that a batch changed
	sampled  Sampled

	age     node[*trace] // among all, by last span
	soon    node[*trace] // among those that will be complete
	decide  node[*trace] // among those whose sampling is open
	stale   node[*trace] // among those that are to be built anew
	lowPrev *trace       // among those of the same lower half of their ids
	lowNext *trace
}

// spanKey is a request id as one of its forms, and the span that names it.
type spanKey struct {
	key  Key
	span [8]byte
	raw  string
	node *node[*trace] // in the index; nil: another one of the trace is there
}

// twin is a span that was left out for one that has everything but its id.
type twin struct{ id, of [8]byte }

// maxTwins bounds the twins of one trace.
const maxTwins = 64

// knows tells whether a span came before, itself or its twin.
func (t *trace) knows(f *dialect.Facts) bool {
	for i := range t.spans {
		if assembly.Same(&t.spans[i], f) {
			t.addTwin(twin{f.SpanID, t.spans[i].SpanID})
			return true
		}
	}
	return false
}

// addTwin lets what is below either of two twins be below the one that stayed.
func (t *trace) addTwin(w twin) {
	if w.id == w.of || t.itself(w.id) != w.id || len(t.twins) >= maxTwins {
		return
	}
	t.twins = append(t.twins, w)
	for i := range t.spans {
		if t.spans[i].ParentID == w.id {
			t.spans[i].ParentID = w.of
			t.dirty = true
		}
	}
}

// itself returns the id of the span that stands for one.
func (t *trace) itself(span [8]byte) [8]byte {
	for _, w := range t.twins {
		if w.id == span {
			return w.of
		}
	}
	return span
}

// add takes a new span in.
func (t *trace) add(f *dialect.Facts) {
	t.spans = append(t.spans, *f)
	own := &t.spans[len(t.spans)-1]
	own.ParentID = t.itself(f.ParentID)
	t.dirty, t.grew = true, true
	t.infers = t.infers || f.Part != dialect.PartPlain && f.Part != dialect.PartAgent
	t.top = t.top || f.ParentID == [8]byte{}
	if decides(f) {
		t.deciding = true
	} else if f.Part == dialect.PartCall && f.End > f.Start {
		t.known = true
	}
}

// decides tells whether a trace may be complete by a span, so that it must be built to know. A
// long trace is not built anew for each of its other spans.
func decides(f *dialect.Facts) bool {
	switch f.Part {
	case dialect.PartPlain, dialect.PartAgent:
		return f.ParentID == [8]byte{}
	case dialect.PartCall:
		return f.Details == nil || f.Details.Role == inference.RoleServer
	}
	return true
}
