package assembly

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// A stream was held back on its way where its engine's first token was early,
// and its caller's came when all was over. Shares of each one's duration.
const (
	earlyToken = 0.5
	lateToken  = 0.9
)

// findBuffered marks the callers above an engine's call whose stream something
// in between held back. built are the calls in the order of calls.
func (b *Builder) findBuffered(calls []callNode, built []inference.Call) {
	for k := range calls {
		engine := &built[k]
		if engine.Role != inference.RoleServer || !tokenBy(engine, 0, earlyToken) {
			continue
		}
		for at := b.up(calls[k].main); at != none && b.callsBelow[at] == 1; at = b.up(at) {
			if above := b.callAt[at]; above != none && built[above].Role == inference.RoleClient {
				c := &built[above]
				c.Buffered = c.Result.Streaming != inference.No && tokenBy(c, lateToken, 1)
			}
		}
	}
}

// tokenBy reports whether c's first token came between two shares of its duration.
func tokenBy(c *inference.Call, from, to float64) bool {
	if !c.TTFT.Known() || !c.Duration.Known() {
		return false
	}
	share := c.TTFT.Seconds / c.Duration.Seconds
	return from <= share && share <= to
}
