package assembly

import (
	"math"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// disagreement is by how much, as a share, an annotation may differ from what
// was measured: more means that one of two tiers is wrong.
const disagreement = 0.01

// addNote merges the annotation of c, measure by measure: what this tier
// measured stands; else the annotation, which an earlier tier wrote with what it
// had beside the span; else what is derived or estimated here.
func (b *Builder) addNote(c *inference.Call, n *dialect.Note) {
	if n == nil {
		return
	}
	for p := range inference.NumPhases {
		b.merge(&c.Phases[p], n.Phases[p])
	}
	b.merge(&c.TTFT, n.TTFT)
	b.merge(&c.TPOT, n.TPOT)
}

func (b *Builder) merge(own *inference.Measure, note inference.Measure) {
	switch {
	case !note.Known():
	case own.Provenance != inference.Measured:
		*own = note
	case math.Abs(own.Seconds-note.Seconds) > disagreement*own.Seconds:
		b.Disagreed++
	}
}
