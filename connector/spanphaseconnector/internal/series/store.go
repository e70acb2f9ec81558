// Package series keeps what was observed as cumulative series, bounded in
// number and in time, and writes them as metrics.
package series

import (
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Config of a [Store].
type Config struct {
	Scope, ScopeVersion string
	InstanceID          string
	// Bounds are the bucket bounds of each histogram.
	Bounds [inference.NumMetrics][]float64
	// Hold is how long a new series is exported at zero: rate() needs a first
	// value to count from.
	Hold time.Duration
	// Expiry ends a series for which nothing was observed for so long.
	Expiry           time.Duration
	MaxSeries        int
	MaxModels        int
	MaxModelVersions int // of one model
	MaxErrorTypes    int
}

// Labels are the attributes that all observations of one request or call
// share. The zero value is the overflow of all that has no room.
type Labels struct {
	inference.Identity
	inference.Result
}

// Dims are the values of a metric's own attributes, in the registry's order.
type Dims [3]string

// Store holds the series. It is safe for concurrent use.
type Store struct {
	cfg   Config
	Stats Stats

	mu     sync.Mutex
	sets   map[Labels]*set
	limits limiters
	// ended are series to be marked as ended in the next export that succeeds.
	ended []ended
	// placed is how many series count against the limit.
	placed int
	// confirmed is the time of the last export that succeeded.
	confirmed time.Time
}

// Stats are the store's numbers about itself.
type Stats struct {
	Series  atomic.Int64
	Expired atomic.Int64
	Limited [NumLimits]atomic.Int64
}

// set is the series with the same labels.
type set struct {
	labels Labels
	attrs  pcommon.Map
	series []*series
}

// NewStore returns an empty store.
func NewStore(cfg Config) *Store {
	return &Store{cfg: cfg, sets: make(map[Labels]*set), limits: newLimiters(&cfg)}
}

// set returns the set of labels, made if there is none.
func (s *Store) set(l Labels) *set {
	if known := s.sets[l]; known != nil {
		return known
	}
	made := &set{labels: l, attrs: s.attributes(l)}
	s.sets[l] = made
	s.limits.hold(&l)
	return made
}

// count adds n series with these labels. Those of the overflow have no room to
// take from others.
func (s *Store) count(l Labels, n int) {
	s.Stats.Series.Add(int64(n))
	if l != (Labels{}) {
		s.placed += n
	}
}

// find returns the series of the set with this key, or nil. Sets are small: a
// few dozen series of one model at most.
func (s *set) find(k key) *series {
	for _, known := range s.series {
		if known.key == k {
			return known
		}
	}
	return nil
}

// expire ends the series that were idle for too long, but none whose last
// value was not exported yet, or only while it was held at zero. It is called with the lock held.
func (s *Store) expire(now time.Time) {
	for labels, set := range s.sets {
		kept := set.series[:0]
		for _, x := range set.series {
			if now.Sub(x.last) < s.cfg.Expiry || x.last.After(s.confirmed) || s.confirmed.Sub(x.start) < s.cfg.Hold {
				kept = append(kept, x)
				continue
			}
			s.ended = append(s.ended, ended{key: x.key, labels: labels, attrs: set.attrs, start: x.start})
			s.count(labels, -1)
			s.Stats.Expired.Add(1)
		}
		clear(set.series[len(kept):])
		set.series = kept
		if len(kept) == 0 {
			delete(s.sets, labels)
			s.limits.release(&labels)
		}
	}
}
