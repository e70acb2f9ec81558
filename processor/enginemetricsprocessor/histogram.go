package enginemetricsprocessor

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
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
		w.describe(f, p.Attributes(), w.cfg.Ranks == Keep)
		at, is := w.find(to, f, to.histograms.Len())
		if is == there && !f.sameBounds(to.histograms.At(at), p) {
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
			h := to.histograms.AppendEmpty()
			p.CopyTo(h)
			f.scale(h)
			h.Attributes().Clear()
			w.label(h.Attributes())
			for _, e := range h.Exemplars().All() {
				e.FilteredAttributes().Clear()
			}
			continue
		}
		f.merge(to.histograms.At(at), p)
	}
}

// sameBounds reports whether p, as scraped, has the bounds of h, as written. A point without a
// value has none and fits all.
func (f *found) sameBounds(h, p pmetric.HistogramDataPoint) bool {
	if h.Flags().NoRecordedValue() || p.Flags().NoRecordedValue() {
		return true
	}
	a, b := h.ExplicitBounds(), p.ExplicitBounds()
	if a.Len() != b.Len() || h.BucketCounts().Len() != p.BucketCounts().Len() {
		return false
	}
	for i := range a.Len() {
		if a.At(i) != f.scaled(b.At(i)) {
			return false
		}
	}
	return true
}

// scale changes the unit of a point.
func (f *found) scale(h pmetric.HistogramDataPoint) {
	if f.row.Times == 0 && f.row.Per == 0 {
		return
	}
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
		if e.ValueType() == pmetric.ExemplarValueTypeInt {
			e.SetDoubleValue(float64(e.IntValue()))
		}
		e.SetDoubleValue(f.scaled(e.DoubleValue()))
	}
}

// merge adds p, as scraped, to h, as written.
func (f *found) merge(h, p pmetric.HistogramDataPoint) {
	h.SetTimestamp(max(h.Timestamp(), p.Timestamp()))
	if p.Flags().NoRecordedValue() {
		return
	}
	if h.Flags().NoRecordedValue() {
		attrs := pcommon.NewMap()
		h.Attributes().MoveTo(attrs)
		p.CopyTo(h)
		f.scale(h)
		attrs.MoveTo(h.Attributes())
		return
	}
	h.SetStartTimestamp(min(h.StartTimestamp(), p.StartTimestamp()))
	h.SetCount(h.Count() + p.Count())
	if h.HasSum() && p.HasSum() {
		h.SetSum(h.Sum() + f.scaled(p.Sum()))
	} else {
		h.RemoveSum()
	}
	if h.HasMin() && p.HasMin() {
		h.SetMin(min(h.Min(), f.scaled(p.Min())))
	} else {
		h.RemoveMin()
	}
	if h.HasMax() && p.HasMax() {
		h.SetMax(max(h.Max(), f.scaled(p.Max())))
	} else {
		h.RemoveMax()
	}
	counts := h.BucketCounts().AsRaw()
	for i := range counts {
		counts[i] += p.BucketCounts().At(i)
	}
	h.BucketCounts().FromRaw(counts)
	for _, e := range p.Exemplars().All() {
		if h.Exemplars().Len() >= mostExemplars {
			break
		}
		to := h.Exemplars().AppendEmpty()
		e.CopyTo(to)
		to.FilteredAttributes().Clear()
		to.SetDoubleValue(f.scaled(exemplarValue(e)))
	}
}

func exemplarValue(e pmetric.Exemplar) float64 {
	if e.ValueType() == pmetric.ExemplarValueTypeInt {
		return float64(e.IntValue())
	}
	return e.DoubleValue()
}
