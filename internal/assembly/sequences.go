package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// joinSequences makes one call of the sequences that it asked for (n > 1): an
// engine writes a span for each, under one request id and one parent. The
// longest is the call. Then it makes one call of two legs.
func (b *Builder) joinSequences(calls []callNode) []callNode {
	calls = b.join(calls, b.areSequences, func(k *callNode, n callNode) {
		if b.lasted(n.main) > b.lasted(k.main) {
			k.main, n.main = n.main, k.main
			k.at, k.request = n.at, n.request
		}
		k.sequences = append(k.sequences, n.main)
	})
	return b.join(calls, b.areLegs, b.joinLegs)
}

// join hands each call to the first before it that it is one with.
func (b *Builder) join(calls []callNode, areOne func(k, n *callNode) bool, one func(k *callNode, n callNode)) []callNode {
	joined := calls[:0]
	for i := range calls {
		at := -1
		f := &b.spans[calls[i].main]
		for k := range joined {
			if f.Details.Sequences == 0 {
				break
			}
			g := &b.spans[joined[k].main]
			if f.Details.Sequences == g.Details.Sequences && f.Dialect == g.Dialect && areOne(&joined[k], &calls[i]) {
				at = k
				break
			}
		}
		if at < 0 {
			joined = append(joined, calls[i])
			continue
		}
		one(&joined[at], calls[i])
	}
	return joined
}

// areSequences reports whether two calls of one request id are the sequences of
// one call.
func (b *Builder) areSequences(k, n *callNode) bool {
	f, g := &b.spans[k.main], &b.spans[n.main]
	return f.Details.Leg == dialect.LegWhole && g.Details.Leg == dialect.LegWhole &&
		f.Origin == g.Origin && f.ParentID == g.ParentID && n.at.overlaps(k.at)
}

// lasted returns how long the call at span i took, in seconds.
func (b *Builder) lasted(i int32) float64 {
	values := b.spans[i].Details.Values // shared: not to be changed
	return callDuration(&values, b.spans[i].Seconds()).Seconds
}

// addSequences adds the output of the other sequences to c: their tokens, and
// their part in the mean time per token.
func (b *Builder) addSequences(c *inference.Call, main int32, others []int32) {
	if len(others) == 0 {
		return
	}
	var generating float64
	var following int64 // tokens after the first of each sequence
	complete := true
	for _, i := range append([]int32{main}, others...) {
		d := b.spans[i].Details
		if i != main {
			c.OutputTokens = c.OutputTokens.Add(d.OutputTokens)
			c.Result = worse(c.Result, d.Result)
		}
		decode, known := d.Values.Get(dialect.ValueDecode)
		if d.OutputTokens.Known() && d.OutputTokens.N() > 1 {
			generating += decode
			following += d.OutputTokens.N() - 1
			complete = complete && known
		}
	}
	c.TPOT = inference.Measure{}
	if complete && following > 0 {
		c.TPOT = inference.NewMeasure(generating/float64(following), inference.Derived)
	}
}
