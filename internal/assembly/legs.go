package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// areLegs reports whether the call at i and k are the legs of one call: another
// engine generates what the first engine has read the prompt for. Where the
// engines do not say so, the leg that reads writes one token, which is none of
// the answer.
func (b *Builder) areLegs(k *callNode, i int32) bool {
	f, g := &b.spans[k.main], &b.spans[i]
	switch {
	case k.decodeLeg != none:
		return false
	case f.Details.Leg != dialect.LegWhole || g.Details.Leg != dialect.LegWhole:
		return f.Details.Leg != g.Details.Leg
	}
	tokens := f.Details.OutputTokens
	return f.Origin != g.Origin && f.Start <= g.Start && tokens.Known() && tokens.N() <= 1
}

// joinLegs makes k the call of both legs, k and n, of which k began first.
func (b *Builder) joinLegs(k *callNode, n callNode) {
	if b.spans[n.main].Details.Leg == dialect.LegPrefill {
		k.main, n.main, k.request = n.main, k.main, n.request
	}
	k.decodeLeg, k.at.end = n.main, max(k.at.end, n.at.end)
}

// isHalf reports whether k is a prefill leg without its decode leg. It is not
// what anybody waited for, so that its duration is no call's, and it no request.
func (b *Builder) isHalf(k *callNode) bool {
	return k.decodeLeg == none && b.spans[k.main].Part == dialect.PartCall &&
		b.spans[k.main].Details.Leg == dialect.LegPrefill
}

// addDecodeLeg makes one call of c, the prefill leg, and the decode leg: from
// the start of the one to the end of the other. Their phases are summed; prefill
// and input are those of the first, decode and output those of the second. Legs
// that say so themselves began at once, and prepare beside each other.
func (b *Builder) addDecodeLeg(c *inference.Call, n *callNode) {
	if n.decodeLeg == none {
		return
	}
	f := &b.spans[n.decodeLeg]
	d := b.withParts(&callNode{main: n.decodeLeg, inside: n.insideDecode}, f.Details)
	leg := inference.Call{
		Result: d.Result, OutputTokens: d.OutputTokens, CachedTokens: d.CachedTokens, FinishReason: d.FinishReason, Start: f.Start,
	}
	b.resolve(&leg, d, f.Seconds())
	atOnce := d.Leg != dialect.LegWhole
	if atOnce {
		c.Start = min(c.Start, leg.Start)
		leg.Phases[inference.PhasePreprocess] = c.Phases[inference.PhasePreprocess].Or(leg.Phases[inference.PhasePreprocess])
		c.Phases[inference.PhasePreprocess] = inference.Measure{}
	}
	between := float64(leg.Start-c.Start) / 1e9
	c.Result, c.FinishReason = leg.Result, leg.FinishReason
	c.InputTokens = firstKnown(c.InputTokens, d.InputTokens)
	c.OutputTokens, c.CachedTokens = leg.OutputTokens, firstKnown(c.CachedTokens, leg.CachedTokens)
	c.Duration, c.TTFT = after(between, leg.Duration), after(between, leg.TTFT)
	c.TPOT = leg.TPOT
	for p := range inference.PhaseOther {
		c.Phases[p] = c.Phases[p].Plus(leg.Phases[p])
	}
	c.Subphases[inference.SubphaseDecode] = leg.Subphases[inference.SubphaseDecode]
	c.Phases[inference.PhaseInference] = c.Phases[inference.PhaseInference].Or(
		sum(c.Subphases[inference.SubphasePrefill], c.Subphases[inference.SubphaseDecode]))
}

// after returns m as it is from an earlier start.
func after(seconds float64, m inference.Measure) inference.Measure {
	if !m.Known() {
		return m
	}
	return inference.NewMeasure(seconds+m.Seconds, inference.Derived)
}
