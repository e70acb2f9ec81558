package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// lost collects the phases of a request that made no call, or whose call never
// came.
type lost struct {
	request int32
	first   int32 // a span of it
	stages  [inference.NumPhases][]interval
	model   string
	result  inference.Result // the worst of its stages'
}

// placeStages gives each phase that is a span of its own to the nearest call
// of its request, and returns what has none.
func (b *Builder) placeStages(members []int32, calls []callNode) []lost {
	var rest []lost
	for _, i := range members {
		f := &b.spans[i]
		if f.Part != dialect.PartStage || f.Phase == inference.PhaseInference {
			continue
		}
		if n := b.nearest(calls, i); n != nil {
			n.stages[f.Phase] = b.intervals.push(n.stages[f.Phase], intervalOf(f))
			if n.model == "" {
				n.model = b.modelNamed(i)
			}
			if f.Phase == inference.PhasePreprocess && (n.preprocessed == none || b.spans[n.preprocessed].End < f.End) {
				n.preprocessed = i
			}
			continue
		}
		rest = b.lose(rest, i)
	}
	return rest
}

// lose adds the phase at span i to the lost ones.
func (b *Builder) lose(rest []lost, i int32) []lost {
	request := b.requestOf(i)
	at := -1
	for k := range rest {
		if rest[k].request == request {
			at = k
		}
	}
	if at < 0 {
		rest = append(rest, lost{request: request, first: i})
		at = len(rest) - 1
	}
	l := &rest[at]
	if d := b.spans[i].Details; d != nil {
		l.result = worse(l.result, d.Result)
	}
	l.stages[b.spans[i].Phase] = append(l.stages[b.spans[i].Phase], intervalOf(&b.spans[i]))
	if l.model == "" {
		l.model = b.modelNamed(i)
	}
	return rest
}

// nearest returns the call that stage i belongs to: the call above it, else of
// the same request the next one for what comes before a call and the last one
// for postprocess, else the one with the smallest distance. nil without calls.
func (b *Builder) nearest(calls []callNode, i int32) *callNode {
	for at := b.up(i); at != none; at = b.up(at) {
		if k := b.callAt[at]; k != none {
			return &calls[k]
		}
	}
	request, f := b.requestOf(i), &b.spans[i]
	var best *callNode
	bestDistance := int64(-1)
	for k := range calls {
		n := &calls[k]
		if n.request != request && n.request != none && request != none {
			continue
		}
		before := n.at.start - f.End // time from the stage to the call
		if f.Phase == inference.PhasePostprocess {
			before = f.Start - n.at.end
		}
		// On the wrong side a call counts only if none is on the right one.
		distance := before
		if distance < 0 {
			distance = wrongSide - distance
		}
		if best == nil || distance < bestDistance {
			best, bestDistance = n, distance
		}
	}
	return best
}

// wrongSide is larger than any distance between spans of one trace, in nanoseconds.
const wrongSide = int64(1) << 61

// addStages adds the phases beside a call to it. Where the engine states a
// phase that was also measured outside the call, both are waited for.
func (b *Builder) addStages(c *inference.Call, n *callNode) {
	for p := range inference.NumPhases {
		list := n.stages[p]
		if len(list) == 0 {
			continue
		}
		beside := inference.NewMeasure(union(list), inference.Measured)
		switch own := c.Phases[p]; {
		case !own.Known():
			c.Phases[p] = beside
		case beside.Known() && !anyOverlaps(list, n.at):
			c.Phases[p] = own.Plus(beside)
		}
	}
}

// estimateQueue sets the queue time of a call whose service does not measure
// it: the gap between its preprocess and inference stages, where the same
// process wrote both and did nothing else in between.
func (b *Builder) estimateQueue(c *inference.Call, n *callNode, members []int32) {
	main := &b.spans[n.main]
	if !n.stage() || n.preprocessed == none || len(n.stages[inference.PhaseQueue]) > 0 ||
		main.Details.Values.Invalid(dialect.ValueQueue) || c.Phases[inference.PhaseQueue].Known() {
		return
	}
	before := &b.spans[n.preprocessed]
	gap := interval{before.End, n.at.start}
	if gap.end <= gap.start || before.Origin != main.Origin || !before.Timed() || !main.Timed() {
		return
	}
	for _, i := range members {
		f := &b.spans[i]
		queued := f.Part == dialect.PartStage && f.Phase == inference.PhaseQueue
		if at := intervalOf(f); at.overlaps(gap) && (queued || !at.covers(gap)) {
			return
		}
	}
	c.Phases[inference.PhaseQueue] = inference.NewMeasure(float64(gap.end-gap.start)/1e9, inference.Estimated)
}

func anyOverlaps(list []interval, at interval) bool {
	for _, i := range list {
		if i.overlaps(at) {
			return true
		}
	}
	return false
}
