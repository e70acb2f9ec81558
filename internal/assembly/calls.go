package assembly

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// callNode is a call while its request is being built.
type callNode struct {
	main int32 // the span that is the call; the first of several ranks
	// sequences are the other spans of a call that asked for several.
	sequences []int32
	decodeLeg int32 // the other leg where prefill and decode are apart, or none
	// decodeSequences are the other sequences of the decode leg.
	decodeSequences []int32
	ranks           []int32 // the inference stages that are the call; nil for another call
	request         int32   // the request span, or none
	at              interval
	stages          [inference.NumPhases][]interval
	inside          []int32 // parts inside it that are spans of their own
	// insideDecode are those of the decode leg.
	insideDecode []int32
	model        string // named by a stage or a rank of the call
	// preprocessed is the last preprocess stage, none if there is none.
	preprocessed int32
}

// stage reports whether the call is written as inference stages.
func (n *callNode) stage() bool { return n.ranks != nil }

// findCalls returns the calls among members, by start. A span with measures of
// its own is a call. An inference stage is one unless a call lies below it;
// stages of one request and model that overlap (ranks of a parallel engine)
// are one.
func (b *Builder) findCalls(members []int32) []callNode {
	b.intervals.reset()
	clear(b.calls)
	calls := b.calls[:0]
	above := b.aboveCalls()
	for _, i := range members {
		if b.closed.isAbove(b.spans[i].Key) {
			// A call below it was observed before it came.
			for at := i; at != none; at = b.up(at) {
				above[at] = true
			}
		}
	}
	stages := b.stages[:0]
	for _, i := range members {
		f := &b.spans[i]
		switch {
		case f.Part == dialect.PartCall && f.Details.StandIn && (above[i] || b.told && f.Details.Marks == nil):
			// a layer above the call, see Builder.layer
		case f.Part == dialect.PartCall:
			calls = append(calls, callNode{main: i, request: b.requestOf(i), at: intervalOf(f), decodeLeg: none, preprocessed: none})
		case f.Part == dialect.PartStage && f.Phase == inference.PhaseInference && !above[i]:
			stages = append(stages, i)
		}
	}
	if len(calls) > 1 {
		slices.SortFunc(calls, func(x, y callNode) int { return b.before(x.main, y.main) })
		calls = b.joinSequences(b.withoutStandIns(calls))
	}
	for k := range calls {
		if n := &calls[k]; b.isHalf(n) && n.request == n.main {
			n.request = none
		}
	}
	calls = b.joinStages(calls, stages)
	b.calls, b.stages = calls, stages
	slices.SortStableFunc(calls, func(x, y callNode) int {
		return b.before(x.main, y.main)
	})
	return calls
}

// withoutStandIns drops the calls that a front end only tells of and an engine
// tells of, too: a proxy may ask one and call the other, so that neither lies
// below the other.
func (b *Builder) withoutStandIns(calls []callNode) []callNode {
	standsIn := func(n callNode) bool {
		d := b.spans[n.main].Details
		return d.StandIn && d.Marks == nil // one with marks is a model that may call others
	}
	if !slices.ContainsFunc(calls, standsIn) || !slices.ContainsFunc(calls, func(n callNode) bool { return !standsIn(n) }) {
		return calls
	}
	var kept []callNode
	for _, n := range calls {
		told := standsIn(n) && n.request != none && slices.ContainsFunc(calls, func(k callNode) bool {
			alike, differ := compareCalls(&b.spans[n.main], &b.spans[k.main])
			return !standsIn(k) && k.request == n.request && (alike || k.at.overlaps(n.at)) &&
				b.spans[k.main].Details.Role == inference.RoleServer && !differ
		})
		if !told {
			kept = append(kept, n)
		}
	}
	return kept
}

// joinStages turns inference stages into calls, which it appends.
func (b *Builder) joinStages(calls []callNode, stages []int32) []callNode {
	slices.SortFunc(stages, b.before)
	first := len(calls)
	for _, i := range stages {
		at, request, model := intervalOf(&b.spans[i]), b.requestOf(i), b.modelNamed(i)
		var n *callNode
		for k := first; k < len(calls) && n == nil; k++ {
			if c := &calls[k]; c.request == request && c.at.overlaps(at) && (c.model == model || c.model == "" || model == "") {
				n = c
			}
		}
		if n == nil {
			calls = append(calls, callNode{
				main: i, ranks: b.numbers.one(i), request: request, at: at, model: model, decodeLeg: none, preprocessed: none,
			})
			continue
		}
		n.ranks = append(n.ranks, i)
		n.at.end = max(n.at.end, at.end)
		n.model = cmp.Or(n.model, model)
	}
	return calls
}

// before orders spans by start, and those of one start by id.
func (b *Builder) before(x, y int32) int {
	f, g := &b.spans[x], &b.spans[y]
	return cmp.Or(cmp.Compare(f.Start, g.Start), bytes.Compare(f.SpanID[:], g.SpanID[:]))
}

// requestOf returns the span at which the request of i starts: the outermost
// boundary at or above it. An inference stage is a request only where nothing
// can be above it. A call with no boundary above is its own.
func (b *Builder) requestOf(i int32) int32 {
	if b.cyclic[b.root[i]] {
		return none
	}
	request := none
	for at := i; at != none; at = b.up(at) {
		if b.isBoundary(at) {
			request = at
		}
	}
	if request == none && b.spans[i].Part == dialect.PartCall {
		return i
	}
	return request
}

func (b *Builder) isBoundary(i int32) bool {
	f := &b.spans[i]
	if f.Part == dialect.PartStage {
		return f.Phase == inference.PhaseInference && b.root[i] == i && b.parentSeen(i)
	}
	switch {
	case f.Part == dialect.PartAgent:
		return false
	case b.Boundary == BoundaryFirstServer:
		return f.Kind.Is(dialect.KindServer)
	case b.Boundary == BoundaryCondition:
		return f.Kind.Is(dialect.KindBoundary)
	}
	return true
}

// modelNamed returns the model that span i names itself, or empty.
func (b *Builder) modelNamed(i int32) string {
	if d := b.spans[i].Details; d != nil {
		return d.Model
	}
	return ""
}

// leave marks the spans above a request as no part of it.
func (b *Builder) leave(r *inference.Request) {
	if !r.Seen {
		return
	}
	for at := b.up(b.find(r.SpanID)); at != none && !b.beyond[at]; at = b.up(at) {
		b.beyond[at] = true
	}
}
