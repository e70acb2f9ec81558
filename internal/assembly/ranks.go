package assembly

import (
	"cmp"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// rankDetails returns what the ranks of a call say together: each fact from
// the first that has it, the earliest first token, the worst outcome. The time
// to first token counts from the first rank's start. Without other ranks it is
// what the call's own span says.
func (b *Builder) rankDetails(n *callNode) *dialect.Details {
	first := b.spans[n.main].Details
	if len(n.ranks) < 2 {
		return first
	}
	d := *first
	for _, i := range n.ranks[1:] {
		f := &b.spans[i]
		r := f.Details
		d.InputTokens, d.OutputTokens = firstKnown(d.InputTokens, r.InputTokens), firstKnown(d.OutputTokens, r.OutputTokens)
		d.CachedTokens, d.BatchSize = firstKnown(d.CachedTokens, r.CachedTokens), firstKnown(d.BatchSize, r.BatchSize)
		d.FinishReason = cmp.Or(d.FinishReason, r.FinishReason)
		d.ModelVersion = cmp.Or(d.ModelVersion, r.ModelVersion)
		d.Result = worse(d.Result, r.Result)
		ttft, ok := r.Values.Get(dialect.ValueTTFT)
		ttft += float64(f.Start-n.at.start) / 1e9
		if known, has := d.Values.Get(dialect.ValueTTFT); ok && (!has || ttft < known) {
			d.Values.Set(dialect.ValueTTFT, ttft)
		}
	}
	return &d
}

func firstKnown(a, b inference.Count) inference.Count {
	if a.Known() {
		return a
	}
	return b
}

// worse returns the result that failed, the first of two; whether it streamed
// is taken from the one that knows.
func worse(a, b inference.Result) inference.Result {
	streaming := max(a.Streaming, b.Streaming)
	if a.Outcome == inference.OutcomeOK {
		a = b
	}
	a.Streaming = streaming
	return a
}
