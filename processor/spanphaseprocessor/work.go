package spanphaseprocessor

import (
	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// work is the work on one batch. It is used again.
type work struct {
	builder assembly.Builder
	traces  []traceSpans
	byID    map[[16]byte]int // in traces
	notes   []annotation
	places  []int32 // by dialect.Span.Place: which note, counted from one
}

// traceSpans is the spans of one trace in a batch.
type traceSpans struct {
	id        [16]byte
	facts     []dialect.Facts
	places    []int // in the batch
	inferring bool
}

// mostKept is how many traces, or spans of one, keep their memory for the next
// batch.
const mostKept = 4096

// forget lets go of all that is a batch's.
func (w *work) forget() {
	for i := range w.traces {
		t := &w.traces[i]
		clear(t.facts)
		if cap(t.facts) > mostKept {
			t.facts, t.places = nil, nil
		}
		*t = traceSpans{facts: t.facts[:0], places: t.places[:0]}
	}
	clear(w.notes)
	clear(w.byID)
	w.traces, w.notes, w.places = w.traces[:0], w.notes[:0], w.places[:0]
	if cap(w.traces) > mostKept {
		w.traces, w.notes, w.byID = nil, nil, make(map[[16]byte]int)
	}
}

// sort puts the spans of a batch to their traces. What came twice is taken once, and
// of a trace one span more than may be, which tells that it is too large.
func (w *work) sort(spans []dialect.Span, mostSpans int) {
	last := -1
	for i := range spans {
		s := &spans[i]
		if last < 0 || w.traces[last].id != s.TraceID {
			last = w.trace(s.TraceID)
		}
		t := &w.traces[last]
		if s.Place >= 0 && len(t.facts) <= mostSpans && !t.has(&s.Facts) {
			t.facts = append(t.facts, s.Facts)
			t.places = append(t.places, s.Place)
		}
		t.inferring = t.inferring || s.Part != dialect.PartPlain && s.Part != dialect.PartAgent
	}
}

// trace returns the place of a trace.
func (w *work) trace(id [16]byte) int {
	at, known := w.byID[id]
	if !known {
		at = len(w.traces)
		w.byID[id] = at
		if at < cap(w.traces) {
			w.traces = w.traces[:at+1] // with the memory it had
		} else {
			w.traces = append(w.traces, traceSpans{})
		}
		w.traces[at].id = id
	}
	return at
}

func (t *traceSpans) has(f *dialect.Facts) bool {
	for i := range t.facts {
		if assembly.Same(&t.facts[i], f) {
			return true
		}
	}
	return false
}

// find returns the place of the span with the id, and whether nothing is above
// it. Of two spans under one id it is the one that says something, as in
// assembly.
func (t *traceSpans) find(id [8]byte) (place int, topmost bool) {
	place = -1
	for i := range t.facts {
		if f := &t.facts[i]; f.SpanID == id && (place < 0 || f.Part != dialect.PartPlain) {
			place, topmost = t.places[i], f.ParentID == [8]byte{}
			if f.Part != dialect.PartPlain {
				break
			}
		}
	}
	return place, topmost
}

// annotate adds the notes of a request and its calls. The request span itself is
// annotated only where the batch proves that it is one: nothing can be above it.
func (w *work) annotate(r *inference.Request, t *traceSpans) {
	if place, topmost := t.find(r.SpanID); r.Seen && topmost {
		w.put(place, ofRequest(r))
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		place, _ := t.find(c.SpanID)
		if known := w.note(place); known != nil {
			known.addCall(c)
			continue
		}
		w.put(place, ofCall(c))
	}
}

// put sets the note of a span.
func (w *work) put(place int, n annotation) {
	if place < 0 {
		return
	}
	w.places = append(w.places, make([]int32, max(0, place+1-len(w.places)))...)
	w.notes = append(w.notes, n)
	w.places[place] = int32(len(w.notes))
}

// note returns the note of a span, nil if it has none.
func (w *work) note(place int) *annotation {
	if place < 0 || place >= len(w.places) || w.places[place] == 0 {
		return nil
	}
	return &w.notes[w.places[place]-1]
}
