// Package series keeps what was observed as series, bounded in number and in
// time, and writes them as metrics.
package series

import (
	"slices"
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
	// Metrics are those of the registry, by their id.
	Metrics []Metric
	// Delta says that an export brings what was observed since the one before;
	// else it brings all since the start of the series. Hold is for the latter.
	Delta bool
	// Hold is how long a new series is exported at zero: rate() needs a first
	// value to count from.
	Hold time.Duration
	// Expiry ends a series for which nothing was observed for so long.
	Expiry           time.Duration
	MaxSeries        int
	MaxModels        int
	MaxModelVersions int // of one model
	MaxErrorTypes    int
	// Dimensions are those of inference.Dimensions.
	Dimensions []Dimension
	// SemconvValues is how many values an attribute of the semantic conventions
	// has that names no model.
	SemconvValues int
	// Bands are those of the input's length; nil: points do not tell it.
	Bands Bands
}

// Dimension is one that a site configures.
type Dimension struct {
	Name string
	// MaxValues is how many values have series of their own.
	MaxValues int
}

// Labels are the attributes that all observations of one request or call
// share. The zero value is the overflow of all that has no room.
type Labels struct {
	inference.Identity
	inference.Result
	Band string // of the input's length, see Store.Band
	// Semconv, of metrics of the semantic conventions, are their attributes. They
	// have no other of the model and the outcome but error.type.
	Semconv inference.Dimensions
}

// Dims are the values of a metric's own attributes, in the registry's order.
type Dims [3]string

// Store holds the series. It is safe for concurrent use. Exports are one after
// the other; Confirm and Refuse are about the latest.
type Store struct {
	cfg   Config
	Stats Stats

	mu     sync.Mutex
	sets   map[Labels]*set
	recent [8]*set // that were observed
	oldest int     // of recent
	order  []*set  // the sets as they were made, and those that are gone since the last export
	limits limiters
	// ended are series to be marked as ended in the next export that succeeds.
	ended []ended
	// placed is how many series count against the limit.
	placed int

	exporting sync.Mutex // held before mu

	// confirmed is the time of the last export that succeeded.
	confirmed time.Time
	// exported is from when on a delta counts: the last export that succeeded,
	// or the first observation.
	exported time.Time
	exports  uint64   // the number of the latest; with exporting held
	scratch  []values // of cumulative exports; with exporting held
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
	gone   bool
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
	s.order = append(s.order, made)
	s.limits.hold(&l)
	return made
}

// open adds a series to a set.
func (s *Store) open(set *set, k key, now time.Time) *series {
	m := &s.cfg.Metrics[k.metric]
	x := &series{key: k, start: now, values: newValues(m)}
	if s.cfg.Delta {
		sent := newValues(m)
		x.sent = &sent
	}
	if s.exported.IsZero() {
		s.exported = now
	}
	set.series = append(set.series, x)
	s.count(set.labels, 1)
	// It lives again before its end was told.
	s.ended = slices.DeleteFunc(s.ended, func(e ended) bool { return e.key == k && e.labels == set.labels })
	return x
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
func (s *set) find(k *key) *series {
	for _, known := range s.series {
		if known.key.metric == k.metric && known.key.dims == k.dims {
			return known
		}
	}
	return nil
}

// expire ends the series of a set that were idle for too long, but none whose
// last value was not exported yet, or only while it was held at zero. It is
// called with the lock held.
func (s *Store) expire(now time.Time, set *set) {
	kept := set.series[:0]
	for _, x := range set.series {
		if now.Sub(x.last) < s.cfg.Expiry || !s.seen(x) {
			kept = append(kept, x)
			continue
		}
		if !s.cfg.Delta {
			s.ended = append(s.ended, ended{key: x.key, labels: set.labels, attrs: set.attrs, start: x.start})
		}
		s.count(set.labels, -1)
		s.Stats.Expired.Add(1)
	}
	clear(set.series[len(kept):])
	set.series = kept
	if len(kept) == 0 {
		set.gone = true
		delete(s.sets, set.labels)
		s.limits.release(&set.labels)
	}
}

// seen reports whether the last value of x was exported, and not as zero.
func (s *Store) seen(x *series) bool {
	if s.cfg.Delta {
		return x.count == 0
	}
	return !x.last.After(s.confirmed) && s.confirmed.Sub(x.start) >= s.cfg.Hold
}
