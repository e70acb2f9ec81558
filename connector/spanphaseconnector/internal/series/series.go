package series

import (
	"sort"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// key identifies a series within its set.
type key struct {
	metric inference.MetricID
	dims   Dims
}

// series is one cumulative series.
type series struct {
	key    key
	bounds []float64 // nil: a counter
	start  time.Time // of its first observation
	last   time.Time // of its latest one

	count     uint64
	sum       float64
	buckets   []uint64
	exemplars []exemplar
}

// exemplar links a value to the span it came from.
type exemplar struct {
	value   float64
	at      time.Time
	bucket  int
	traceID [16]byte
	spanID  [8]byte
}

const (
	// maxExemplars is how many a series keeps, each of another bucket.
	maxExemplars = 4
	// exemplarAge is for how long: an endpoint that is scraped more seldom
	// than it is flushed must still see them.
	exemplarAge = time.Minute
)

func newSeries(k key, bounds []float64, now time.Time) *series {
	x := &series{key: k, bounds: bounds, start: now}
	if bounds != nil {
		x.buckets = make([]uint64, len(bounds)+1)
	}
	return x
}

func (x *series) record(value float64, now time.Time, e exemplar) {
	x.last = now
	x.sum += value
	if x.bounds == nil {
		return
	}
	x.count++
	e.bucket = sort.SearchFloat64s(x.bounds, value)
	x.buckets[e.bucket]++
	x.keep(e)
}

// keep keeps the latest exemplar of each bucket, and of the buckets those that
// were hit last.
func (x *series) keep(e exemplar) {
	oldest := 0
	for i := range x.exemplars {
		if x.exemplars[i].bucket == e.bucket {
			x.exemplars[i] = e
			return
		}
		if x.exemplars[i].at.Before(x.exemplars[oldest].at) {
			oldest = i
		}
	}
	if len(x.exemplars) < maxExemplars {
		x.exemplars = append(x.exemplars, e)
		return
	}
	x.exemplars[oldest] = e
}

// ended is a series that is exported once more, to say that it is no more.
type ended struct {
	key    key
	labels Labels
	attrs  attributeMap
	start  time.Time
}
