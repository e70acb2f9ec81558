package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// placeInside gives each part of a call that is a span of its own to the call
// above it. Parts whose call is missing are left out: what they are part of is
// not known.
func (b *Builder) placeInside(members []int32, calls []callNode) {
	for _, i := range members {
		if part := b.spans[i].Part; part != dialect.PartInside && part != dialect.PartStep {
			continue
		}
		for at := b.up(i); at != none; at = b.up(at) {
			k := b.callAt[at]
			if k == none {
				continue
			}
			if at == calls[k].decodeLeg {
				calls[k].insideDecode = append(calls[k].insideDecode, i)
			} else {
				calls[k].inside = append(calls[k].inside, i)
			}
			break
		}
	}
}

// withParts returns what a call's span says, completed from the parts inside
// it: what the span states itself stands.
func (b *Builder) withParts(n *callNode, d *dialect.Details) *dialect.Details {
	if len(n.inside) == 0 && d.Marks == nil {
		return d
	}
	own := *d
	b.addParts(n, &own)
	b.addSteps(n, &own)
	b.addMarks(n, &own)
	return &own
}

// addParts adds phases and subphases: parts of one phase last as long as their
// union, for ranks and threads do the same at once.
func (b *Builder) addParts(n *callNode, d *dialect.Details) {
	parts := make(map[dialect.Value][]interval)
	var ended int64 // the model's last part
	for _, i := range n.inside {
		f := &b.spans[i]
		if f.Part != dialect.PartInside || f.Details != nil && f.Details.Marks != nil {
			continue
		}
		if f.Details != nil {
			d.BatchSize = firstKnown(d.BatchSize, f.Details.BatchSize)
		}
		if !f.Timed() {
			continue
		}
		value := f.Inside()
		parts[value] = append(parts[value], intervalOf(f))
		if value == dialect.ValuePrefill || value == dialect.ValueDecode || value == dialect.ValueInference {
			ended = max(ended, f.End)
		}
		if f.Details != nil {
			d.Result = worse(d.Result, inference.Result{Outcome: f.Details.Result.Outcome, ErrorType: f.Details.Result.ErrorType})
		}
	}
	for value, list := range parts {
		if _, stated := d.Values.Get(value); !stated && !d.Values.Invalid(value) {
			d.Values.Set(value, union(list))
		}
	}
	if main := &b.spans[n.main]; d.Tail && ended > 0 && main.Timed() {
		if left := float64(main.End-ended) / 1e9; left > 0 {
			d.Values.SetDerived(dialect.ValuePostprocess, left)
		}
	}
}

// addSteps adds what the steps of the model tell: the first is the prefill, and
// at its end is the first token; the rest of the time in the model is decode.
func (b *Builder) addSteps(n *callNode, d *dialect.Details) {
	var first *dialect.Facts
	for _, i := range n.inside {
		if f := &b.spans[i]; f.Part == dialect.PartStep && f.Timed() && (first == nil || f.Start < first.Start) {
			first = f
		}
	}
	main := &b.spans[n.main]
	if first == nil || !main.Timed() {
		return
	}
	if _, stated := d.Values.Get(dialect.ValueTTFT); !stated {
		d.Values.Set(dialect.ValueTTFT, float64(first.End-main.Start)/1e9)
	}
	if _, stated := d.Values.Get(dialect.ValuePrefill); !stated {
		d.Values.Set(dialect.ValuePrefill, first.Seconds())
		d.Values.Derive(dialect.ValueDecode, dialect.ValueInference, dialect.ValuePrefill)
	}
}
