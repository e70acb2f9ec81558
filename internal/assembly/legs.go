package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// areLegs reports whether calls k and n, of which k began first, are the legs of
// one call: another engine generates what the first engine has read the prompt
// for. Where the engines do not say so, the leg that reads writes one token,
// which is none of the answer. Two that ask for more, or fail, are attempts.
// Engines that do not tell who they are may be one: it does not generate twice
// under one id.
func (b *Builder) areLegs(k, n *callNode) bool {
	f, g := &b.spans[k.main], &b.spans[n.main]
	if k.decodeLeg != none {
		return false
	}
	if f.Details.Leg != dialect.LegWhole || g.Details.Leg != dialect.LegWhole {
		return f.Details.Leg != g.Details.Leg
	}
	second := g.Details.OutputTokens
	if f.Origin == g.Origin {
		return b.reads(k) && second.Known() && second.N() > 1 && !k.at.overlaps(n.at)
	}
	return b.reads(k) || b.isSecondLeg(k, n)
}

// reads reports whether a call that does not say which leg it is may be the one
// that reads the prompt.
func (b *Builder) reads(n *callNode) bool {
	d := b.spans[n.main].Details
	return d.OutputTokens.Known() && d.OutputTokens.N() <= 1 && !d.Answers && d.Result.Outcome == inference.OutcomeOK
}

// isSecondLeg reports whether n, which began after k, has read the prompt for
// it: the clock of its host is ahead.
func (b *Builder) isSecondLeg(k, n *callNode) bool {
	first := b.spans[k.main].Details.OutputTokens
	return first.Known() && first.N() > 1 && b.reads(n)
}

// joinLegs makes k the call of both legs, k and n, of which k began first.
func (b *Builder) joinLegs(k *callNode, n callNode) {
	whole := b.spans[n.main].Details.Leg == dialect.LegWhole
	if b.spans[n.main].Details.Leg == dialect.LegPrefill || whole && b.isSecondLeg(k, &n) {
		k.main, n.main, k.request = n.main, k.main, n.request
		k.sequences, n.sequences = n.sequences, k.sequences
	}
	k.decodeSequences = n.sequences
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
// that say so themselves began at once, and prepare beside each other; where
// their clocks do not agree, the call is as long as the one that ends it.
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
	b.addSequences(&leg, n.decodeLeg, n.decodeSequences)
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
	c.Duration, c.TTFT = inference.Measure{}, inference.Measure{}
	switch {
	case b.oneClock(n.main, n.decodeLeg):
		c.Duration, c.TTFT = after(between, leg.Duration), after(between, leg.TTFT)
	case atOnce:
		c.Start, c.Duration, c.TTFT = leg.Start, leg.Duration, leg.TTFT
	}
	c.TPOT = leg.TPOT
	for p := range inference.PhaseOther {
		c.Phases[p] = c.Phases[p].Plus(leg.Phases[p])
	}
	c.Subphases[inference.SubphaseDecode] = leg.Subphases[inference.SubphaseDecode]
	c.Phases[inference.PhaseInference] = c.Phases[inference.PhaseInference].Or(
		sum(c.Subphases[inference.SubphasePrefill], c.Subphases[inference.SubphaseDecode]))
}

// oneClock reports whether the time between the starts of two legs can be told:
// one host wrote both, or what is above both was going on all the while. Where
// nothing above is known, the leg that reads comes first, and legs that say
// themselves that they are go on at once.
func (b *Builder) oneClock(prefill, decode int32) bool {
	f, g := &b.spans[prefill], &b.spans[decode]
	x, y := f.Origin.Value(), g.Origin.Value()
	if !f.Timed() || !g.Timed() {
		return false
	}
	if x.Host != "" && x.Host == y.Host {
		return true
	}
	for at := b.up(prefill); at != none; at = b.up(at) {
		if a := &b.spans[at]; a.Timed() && b.isAbove(decode, at) {
			return intervalOf(a).covers(intervalOf(f)) && intervalOf(a).covers(intervalOf(g))
		}
	}
	if f.Details.Leg != dialect.LegWhole {
		return intervalOf(f).overlaps(intervalOf(g))
	}
	return f.Start <= g.Start
}

// after returns m as it is from an earlier start.
func after(seconds float64, m inference.Measure) inference.Measure {
	if !m.Known() {
		return m
	}
	return inference.NewMeasure(seconds+m.Seconds, inference.Derived)
}
