package assembly

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// isPrefillLeg reports whether the call at i continues k: another engine
// generates what k's engine has read the prompt for. The prefill leg writes one
// token, which is none of the answer.
func (b *Builder) isPrefillLeg(k *callNode, i int32) bool {
	f, g := &b.spans[k.main], &b.spans[i]
	tokens := f.Details.OutputTokens
	return k.decodeLeg == none && f.Origin != g.Origin && f.Start <= g.Start && tokens.Known() && tokens.N() <= 1
}

// addDecodeLeg makes one call of c, the prefill leg, and the decode leg: from
// the start of the one to the end of the other. Their phases are summed; prefill
// and input are those of the first, decode and output those of the second.
func (b *Builder) addDecodeLeg(c *inference.Call, n *callNode) {
	if n.decodeLeg == none {
		return
	}
	f := &b.spans[n.decodeLeg]
	d := f.Details
	leg := inference.Call{
		Result: d.Result, OutputTokens: d.OutputTokens, CachedTokens: d.CachedTokens, FinishReason: d.FinishReason, Start: f.Start,
	}
	b.resolve(&leg, d, f.Seconds())
	between := float64(leg.Start-c.Start) / 1e9
	c.Result, c.FinishReason = leg.Result, leg.FinishReason
	c.OutputTokens, c.CachedTokens = leg.OutputTokens, firstKnown(c.CachedTokens, leg.CachedTokens)
	c.Duration, c.TTFT = after(between, leg.Duration), after(between, leg.TTFT)
	c.TPOT = leg.TPOT
	for p := range inference.PhaseOther {
		c.Phases[p] = c.Phases[p].Plus(leg.Phases[p])
	}
	c.Subphases[inference.SubphaseDecode] = leg.Subphases[inference.SubphaseDecode]
}

// after returns m as it is from an earlier start.
func after(seconds float64, m inference.Measure) inference.Measure {
	if !m.Known() {
		return m
	}
	return inference.NewMeasure(seconds+m.Seconds, inference.Derived)
}
