package assembly

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// side is a gateway's span, or an engine's call with the outermost span of its
// process above it.
type side struct {
	span, top int32
	taken     bool // of a gateway: an engine's call was put below it
}

// adopt puts engines' calls below the gateways that they lie beside, and
// reports whether there are any. A gateway that hands its caller's context on
// as it came, or that is only asked by the one who calls the engine, has one
// parent with the engine, and still waits for it. Where that parent is seen and
// no agent, it is what holds them together, but for callers' own spans.
func (f *forest) adopt() bool {
	gateways, engines := f.sides()
	if len(gateways) == 0 || len(engines) == 0 {
		return false
	}
	below := make(map[uint64]int, 1) // calls of several spans: the gateway of the first
	adopted := false
	for _, e := range engines {
		call := f.spans[e.span].Details.Sequences
		at, known := below[call]
		if !known || call == 0 || !f.areBeside(gateways[at], e) {
			at = f.gatewayOf(gateways, e)
		}
		if at < 0 {
			continue
		}
		child, parent := e.top, f.callerIn(gateways[at], e)
		if f.endsBefore(gateways[at], e) {
			child, parent = gateways[at].span, e.top
		}
		if child == parent || f.isAbove(parent, child) {
			continue
		}
		f.parent[child], gateways[at].taken, below[call] = parent, true, at
		adopted = true
	}
	return adopted
}

// sides returns the gateways and callers of the trace, and what may lie beside
// one, by start: engines' calls, and gateways' own.
func (f *forest) sides() (gateways, engines []side) {
	for i := range f.spans {
		s := &f.spans[i]
		if !f.cyclic[f.root[i]] && (s.Kind.Is(dialect.KindGateway) || isCaller(s)) {
			gateways = append(gateways, side{span: int32(i), top: int32(i)})
		}
	}
	if len(gateways) == 0 {
		return nil, nil
	}
	for i := range f.spans {
		s := &f.spans[i]
		behind := s.Part == dialect.PartCall && s.Kind.Is(dialect.KindGateway) // behind another gateway
		if !isEngine(s) && !behind || !s.Timed() || f.cyclic[f.root[i]] {
			continue
		}
		e := side{span: int32(i), top: int32(i)}
		for p := f.up(e.top); p != none && f.spans[p].Origin == s.Origin; p = f.up(p) {
			e.top = p
		}
		if f.spans[e.top].ParentID != [8]byte{} {
			engines = append(engines, e)
		}
	}
	slices.SortStableFunc(engines, func(x, y side) int {
		return cmp.Compare(f.spans[x.span].Start, f.spans[y.span].Start)
	})
	return gateways, engines
}

// isCaller reports whether a span is a call as who makes it sees it.
func isCaller(s *dialect.Facts) bool {
	return s.Part == dialect.PartCall && s.Details.Role == inference.RoleClient
}

// endsBefore reports whether a gateway took less time than the engine's call: then
// it is no layer around it.
func (f *forest) endsBefore(g, e side) bool {
	engine := &f.spans[e.span]
	values := engine.Details.Values // shared: not to be changed
	took := callDuration(&values, engine.Seconds()).Seconds
	return !isCaller(&f.spans[g.span]) && f.spans[g.span].Seconds()+clockSlack < took
}

// isEngine reports whether a span is an engine's call by the engine's own word.
func isEngine(s *dialect.Facts) bool {
	return s.Part == dialect.PartCall && s.Details.Role == inference.RoleServer && !s.Kind.Is(dialect.KindGateway)
}

// areBeside reports whether the engine's call has one parent with the gateway,
// or with a span of its process above it.
func (f *forest) areBeside(g, e side) bool {
	if !isCaller(&f.spans[g.span]) && f.up(e.top) != none {
		return false
	}
	parent := f.spans[e.top].ParentID
	at := g.span
	for range maxLayers {
		if at == none || f.spans[at].Origin != f.spans[g.span].Origin {
			return false
		}
		if f.spans[at].ParentID == parent {
			return at != e.top
		}
		at = f.up(at)
	}
	return false
}

// gatewayOf returns which of the gateways the engine's call e belongs to, or -1:
// of those that went on meanwhile one that lasted longer than the call and has
// none yet, the nearest in time. Other counts of tokens or, where those are not
// known, another model are another call's. A caller that is no gateway makes
// other calls, too: it takes all counts alike. So does a gateway behind another.
func (f *forest) gatewayOf(gateways []side, e side) int {
	best := -1
	var bestRank int64
	engine := &f.spans[e.span]
	for k, g := range gateways {
		if !f.areBeside(g, e) {
			continue
		}
		s := &f.spans[g.span]
		alike, differ := compareCalls(s, engine)
		at, of := intervalOf(s), intervalOf(engine)
		if differ || !at.overlaps(of) && (!alike || g.taken) {
			continue
		}
		if !s.Kind.Is(dialect.KindGateway) && (!alike || g.taken || !at.overlaps(of)) {
			continue
		}
		if s.Part == dialect.PartPlain && f.endsBefore(g, e) {
			continue // it looked at the request only, and did not wait
		}
		if !isEngine(engine) && (!alike || s.Dialect == engine.Dialect || !at.covers(of)) {
			continue
		}
		rank := abs(at.start-of.start) + abs(at.end-of.end)
		if !alike {
			rank += wrongSide / 4
		}
		if !at.covers(of) {
			rank += wrongSide / 2
		}
		if g.taken {
			rank += wrongSide
		}
		if best < 0 || rank < bestRank {
			best, bestRank = k, rank
		}
	}
	return best
}

// compareCalls reports whether what a gateway and an engine say of a call shows
// that it is one, or that it is not.
func compareCalls(gateway, engine *dialect.Facts) (alike, differ bool) {
	g, e := gateway.Details, engine.Details
	if g == nil {
		return false, false
	}
	if g.InputTokens.N() > 0 && e.InputTokens.N() > 0 {
		same := g.InputTokens.N() == e.InputTokens.N()
		return same && g.OutputTokens.N() > 0 && g.OutputTokens.N() == e.OutputTokens.N(), !same
	}
	return false, g.Model != "" && e.Model != "" && g.Model != e.Model
}

// callerIn returns the span of gateway g that calls the engine: the shortest
// CLIENT span inside it that lasted longer than the call, else its own.
func (f *forest) callerIn(g, e side) int32 {
	caller := g.span
	for i := range f.spans {
		s := &f.spans[i]
		if !s.Kind.Is(dialect.KindClient) || !s.Timed() || s.Seconds() > f.spans[caller].Seconds() ||
			!intervalOf(s).covers(intervalOf(&f.spans[e.span])) {
			continue
		}
		at := int32(i)
		for steps := 0; at != none && at != g.span && steps < maxLayers; steps++ {
			at = f.up(at)
		}
		if at == g.span {
			caller = int32(i)
		}
	}
	return caller
}

// maxLayers is how many spans of one process above a gateway's, or inside it,
// are looked at.
const maxLayers = 32

// isAbove reports whether span above is an ancestor of i.
func (f *forest) isAbove(i, above int32) bool {
	for steps := 0; i != none && steps <= len(f.spans); steps++ {
		if i = f.parent[i]; i == above {
			return true
		}
	}
	return false
}

func abs(n int64) int64 { return max(n, -n) }
