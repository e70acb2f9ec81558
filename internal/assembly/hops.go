package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// outer reports whether another call lies below the call at span i.
func (b *Builder) outer(i int32) bool { return b.callsBelow[i] > 0 }

// appendHops adds the time between the layers above the innermost call n: of each
// SERVER span, less what it calls, and of each client's span or call, less the
// server side that it reaches. INTERNAL spans in between belong to their layer.
// Each duration is of one clock, so the clocks of two layers need not agree.
//
// A layer with several calls below it has no hop: time between attempts is no
// layer's own. Nor has a service that writes stages: those say where its time
// went.
func (b *Builder) appendHops(list []inference.Hop, n *callNode, c *inference.Call) []inference.Hop {
	if n.stage() || c.Outer || b.cyclic[b.root[n.main]] {
		return list
	}
	below, served := c.Duration, c.Role == inference.RoleServer
	for at := b.up(n.main); at != none && b.callsBelow[at] == 1; at = b.up(at) {
		f := &b.spans[at]
		own, kind := b.layer(f)
		if !own.Known() {
			continue
		}
		if b.stagesBelow[at] {
			return list
		}
		if kind == inference.HopGateway || served {
			list = b.addHop(list, at, kind, own.Minus(below), c)
		}
		below, served = own, kind == inference.HopGateway
	}
	return list
}

// layer returns the duration of a span that is a side of a layer, absent if it
// is none, and the hop that is inside it.
func (b *Builder) layer(f *dialect.Facts) (inference.Measure, inference.HopKind) {
	switch {
	case f.Part == dialect.PartCall && f.Details.Marks != nil: // a model that calls others
	case f.Part == dialect.PartCall && f.Details.StandIn:
		return inference.NewMeasure(f.Seconds(), inference.Measured), inference.HopGateway
	case f.Part == dialect.PartCall:
		values := f.Details.Values // shared: not to be changed
		own := callDuration(&values, f.Seconds())
		if f.Details.Role == inference.RoleClient {
			return own, inference.HopNetwork
		}
		return own, inference.HopGateway
	case f.Part != dialect.PartPlain:
	case f.Kind.Is(dialect.KindClient):
		return inference.NewMeasure(f.Seconds(), inference.Measured), inference.HopNetwork
	case f.Kind.Is(dialect.KindServer):
		return inference.NewMeasure(f.Seconds(), inference.Measured), inference.HopGateway
	}
	return inference.Measure{}, 0
}

// addHop adds a hop that is inside the layer of span i.
func (b *Builder) addHop(
	list []inference.Hop, i int32, kind inference.HopKind, left inference.Measure, c *inference.Call,
) []inference.Hop {
	if !left.Known() {
		return list
	}
	identity := b.identity(i, "")
	identity.Model, identity.ModelVersion, identity.Engine = c.Identity.Model, c.Identity.ModelVersion, c.Identity.Engine
	identity.Dimensions = b.inheritDimensions(b.dimensionsOf(i, b.requestOf(i)), c.Identity.Dimensions)
	return append(list, inference.Hop{Kind: kind, SpanID: b.spans[i].SpanID, Identity: identity, Duration: left})
}

// callsAbove marks every span that has a call somewhere below it.
func (b *Builder) callsAbove(calls []callNode) {
	clear(b.above)
	for k := range calls {
		for at := b.up(calls[k].main); at != none && !b.above[at]; at = b.up(at) {
			b.above[at] = true
		}
	}
}

// countBelow counts, for each span, the innermost calls below it, and marks
// those with stages below them.
func (b *Builder) countBelow(members []int32, calls []callNode) {
	b.callsBelow = resize(b.callsBelow, len(b.spans))
	b.stagesBelow = resize(b.stagesBelow, len(b.spans))
	clear(b.callsBelow)
	clear(b.stagesBelow)
	b.callsAbove(calls)
	for k := range calls {
		if b.above[calls[k].main] {
			continue
		}
		for at := b.up(calls[k].main); at != none; at = b.up(at) {
			b.callsBelow[at]++
		}
	}
	for _, i := range members {
		if b.spans[i].Part != dialect.PartStage {
			continue
		}
		for at := b.up(i); at != none && !b.stagesBelow[at]; at = b.up(at) {
			b.stagesBelow[at] = true
		}
	}
}
