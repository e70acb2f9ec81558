package enginemetricsprocessor

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// mostExemplars is how many exemplars a merged point keeps.
const mostExemplars = 16

func (w *writer) readHistograms(f *found) {
	to := w.target(f, f.metric.Histogram().AggregationTemporality())
	for _, p := range f.metric.Histogram().DataPoints().All() {
		if !f.takes(p.Attributes()) {
			continue
		}
		if !p.Flags().NoRecordedValue() && (p.HasSum() && (math.IsNaN(p.Sum()) || math.IsInf(p.Sum(), 0)) || p.BucketCounts().Len() == 0) {
			w.skip(f, invalidValue, 1)
			continue
		}
		own := f.inUnit(p)
		w.describe(f, p.Attributes(), w.cfg.Ranks == Keep)
		at, is := w.find(to, f, to.histograms.Len())
		if is == there && !sameBounds(to.histograms.At(at), own) {
			// Histograms of other bounds are never added. Ranks are told apart where they can be.
			w.describe(f, p.Attributes(), true)
			if at, is = w.find(to, f, to.histograms.Len()); is == there {
				w.skip(f, differentBounds, 1)
				continue
			}
		}
		if is == another {
			continue
		}
		w.readPoints[f.engine.Name]++
		if is == absent {
			w.label(own.Attributes())
			own.MoveTo(to.histograms.AppendEmpty())
			continue
		}
		merge(to.histograms.At(at), own)
	}
}

// inUnit returns a copy of a point in the unit of the vocabulary, without attributes.
func (f *found) inUnit(p pmetric.HistogramDataPoint) pmetric.HistogramDataPoint {
	h := pmetric.NewHistogramDataPoint()
	p.CopyTo(h)
	h.Attributes().Clear()
	for i := range h.ExplicitBounds().Len() {
		h.ExplicitBounds().SetAt(i, f.scaled(h.ExplicitBounds().At(i)))
	}
	if h.HasSum() {
		h.SetSum(f.scaled(h.Sum()))
	}
	if h.HasMin() {
		h.SetMin(f.scaled(h.Min()))
	}
	if h.HasMax() {
		h.SetMax(f.scaled(h.Max()))
	}
	for _, e := range h.Exemplars().All() {
		e.FilteredAttributes().Clear()
		value := e.DoubleValue()
		if e.ValueType() == pmetric.ExemplarValueTypeInt {
			value = float64(e.IntValue())
		}
		e.SetDoubleValue(f.scaled(value))
	}
	return h
}

// sameBounds reports whether two points have the same bounds. One without a value has none and
// fits all.
func sameBounds(h, p pmetric.HistogramDataPoint) bool {
	return h.Flags().NoRecordedValue() || p.Flags().NoRecordedValue() ||
		h.BucketCounts().Len() == p.BucketCounts().Len() && h.ExplicitBounds().Equal(p.ExplicitBounds())
}

// merge adds p to h. Both are in one unit, and p is of no more use.
func merge(h, p pmetric.HistogramDataPoint) {
	newest := max(h.Timestamp(), p.Timestamp())
	switch {
	case p.Flags().NoRecordedValue():
	case h.Flags().NoRecordedValue():
		h.Attributes().MoveTo(p.Attributes())
		p.MoveTo(h)
	default:
		add(h, p)
	}
	h.SetTimestamp(newest)
}

func add(h, p pmetric.HistogramDataPoint) {
	h.SetStartTimestamp(min(h.StartTimestamp(), p.StartTimestamp()))
	h.SetCount(h.Count() + p.Count())
	if h.HasSum() && p.HasSum() {
		h.SetSum(h.Sum() + p.Sum())
	} else {
		h.RemoveSum()
	}
	if h.HasMin() && p.HasMin() {
		h.SetMin(min(h.Min(), p.Min()))
	} else {
		h.RemoveMin()
	}
	if h.HasMax() && p.HasMax() {
		h.SetMax(max(h.Max(), p.Max()))
	} else {
		h.RemoveMax()
	}
	for i := range h.BucketCounts().Len() {
		h.BucketCounts().SetAt(i, h.BucketCounts().At(i)+p.BucketCounts().At(i))
	}
	for _, e := range p.Exemplars().All() {
		if h.Exemplars().Len() >= mostExemplars {
			break
		}
		e.MoveTo(h.Exemplars().AppendEmpty())
	}
}
