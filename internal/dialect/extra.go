package dialect

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Extra is what a span says that only Options ask for. It is shared between spans that say the
// same, and not changed.
type Extra struct {
	Dimensions inference.Dimensions
	Semconv    inference.Dimensions // of calls only
	Measures   []StatedMeasure

	plain *Details // of a span that says nothing else
}

// extraReader reads it, in the pass over the attributes that is made anyway. What it returns for
// equal values is one Extra.
type extraReader struct {
	n          int // how many of the values of span are dimensions
	span       dimensionReader
	resource   dimensionReader
	known      map[extraKey]*Extra
	last       *Extra // what was returned last
	dimensions inference.DimensionsBuilder
}

// extraReader returns a reader, nil where the options ask for nothing. Readers
// are kept from batch to batch, for what they remember.
func (o *Options) extraReader() *extraReader {
	if len(o.Dimensions) == 0 && !o.Semconv {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.extras); n > 0 {
		r := o.extras[n-1]
		o.extras = o.extras[:n-1]
		return r
	}
	isOfSpan := func(f inference.From) bool { return f != inference.FromResource }
	isOfResource := func(f inference.From) bool { return f == inference.FromAny || f == inference.FromResource }
	ofSpan := slices.Clone(o.Dimensions)
	if o.Semconv {
		ofSpan = append(ofSpan, inference.SemconvAttributes[:]...)
	}
	return &extraReader{
		n:        len(o.Dimensions),
		span:     newDimensionReader(ofSpan, isOfSpan),
		resource: newDimensionReader(o.Dimensions, isOfResource),
		known:    make(map[extraKey]*Extra),
	}
}

// maxReaders is how many readers are kept: for as many batches that are read at once.
const maxReaders = 16

// free takes a reader back.
func (o *Options) free(r *extraReader) {
	if r == nil {
		return
	}
	r.span.begin()
	r.resource.begin()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.extras) < maxReaders {
		o.extras = append(o.extras, r)
	}
}

// maxExtras bounds what a reader remembers, each some 400 bytes: it begins anew.
const maxExtras = 1024

// extra returns what the span of the last pass says, nil where it is nothing.
func (r *extraReader) extra() *Extra {
	return r.shared(extraKey{dimensions: r.span.read(&r.dimensions, 0, r.n)})
}

// ofCall adds what is read of calls only to e.
func (r *extraReader) ofCall(e *Extra) *Extra {
	k := extraKey{semconv: r.span.read(&r.dimensions, r.n, len(r.span.found))}
	if k.semconv == "" {
		return e
	}
	if e != nil {
		k.dimensions = e.Dimensions
	}
	return r.shared(k)
}

// extraKey is what is alike in spans that share an Extra.
type extraKey struct {
	dimensions, semconv inference.Dimensions
}

// shared returns the Extra of a key.
func (r *extraReader) shared(k extraKey) *Extra {
	if k == (extraKey{}) {
		return nil
	}
	if r.last != nil && r.last.Dimensions == k.dimensions && r.last.Semconv == k.semconv {
		return r.last
	}
	if known := r.known[k]; known != nil {
		r.last = known
		return known
	}
	if len(r.known) >= maxExtras {
		clear(r.known)
	}
	e := &Extra{Dimensions: k.dimensions, Semconv: k.semconv}
	e.plain = &Details{Extra: e}
	r.known[k], r.last = e, e
	return e
}

// dimensionReader finds the values of dimensions among attributes.
type dimensionReader struct {
	sources []dimensionSource
	lengths uint64 // bit n%64 is set where a source has a key of n bytes
	found   []foundValue
	any     bool
	last    []readValues // what was read last: of the dimensions, of the rest
}

// readValues are the values of some dimensions, as they were read.
type readValues struct {
	from, to int
	values   []string
	whole    inference.Dimensions
}

// dimensionSource is one attribute of a dimension.
type dimensionSource struct {
	key       string
	dimension int
	rank      int // 1 is the first that counts
}

// foundValue is a view, valid during the pass.
type foundValue struct {
	value pcommon.Value
	rank  int // 0: nothing was found
}

func newDimensionReader(of []inference.Dimension, reads func(inference.From) bool) dimensionReader {
	r := dimensionReader{found: make([]foundValue, len(of))}
	for i := range of {
		if !reads(of[i].From) {
			continue
		}
		for rank, key := range of[i].Attributes {
			r.sources = append(r.sources, dimensionSource{key, i, rank + 1})
			r.lengths |= 1 << (len(key) % 64)
		}
	}
	return r
}

func (r *dimensionReader) begin() {
	clear(r.found)
	r.any = false
}

// see takes an attribute in.
func (r *dimensionReader) see(key string, v pcommon.Value) {
	if r.lengths>>(len(key)%64)&1 == 0 {
		return
	}
	for i := range r.sources {
		s := &r.sources[i]
		if len(s.key) != len(key) || s.key != key {
			continue
		}
		if known := r.found[s.dimension].rank; (known == 0 || s.rank < known) && !empty(v) {
			r.found[s.dimension] = foundValue{v, s.rank}
			r.any = true
		}
	}
}

func empty(v pcommon.Value) bool {
	return v.Type() == pcommon.ValueTypeEmpty || v.Type() == pcommon.ValueTypeStr && strings.TrimSpace(v.Str()) == ""
}

// read returns the values that were found, from one to before another.
func (r *dimensionReader) read(b *inference.DimensionsBuilder, from, to int) inference.Dimensions {
	if !r.any {
		return ""
	}
	last := r.lastOf(from, to)
	if r.again(last) {
		return last.whole
	}
	b.Begin()
	for i := from; i < to; i++ {
		if i > from {
			b.Next()
		}
		if r.found[i].rank > 0 {
			addValue(b, r.found[i].value)
		}
	}
	last.whole = b.End()
	rest := last.whole
	for i := range last.values {
		last.values[i], rest = rest.Cut()
	}
	return last.whole
}

func (r *dimensionReader) lastOf(from, to int) *readValues {
	for i := range r.last {
		if r.last[i].from == from && r.last[i].to == to {
			return &r.last[i]
		}
	}
	r.last = append(r.last, readValues{from: from, to: to, values: make([]string, to-from)})
	return &r.last[len(r.last)-1]
}

// again reports whether the values are those that were read last, as they mostly are: spans of one
// request come together.
func (r *dimensionReader) again(last *readValues) bool {
	for i, value := range last.values {
		switch f := &r.found[last.from+i]; {
		case f.rank == 0:
			if value != "" {
				return false
			}
		case f.value.Type() != pcommon.ValueTypeStr || f.value.Str() != value:
			return false
		}
	}
	return true
}

// addValue adds a value of any type, fit to be a label.
func addValue(b *inference.DimensionsBuilder, v pcommon.Value) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		s := strings.TrimSpace(v.Str())
		if len(s) > maxLabel || !utf8.ValidString(s) {
			s = label(s)
		}
		b.Add(s)
	case pcommon.ValueTypeInt:
		b.AddInt(v.Int())
	default:
		b.Add(label(v.AsString()))
	}
}
