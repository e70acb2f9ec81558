package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// hops returns the time between the layers above call n: of each SERVER span,
// less what it calls, and of each CLIENT span, less what it reaches. INTERNAL
// spans in between belong to their layer. Each duration is of one clock, so the
// clocks of two layers need not agree.
//
// A layer with several calls below it has no hop: time between attempts is no
// layer's own. Nor has a service that writes stages: those say where its time
// went.
func (b *Builder) hops(n *callNode, c *inference.Call) (list []inference.Hop) {
	if n.stage() || b.cyclic[b.root[n.main]] {
		return nil
	}
	below := c.Duration
	for at := b.up(n.main); at != none && b.spans[at].Part == dialect.PartPlain && b.callsBelow[at] == 1; at = b.up(at) {
		f := &b.spans[at]
		kind := inference.HopGateway
		switch {
		case f.Kind.Is(dialect.KindClient):
			kind = inference.HopNetwork
		case !f.Kind.Is(dialect.KindServer):
			continue
		}
		if b.stagesBelow[at] {
			return list
		}
		own := inference.NewMeasure(f.Seconds(), inference.Measured)
		if left := own.Minus(below); left.Known() {
			identity := b.identity(at, c.Identity.Model)
			identity.Model, identity.ModelVersion, identity.Engine = c.Identity.Model, c.Identity.ModelVersion, c.Identity.Engine
			list = append(list, inference.Hop{Kind: kind, SpanID: f.SpanID, Identity: identity, Duration: left})
		}
		below = own
	}
	return list
}

// countBelow counts, for each span, the calls below it, and marks those with
// stages below them.
func (b *Builder) countBelow(members []int32, calls []callNode) {
	b.callsBelow = resize(b.callsBelow, len(b.spans))
	b.stagesBelow = resize(b.stagesBelow, len(b.spans))
	clear(b.callsBelow)
	clear(b.stagesBelow)
	for k := range calls {
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
