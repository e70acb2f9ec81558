package series

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Observer records the observations of one request. It holds the store's lock
// until Done.
type Observer struct {
	store    *Store
	now      time.Time
	set      *set
	limited  [NumLimits]bool
	exemplar exemplar
}

// Observer returns an observer for what happened at now. Done must be called.
func (s *Store) Observer(now time.Time) Observer {
	s.mu.Lock()
	return Observer{store: s, now: now}
}

// Done ends the observation.
func (o *Observer) Done() { o.store.mu.Unlock() }

// Of sets the labels and the span of the records that follow.
func (o *Observer) Of(l Labels, traceID [16]byte, spanID [8]byte) {
	s := o.store
	o.exemplar = exemplar{at: o.now.UnixNano(), traceID: traceID, spanID: spanID}
	o.limited = [NumLimits]bool{}
	if o.set = s.known(&l); o.set != nil {
		return // its values have their room
	}
	o.limited = s.limits.fit(&l)
	if known := s.sets[l]; known != nil || s.room() {
		o.set = s.set(l)
	}
}

// known returns the set with these labels, nil if there is none. Mostly it is one of the latest:
// to compare them is less than to hash them.
func (s *Store) known(l *Labels) *set {
	for _, set := range s.recent {
		if set != nil && !set.gone && set.labels == *l {
			return set
		}
	}
	set := s.sets[*l]
	if set != nil {
		s.recent[s.oldest] = set
		s.oldest = (s.oldest + 1) % len(s.recent)
	}
	return set
}

func (s *Store) room() bool { return s.placed < s.cfg.MaxSeries }

// Record observes a value of a metric: a histogram takes it in, a counter adds
// it. Values are finite and not below zero.
func (o *Observer) Record(id inference.MetricID, value float64, dims Dims) {
	s, m := o.store, &o.store.cfg.Metrics[id]
	if m.Kind == Disabled {
		return
	}
	k := key{metric: id, dims: dims}
	var x *series
	if o.set != nil {
		x = o.set.find(&k)
		if x == nil && s.room() {
			x = s.open(o.set, k, o.now)
		}
	}
	if x == nil {
		x = s.overflow(&k, o.now)
	}
	for limit, reached := range o.limited {
		if reached {
			s.Stats.Limited[limit].Add(1)
		}
	}
	o.exemplar.value = value
	x.last = o.now
	x.record(m, &o.exemplar)
}

// overflow returns the series for what has no room. They are few, as their
// only attributes are those of the metric itself, and outside the limit.
func (s *Store) overflow(k *key, now time.Time) *series {
	s.Stats.Limited[LimitSeries].Add(1)
	set := s.set(Labels{})
	if x := set.find(k); x != nil {
		return x
	}
	return s.open(set, *k, now)
}
