package assembly

import (
	"cmp"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// markedParts are the parts of a call between two marks.
var markedParts = []struct {
	value    dialect.Value
	from, to dialect.Mark
}{
	{dialect.ValueQueue, dialect.MarkQueueStart, dialect.MarkComputeStart},
	{dialect.ValuePreprocess, dialect.MarkComputeStart, dialect.MarkInputEnd},
	{dialect.ValueInference, dialect.MarkInputEnd, dialect.MarkOutputStart},
	{dialect.ValuePostprocess, dialect.MarkOutputStart, dialect.MarkComputeEnd},
}

// addMarks adds what the marks on a call's span and on those inside it tell.
func (b *Builder) addMarks(n *callNode, d *dialect.Details) {
	var marks dialect.Marks
	if d.Marks != nil {
		marks = *d.Marks
	}
	for _, i := range n.inside {
		if inside := b.spans[i].Details; inside != nil && inside.Marks != nil {
			marks.Merge(inside.Marks)
		}
	}
	for _, p := range markedParts {
		if seconds := marks.Between(p.from, p.to); seconds > 0 {
			d.Values.Set(p.value, seconds)
		}
	}
}

// addMarked completes a request from the span at i that an engine itself marks
// as one: how long it was received, its first response, and, where i is the
// request span, how long it took from its first byte to its last.
func (b *Builder) addMarked(r *inference.Request, i int32) {
	f := &b.spans[i]
	if r.Identity.Model == "" {
		r.Identity = b.identity(i, "")
		r.Identity.Dimensions = b.dimensionsOf(i, none)
	}
	r.Identity.Engine = cmp.Or(r.Identity.Engine, f.Dialect.Name())
	m := f.Details.Marks
	if m == nil {
		return
	}
	received := inference.NewMeasure(m.Between(dialect.MarkReceiveStart, dialect.MarkReceiveEnd), inference.Measured)
	r.Phases[inference.PhaseReceive] = r.Phases[inference.PhaseReceive].Or(received)
	if r.SpanID == f.SpanID {
		r.Duration = inference.NewMeasure(m.Between(dialect.MarkReceiveStart, dialect.MarkSendEnd), inference.Measured).Or(r.Duration)
	}
	arrived := m.At[dialect.MarkReceiveStart]
	if m.FirstResponse == 0 || arrived == 0 {
		return
	}
	ttft := inference.NewMeasure(float64(m.FirstResponse-arrived)/1e9, inference.Measured)
	c := b.onlyCallBelow(r, i)
	if r.SpanID == f.SpanID {
		r.TTFT, r.Result.Streaming = ttft, inference.Yes
	} else if outer := b.find(r.SpanID); outer != none && c != nil && c == decisiveCall(r.Calls) &&
		intervalOf(&b.spans[outer]).covers(intervalOf(f)) {
		r.TTFT = inference.NewMeasure(float64(m.FirstResponse-b.spans[outer].Start)/1e9, inference.Derived)
		r.Result.Streaming = inference.Yes
	}
	if c != nil && !c.TTFT.Known() {
		c.TTFT, c.Result.Streaming = ttft, inference.Yes
	}
}

// onlyCallBelow returns the call of r below span i, nil unless there is one.
func (b *Builder) onlyCallBelow(r *inference.Request, i int32) (only *inference.Call) {
	for k := range r.Calls {
		at := b.find(r.Calls[k].SpanID)
		for at != none && at != i {
			at = b.up(at)
		}
		if at == none {
			continue
		}
		if only != nil {
			return nil
		}
		only = &r.Calls[k]
	}
	return only
}
