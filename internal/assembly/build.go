package assembly

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Boundary says where a request starts, among a call and the spans above it.
type Boundary uint8

// The boundaries.
const (
	BoundaryOutermost   Boundary = iota // the outermost span
	BoundaryFirstServer                 // the outermost span of kind SERVER
	BoundaryCondition                   // the outermost span with dialect.KindBoundary
)

// Builder builds requests from the spans of one trace. It holds no state from
// one trace to the next, only memory; it is not safe for concurrent use.
type Builder struct {
	Boundary     Boundary
	DefaultModel string // for calls whose model nothing names; empty: inference.UnknownModel

	// Dimensions are those that spans were read with.
	Dimensions []inference.Dimension
	Semconv    bool // calls need inference.Call.Semconv
	Measures   bool // spans were read with a site's measures
	dimensions inference.DimensionsBuilder

	forest
	late         bool       // what is built completes a request that was observed
	told         bool       // an engine told of a call of the request that was observed
	closed       *tombstone // of the trace, nil outside the assembler
	modelBelow   []string   // by span: a model that is named below it
	versionBelow []string
	modelsDiffer []bool  // by span: more than one model is named below it
	saying       []int32 // scratch of below
	callAt       []int32 // by span: the call that it is, or none
	callsBelow   []int32 // by span: the number of calls below it
	stagesBelow  []bool  // by span: there are stages below it
	beyond       []bool  // by span: it is above a request, see leave

	// Memory that is used again.
	all       []int32 // members of a trace as a whole
	calls     []callNode
	built     []inference.Call
	stages    []int32
	list      []*inference.Request
	marks     []int32
	groupList []group
	placed    []int32 // of members of the first group
	numbers   arena[int32]
	intervals arena[interval]

	// Disagreed counts the measures in which an annotation contradicts what was
	// measured.
	Disagreed uint64
	// Dropped counts the values that were dropped because they contradict the
	// rest of their call.
	Dropped [dialect.NumReasons]uint64
}

// Build returns the requests in spans, which are of one trace, by start time. The list is good
// until the next call, the requests until they are given to [Recycle].
func (b *Builder) Build(traceID [16]byte, spans []dialect.Facts) []*inference.Request {
	b.plant(spans)
	b.all = resize(b.all, len(spans))
	for i := range b.all {
		b.all[i] = int32(i)
	}
	return b.build(traceID, b.all)
}

// build builds the requests of members, a group of planted spans.
func (b *Builder) build(traceID [16]byte, members []int32) []*inference.Request {
	calls := b.findCalls(members)
	b.callAt = resize(b.callAt, len(b.spans))
	for i := range b.callAt {
		b.callAt[i] = none
	}
	for k := range calls {
		b.callAt[calls[k].main] = int32(k)
		for _, i := range slices.Concat(calls[k].sequences, calls[k].decodeSequences) {
			b.callAt[i] = int32(k)
		}
		if leg := calls[k].decodeLeg; leg != none {
			b.callAt[leg] = int32(k)
		}
	}
	b.placeInside(members, calls)
	rest := b.placeStages(members, calls)
	b.countBelow(members, calls)
	requests := requestList{b: b, traceID: traceID, list: b.list[:0]}
	b.built = resize(b.built, len(calls))
	built := b.built
	for k := range calls {
		built[k] = b.call(&calls[k], members)
	}
	b.findBuffered(calls, built)
	for k := range calls {
		r := requests.of(calls[k].request)
		r.Calls = append(r.Calls, built[k])
		r.Hops = b.appendHops(r.Hops, &calls[k], &built[k])
	}
	for k := range rest {
		b.addLost(requests.of(rest[k].request), &rest[k])
	}
	// A request by the engine's own word is one even if its call is lost.
	marked := b.marked(members, &requests)
	for _, r := range requests.list {
		b.finish(r)
	}
	for _, i := range marked {
		b.addMarked(requests.of(b.requestOf(i)), i)
	}
	b.addSiteMeasures(members, requests.list)
	slices.SortStableFunc(requests.list, func(x, y *inference.Request) int { return cmp.Compare(x.Start, y.Start) })
	clear(built)
	b.list = requests.list
	return requests.list
}

// marked opens the requests of spans that an engine itself marks as requests,
// and returns those spans.
func (b *Builder) marked(members []int32, requests *requestList) (spans []int32) {
	spans = b.marks[:0]
	for _, i := range members {
		if b.spans[i].Part == dialect.PartRequest {
			requests.of(b.requestOf(i))
			spans = append(spans, i)
		}
	}
	b.marks = spans
	return spans
}

// requestList is the requests of one group by their spans. What has no request
// span is one request that was not seen.
type requestList struct {
	b       *Builder
	traceID [16]byte
	list    []*inference.Request
}

// of returns the request that starts at span i, or the one without a span.
func (l *requestList) of(i int32) *inference.Request {
	var spanID [8]byte
	if i != none {
		spanID = l.b.spans[i].SpanID
	}
	for _, known := range l.list {
		if known.Seen == (i != none) && known.SpanID == spanID {
			return known
		}
	}
	r := requests.Get().(*inference.Request) //nolint:forcetypeassert // nothing else is there
	r.TraceID, r.SpanID, r.Seen = l.traceID, spanID, i != none
	if i != none {
		r.Start = l.b.spans[i].Start
	}
	l.list = append(l.list, r)
	return r
}

// call builds one call.
func (b *Builder) call(n *callNode, members []int32) inference.Call {
	f := &b.spans[n.main]
	d := b.withParts(n, b.rankDetails(n))
	c := inference.Call{
		SpanID: f.SpanID, Role: d.Role, Outer: b.outer(n.main), Result: d.Result, Start: f.Start, FinishReason: d.FinishReason,
		InputTokens: d.InputTokens, OutputTokens: d.OutputTokens, CachedTokens: d.CachedTokens, BatchSize: d.BatchSize,
	}
	own := f.Seconds()
	if n.stage() {
		own = b.together(n.ranks)
	}
	b.resolve(&c, d, own)
	b.addSequences(&c, n.main, n.sequences)
	b.addDecodeLeg(&c, n)
	if b.isHalf(n) {
		c.Duration = inference.Measure{}
		c.InputTokens, c.CachedTokens = inference.Count{}, inference.Count{} // the other leg states them, too
	}
	if n.stage() {
		c.Phases[inference.PhaseInference] = c.Duration
	}
	if c.Role == inference.RoleServer {
		c.Phases[inference.PhaseOther] = other(&c)
	}
	b.addStages(&c, n)
	if !b.late {
		b.estimateQueue(&c, n, members)
	}
	c.Identity = b.identity(n.main, n.model)
	c.Identity.ModelVersion = cmp.Or(c.Identity.ModelVersion, d.ModelVersion)
	c.Identity.Engine = cmp.Or(d.Engine.Name(), f.Dialect.Name())
	c.Identity.Dimensions = b.dimensionsOf(n.main, n.request)
	c.Semconv = b.semconvOf(n.main, &c)
	c.Result.ErrorType = errorType(c.Result)
	if joined := len(n.sequences) > 0 || n.decodeLeg != none || len(n.ranks) > 1; !joined {
		b.addNote(&c, d.Note) // of a call of several spans it is about one of them
	}
	return c
}

// resolve completes c from what its span states, and counts what was dropped.
func (b *Builder) resolve(c *inference.Call, d *dialect.Details, own float64) {
	for r, count := range resolve(c, d, own) {
		b.Dropped[r] += uint64(count)
	}
}

// other returns the call's time that no phase inside it explains.
func other(c *inference.Call) inference.Measure {
	left := c.Duration
	for p := range inference.PhaseOther {
		if c.Phases[p].Known() {
			left = left.Minus(c.Phases[p])
		}
	}
	return inference.NewMeasure(left.Seconds, inference.Derived)
}

// together returns how long the spans lasted together, in seconds.
func (b *Builder) together(spans []int32) float64 {
	list := make([]interval, len(spans))
	for k, i := range spans {
		list[k] = intervalOf(&b.spans[i])
	}
	return union(list)
}

// addLost adds the phases that have no call to r.
func (b *Builder) addLost(r *inference.Request, l *lost) {
	for p := range inference.NumPhases {
		r.Phases[p] = inference.NewMeasure(union(l.stages[p]), inference.Measured)
	}
	f := &b.spans[l.first]
	r.Identity = b.identity(l.first, l.model)
	r.Identity.Engine = f.Dialect.Name()
	r.Identity.Dimensions = b.dimensionsOf(l.first, l.request)
	r.Result = l.result
	r.Result.ErrorType = errorType(r.Result)
}
