package dialect

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"strings"
	"sync"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Span is the facts of one span and the trace that it belongs to.
type Span struct {
	TraceID [16]byte
	// Place is the span's place in its batch, orphans not counted. What a span
	// says of another one, in the trace that it links to, has the place of none.
	Place int
	Facts
}

// noPlace is the Place of facts that are not of a span of their own.
const noPlace = -1

// Read appends the facts of every span of td to dst, in td's order, and returns it. It neither
// changes td nor keeps any part of it. Spans without a trace id or span id
// belong to no request; they are left out and counted in orphans. opts may be
// nil.
func Read(dst []Span, td ptrace.Traces, opts *Options) (spans []Span, orphans int) {
	return read(&source{}, dst, td, opts)
}

func read(s *source, dst []Span, td ptrace.Traces, opts *Options) (spans []Span, orphans int) {
	if opts == nil {
		opts = &noOptions
	}
	s.extras = opts.extraReader()
	defer opts.free(s.extras)
	requestIDs := opts.RequestIDs != nil && opts.RequestIDs.Load()
	place := 0
	for _, rs := range td.ResourceSpans().All() {
		origin := s.readOrigin(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			s.scope = ss.Scope().Name()
			for _, span := range ss.Spans().All() {
				if span.TraceID().IsEmpty() || span.SpanID().IsEmpty() {
					orphans++
					continue
				}
				s.span, s.name = span, span.Name()
				if len(opts.Custom) > 0 {
					s.custom = opts.customOf(rs, ss, span)
				}
				f := readSpan(s, origin)
				if opts.Boundary != nil && opts.Boundary(rs, ss, span) {
					f.Kind |= KindBoundary
				}
				if opts.Measures != nil {
					readMeasures(&f, opts.Measures, rs, ss, span)
				}
				if requestIDs {
					readRequestID(s, &f)
				}
				dst = append(dst, Span{TraceID: span.TraceID(), Place: place, Facts: f})
				place++
				if f.Details != nil && f.Details.Batch {
					dst = appendLinked(dst, span, &f)
				}
			}
		}
	}
	return dst, orphans
}

// batch is the facts of one batch at a time, and the memory to read it.
type batch struct {
	spans  []Span
	source source
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// With calls use with what Read reads of td. The slice is used again once use returns: facts may be
// copied, the slice not kept.
func With(td ptrace.Traces, opts *Options, use func(spans []Span, orphans int)) {
	b := batches.Get().(*batch) //nolint:forcetypeassert // nothing else is there
	spans, orphans := read(&b.source, b.spans[:0], td, opts)
	b.source.forget()
	use(spans, orphans)
	clear(spans)
	b.spans = spans
	batches.Put(b)
}

// maxLinks is how many requests of one batch are told its size.
const maxLinks = 256

// appendLinked adds, for each span that a batch links to, what the batch says of
// it: its size. It is a part of that span's call without a time of its own.
func appendLinked(dst []Span, span ptrace.Span, f *Facts) []Span {
	for i, link := range span.Links().All() {
		if i == maxLinks {
			break
		}
		part := Facts{
			SpanID: f.SpanID, ParentID: link.SpanID(), Key: f.Key, Origin: f.Origin, Dialect: f.Dialect,
			Part: PartInside, Kind: KindUntimed, Details: &Details{BatchSize: f.Details.BatchSize},
		}
		dst = append(dst, Span{TraceID: link.TraceID(), Place: noPlace, Facts: part})
	}
	return dst
}

// origins are the handles of the latest origins. Finding one of them costs less than
// to intern it again.
type origins struct {
	kept [8]unique.Handle[Origin]
	next int
}

// handle returns the handle of o, the texts of which may be those of a resource.
func (l *origins) handle(o *Origin) unique.Handle[Origin] {
	for _, h := range l.kept {
		if h != (unique.Handle[Origin]{}) && h.Value() == *o {
			return h
		}
	}
	for _, field := range []*string{&o.ServiceName, &o.ServiceNamespace, &o.Environment, &o.InstanceID, &o.Host} {
		*field = strings.Clone(*field)
	}
	h := unique.Make(*o)
	l.kept[l.next] = h
	l.next = (l.next + 1) % len(l.kept)
	return h
}

// readOrigin interns who wrote the spans below a resource.
func (s *source) readOrigin(resource pcommon.Map) unique.Handle[Origin] {
	a := &s.attrs
	var o Origin
	if s.extras == nil {
		a.scan(resource, nil)
	} else {
		a.scan(resource, &s.extras.resource)
		o.Dimensions = s.extras.resource.read(&s.extras.dimensions, 0, s.extras.n)
	}
	o.Model, o.ModelVersion = a.model(), a.version()
	for name, v := range resource.All() {
		var field *string
		switch name {
		case "service.name":
			field = &o.ServiceName
		case "service.namespace":
			field = &o.ServiceNamespace
		case "deployment.environment.name":
			field = &o.Environment
		case "deployment.environment": // before semantic conventions 1.27
			if o.Environment == "" {
				field = &o.Environment
			}
		case "service.instance.id":
			field = &o.InstanceID
		case "host.name":
			field = &o.Host
		}
		if field != nil {
			*field = fitLabel(v.AsString())
		}
	}
	if o.ServiceName = strings.TrimSpace(o.ServiceName); o.ServiceName == "" {
		o.ServiceName = inference.UnknownService
	}
	return s.origins.handle(&o)
}

func readSpan(s *source, origin unique.Handle[Origin]) Facts {
	if s.extras == nil {
		s.attrs.scan(s.span.Attributes(), nil)
	} else {
		s.attrs.scan(s.span.Attributes(), &s.extras.span)
		s.extra = s.extras.extra()
	}
	start, end, timed := times(s.span)
	f := Facts{
		SpanID:   s.span.SpanID(),
		ParentID: s.span.ParentSpanID(),
		Start:    start,
		End:      end,
		Origin:   origin,
	}
	f.Key = spanKey(f.SpanID, s.name, start)
	switch s.span.Kind() {
	case ptrace.SpanKindServer:
		f.Kind = KindServer
	case ptrace.SpanKindClient:
		f.Kind = KindClient
	}
	if !timed {
		f.Kind |= KindUntimed
	}
	if s.custom == nil || !s.custom.read(s, &f) {
		for i := range table {
			if table[i].read(s, &f) {
				f.Dialect = ID(i + 1)
				break
			}
		}
	}
	if f.Part == PartCall && f.Details.Note == nil && s.attrs.has(keyAnnotation) {
		n, _ := readNote(s)
		f.Details.note(s, n)
	}
	if f.Part == PartPlain {
		if isAgent(s) {
			f.Part = PartAgent
		} else if isGateway(s) {
			f.Kind |= KindGateway
		}
		if f.Details == nil {
			f.Details = plainDetails(s)
		}
	}
	if f.Part != PartPlain && f.Part != PartAgent && !timed {
		d := f.copyOfDetails()
		d.Values.Dropped[ReasonTime]++
		f.Details = d
	}
	return f
}

// times returns start and end in Unix nanoseconds, and whether they are an
// interval. They are not when the end is before the start, when there is no
// time, when they are years before there were spans, or a month apart: then
// both are the start.
func times(span ptrace.Span) (start, end int64, ok bool) {
	s, e := span.StartTimestamp(), span.EndTimestamp()
	if s > math.MaxInt64 || e > math.MaxInt64 {
		return 0, 0, false
	}
	if e < s || s < firstPlausible || e-s > inference.MaxSeconds*1e9 {
		return int64(s), int64(s), false
	}
	return int64(s), int64(e), true
}

// firstPlausible is 2000-01-01: spans before it carry a monotonic clock or a
// zero, not a date.
const firstPlausible = 946684800e9

// callDetails reads what every dialect's calls state alike. The caller may add to it.
func callDetails(s *source) *Details {
	d := readDetails(s)
	if s.extras != nil {
		d.Extra = s.extras.ofCall(s.extra)
	}
	return &d
}

func readDetails(s *source) (d Details) {
	a := &s.attrs
	d.Result = result(a, s.span)
	d.Model = a.model()
	d.ModelVersion = a.version()
	d.FinishReason = a.finishReason()
	d.InputTokens = a.count(keyInputTokens, &d.Values)
	d.OutputTokens = a.count(keyOutputTokens, &d.Values)
	d.CachedTokens = a.count(keyCachedTokens, &d.Values)
	d.BatchSize = a.count(keyBatchSize, &d.Values)
	d.Extra = s.extra
	return d
}

// plainDetails reads what a span around calls may add to them; nil when it
// adds nothing, as most do. Spans that add the same, as a model that is named on
// all of them, share it: nobody may change it.
func plainDetails(s *source) *Details {
	if s.attrs.set&telling == 0 && result(&s.attrs, s.span) == (inference.Result{}) {
		if s.extra != nil {
			return s.extra.plain
		}
		return nil
	}
	d := readDetails(s)
	if s.plain == nil || *s.plain != d {
		kept := d
		s.plain = &kept
	}
	return s.plain
}

// telling are the keys that say something of a request even on a plain span.
const telling = 1<<keyModel | 1<<keyModelVersion | 1<<keyInputTokens | 1<<keyOutputTokens | 1<<keyCachedTokens |
	1<<keyFinishReason | 1<<keyStreaming

var seed = maphash.MakeSeed()

// spanKey hashes a span's identity. The seed is of the process: keys are never
// stored or sent.
func spanKey(id [8]byte, name string, start int64) Key {
	content := maphash.String(seed, name) ^ mix(uint64(start))
	return Key(uint64(SpanIDKey(id))<<32 | content>>32)
}

// SpanIDKey returns the half of a [Key] that stands for a span id.
func SpanIDKey(id [8]byte) uint32 { return uint32(mix(binary.LittleEndian.Uint64(id[:]))) }

// mixSeed is of the process, too, and odd.
var mixSeed = maphash.String(seed, "ids and times") | 1

// mix spreads a number over 64 bits, differently in each process.
func mix(n uint64) uint64 {
	hi, lo := bits.Mul64(n^mixSeed, 0x9e3779b97f4a7c15)
	hi, lo = bits.Mul64(hi^lo, mixSeed)
	return hi ^ lo
}
