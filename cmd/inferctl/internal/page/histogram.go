package page

import (
	"cmp"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// histogram is a classic histogram that others can be added to.
type histogram struct {
	count float64
	sum   float64
	// below is the number of observations up to a bound.
	below map[float64]float64
}

// add sums another histogram into h, bound by bound, as sum by (le) does.
func (h *histogram) add(other *dto.Histogram) {
	if h.below == nil {
		h.below = map[float64]float64{}
	}
	h.count += float64(other.GetSampleCount())
	h.sum += other.GetSampleSum()
	for _, b := range other.GetBucket() {
		h.below[b.GetUpperBound()] += float64(b.GetCumulativeCount())
	}
	if _, ok := h.below[math.Inf(1)]; !ok {
		h.below[math.Inf(1)] = h.count
	}
}

// subtract takes away what an earlier reading of the one histogram in h held.
func (h *histogram) subtract(earlier *dto.Histogram) {
	h.count -= float64(earlier.GetSampleCount())
	h.sum -= earlier.GetSampleSum()
	for _, b := range earlier.GetBucket() {
		h.below[b.GetUpperBound()] -= float64(b.GetCumulativeCount())
	}
}

// merge sums another histogram into h, bound by bound.
func (h *histogram) merge(other *histogram) {
	if h.below == nil {
		h.below = map[float64]float64{}
	}
	h.count += other.count
	h.sum += other.sum
	for upper, below := range other.below {
		h.below[upper] += below
	}
}

type bucket struct{ upper, below float64 }

// buckets are in order of their bound. Histograms of different bounds do not
// sum to a monotonic one, which is repaired as Prometheus does.
func (h *histogram) buckets() []bucket {
	out := make([]bucket, 0, len(h.below))
	for upper, below := range h.below {
		out = append(out, bucket{upper, below})
	}
	slices.SortFunc(out, func(x, y bucket) int { return cmp.Compare(x.upper, y.upper) })
	for i := 1; i < len(out); i++ {
		out[i].below = max(out[i].below, out[i-1].below)
	}
	return out
}

// quantile interpolates inside a bucket as histogram_quantile does: from 0 in
// the first bucket, and no further than the highest finite bound. It is NaN
// when nothing was observed.
func (h *histogram) quantile(q float64) float64 {
	buckets := h.buckets()
	if len(buckets) < 2 || buckets[len(buckets)-1].below == 0 {
		return math.NaN()
	}
	rank := q * buckets[len(buckets)-1].below
	i, _ := slices.BinarySearchFunc(buckets[:len(buckets)-1], rank, func(b bucket, rank float64) int {
		return cmp.Compare(b.below, rank)
	})
	switch {
	case i == len(buckets)-1:
		return buckets[i-1].upper
	case i == 0 && buckets[0].upper <= 0:
		return buckets[0].upper
	}
	var lower bucket
	if i > 0 {
		lower = buckets[i-1]
	}
	return lower.upper + (buckets[i].upper-lower.upper)*(rank-lower.below)/(buckets[i].below-lower.below)
}
