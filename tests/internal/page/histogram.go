package page

import (
	"math"
	"slices"
)

// Histogram is the sum of histograms.
type Histogram struct {
	Count uint64
	Sum   float64
	// Bounds are the upper bounds of the buckets; the last is +Inf. Buckets are
	// their counts, not cumulative.
	Bounds  []float64
	Buckets []uint64
}

// Histogram sums the histograms of a metric that have the labels.
func (p Page) Histogram(name string, where Labels) (h Histogram) {
	for _, m := range p.Series(name, where) {
		one := m.GetHistogram()
		h.Count += one.GetSampleCount()
		h.Sum += one.GetSampleSum()
		var below uint64
		for _, b := range one.GetBucket() {
			h.add(b.GetUpperBound(), b.GetCumulativeCount()-below)
			below = b.GetCumulativeCount()
		}
	}
	return h
}

func (h *Histogram) add(bound float64, n uint64) {
	i, ok := slices.BinarySearch(h.Bounds, bound)
	if !ok {
		h.Bounds, h.Buckets = slices.Insert(h.Bounds, i, bound), slices.Insert(h.Buckets, i, 0)
	}
	h.Buckets[i] += n
}

// Quantile returns the bounds of the bucket that holds the quantile: the
// smallest value that at least a share q of the values does not exceed.
func (h *Histogram) Quantile(q float64) (low, high float64) {
	rank := max(uint64(math.Ceil(q*float64(h.Count))), 1)
	for i, n := range h.Buckets {
		if i > 0 {
			low = h.Bounds[i-1]
		}
		if rank <= n {
			return low, h.Bounds[i]
		}
		rank -= n
	}
	return math.NaN(), math.NaN()
}
