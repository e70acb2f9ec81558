package assembly

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// group is the spans of a trace that close together: what hangs on one
// outermost span, or stages whose common parent is not seen.
type group struct {
	members []int32
	roots   []int32
	top     bool // nothing is above it
	agents  bool
	cyclic  bool
	calls   bool   // a call
	after   bool   // a stage that follows the model
	parts   bool   // parts of a call, or steps of its model
	linked  bool   // what a batch in another trace says of a call
	marked  bool   // a span that is a request by its engine's word
	gateway bool   // a span that an engine's call may lie beside
	engine  bool   // an engine's call
	input   int64  // of its first call with tokens
	call    uint64 // dialect.Details.Sequences of its calls
	asked   int64  // dialect.Details.Asked
	came    int64  // how many of those
	legs    uint8  // bit per dialect.Leg of its calls
	beside  uint8  // bit per phase: stages other than inference
	named   bool   // a span of it names a model
	first   uint32 // arrival of the first span, milliseconds
	last    uint32 // arrival of the last one
}

// groups splits the planted spans. Those of a root that nothing is above come
// first: what else there is may turn out to belong to them.
func (b *Builder) groups() []group {
	of := make(map[groupKey]int, 1)
	stageParents := b.stageParents()
	b.placed = resize(b.placed, len(b.spans))[:0]
	clear(b.groupList)
	list := b.groupList[:0]
	for i := range b.spans {
		key := b.groupKey(b.root[i], stageParents)
		at, known := of[key]
		if !known {
			at = len(list)
			of[key] = at
			list = append(list, group{first: b.spans[i].Arrived, top: b.spans[b.root[i]].ParentID == [8]byte{}})
			if at == 0 {
				list[0].members = b.placed // mostly there is no other
			}
		}
		list[at].add(b, int32(i))
	}
	b.groupList = list
	slices.SortStableFunc(list, func(x, y group) int {
		if x.top == y.top {
			return 0
		}
		if x.top {
			return -1
		}
		return 1
	})
	return list
}

// groupKey tells which roots close together: sequences and legs of one call; stages, and
// what lies beside them, below a parent that is not seen; stages directly below
// an agent, apart from the agent's other requests.
type groupKey struct {
	root      int32
	parent    [8]byte
	sequences uint64
}

func (b *Builder) groupKey(root int32, stageParents map[[8]byte]bool) groupKey {
	f := &b.spans[root]
	switch {
	case f.Part == dialect.PartCall && f.Details.Sequences != 0 && f.Details.Leg != dialect.LegWhole:
		return groupKey{root: none, sequences: f.Details.Sequences}
	case f.Part == dialect.PartCall && f.Details.Sequences != 0:
		return groupKey{root: none, parent: f.ParentID, sequences: f.Details.Sequences}
	case stageParents[f.ParentID] && (b.parent[root] == none || f.Part == dialect.PartStage):
		return groupKey{root: none, parent: f.ParentID}
	}
	return groupKey{root: root}
}

// stageParents returns the ids above stages that are roots.
func (b *Builder) stageParents() map[[8]byte]bool {
	found := make(map[[8]byte]bool, 1)
	for i := range b.spans {
		if f := &b.spans[i]; b.root[i] == int32(i) && f.Part == dialect.PartStage && f.ParentID != [8]byte{} {
			found[f.ParentID] = true
		}
	}
	return found
}

func (g *group) add(b *Builder, i int32) {
	f := &b.spans[i]
	g.members = append(g.members, i)
	g.first, g.last = min(g.first, f.Arrived), max(g.last, f.Arrived)
	if b.root[i] == i {
		g.roots = b.numbers.push(g.roots, i)
		g.cyclic = g.cyclic || b.cyclic[i]
	}
	switch {
	case f.Part == dialect.PartCall, f.Part == dialect.PartStage && f.Phase == inference.PhaseInference:
		g.calls = true
	case f.Part == dialect.PartStage && f.Phase == inference.PhasePostprocess:
		g.beside |= 1 << f.Phase
		g.after = true
	case f.Part == dialect.PartRequest:
		g.marked = true
	case f.Part == dialect.PartAgent:
		g.agents = true
	case f.Part == dialect.PartInside && !f.Timed():
		g.linked = true
	case f.Part == dialect.PartInside || f.Part == dialect.PartStep:
		g.parts = true
	case f.Part == dialect.PartStage:
		g.beside |= 1 << f.Phase
	}
	if f.Part == dialect.PartCall {
		g.legs |= 1 << f.Details.Leg
		g.engine = g.engine || isEngine(f)
		if d := f.Details; d.Sequences != 0 {
			g.call, g.asked, g.came = d.Sequences, max(g.asked, d.Asked), g.came+1
		}
		g.input = cmp.Or(g.input, f.Details.InputTokens.N())
	}
	g.gateway = g.gateway || f.Kind.Is(dialect.KindGateway)
	g.named = g.named || f.Details != nil && f.Details.Model != ""
}

// empty reports whether there is nothing to wait for in the group.
func (g *group) empty() bool { return !g.calls && g.beside == 0 && !g.parts && !g.marked && !g.linked }

// observable reports whether the group is of an inference request. A span that
// is called queue, and nothing else, is not enough: other services have those,
// too. It takes a call, a second stage, a model, or a request that it completes.
func (g *group) observable(late bool) bool {
	return g.calls || g.marked || g.beside != 0 && (late || g.named || bits.OnesCount8(g.beside) > 1)
}

// half reports whether of a call's two legs only the first has come.
func (g *group) half() bool {
	return g.legs&(1<<dialect.LegPrefill) != 0 && g.legs&(1<<dialect.LegDecode) == 0
}

// wait returns how long the group waits after its latest span, and the reason
// that it then closes for. late groups belong to what is closed already.
func (g *group) wait(b *Builder, cfg *Config, late bool) (time.Duration, Reason) {
	if g.empty() || late {
		return cfg.Linger, ReasonComplete
	}
	complete := !g.cyclic
	generating := false // the other leg, in another engine
	for _, r := range g.roots {
		complete = complete && b.settled(r)
		generating = generating || g.half() && b.spans[r].Part == dialect.PartCall && !b.parentSeen(r)
	}
	switch {
	case generating:
		return cfg.MaxAge, ReasonMaxAge
	case g.came < g.asked && b.isOneCall(g):
		return cfg.IdleTimeout, ReasonIdle // others of its sequences still run
	case complete:
		return cfg.Linger, ReasonComplete
	case g.calls || g.after, g.linked && !g.parts && g.beside == 0:
		return cfg.IdleTimeout, ReasonIdle
	}
	return cfg.MaxAge, ReasonMaxAge // the model still runs
}

// isOneCall reports whether the roots of the group are sequences of one call,
// whose request is not seen.
func (b *Builder) isOneCall(g *group) bool {
	for _, r := range g.roots {
		if b.spans[r].Part != dialect.PartCall || b.spans[r].Details.Sequences == 0 || b.parentSeen(r) {
			return false
		}
	}
	return true
}

// settled reports whether outermost span i is the request, so that nothing is
// to be expected above it. An engine's call or a SERVER span is taken for it
// although its parent was not seen: that is the caller of an engine, which
// exports nothing. The parent of any other span is in its own process and
// ends, and is exported, later.
func (b *Builder) settled(i int32) bool {
	f := &b.spans[i]
	if f.Part == dialect.PartStage {
		return b.parentSeen(i)
	}
	if b.parentSeen(i) || f.Kind.Is(dialect.KindServer) {
		return true
	}
	return f.Part == dialect.PartCall && f.Details.Role == inference.RoleServer
}
