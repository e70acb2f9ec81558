package truth

import (
	"math"
	"slices"
)

// Summary describes a set of durations in seconds. All but Count are 0 when
// nothing was measured.
type Summary struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
	Sum   float64 `json:"sum"`
}

// samples are measured durations in seconds.
type samples []float64

// add keeps a measured value; zero and less are nothing measured.
func (s *samples) add(seconds float64) {
	if seconds > 0 {
		*s = append(*s, seconds)
	}
}

func (s samples) summary() Summary {
	if len(s) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(s))
	sum := Summary{
		Count: len(sorted),
		P50:   nearestRank(sorted, 0.50), P95: nearestRank(sorted, 0.95), P99: nearestRank(sorted, 0.99),
		Max: sorted[len(sorted)-1],
	}
	for _, x := range s {
		sum.Sum += x
	}
	return sum
}

// nearestRank is the smallest value that at least a share q does not exceed.
func nearestRank(sorted []float64, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}
