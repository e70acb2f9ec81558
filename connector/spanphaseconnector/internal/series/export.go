package series

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Export returns the series at now. Cumulative: all of them, and a mark for
// each that has expired since the last export that was confirmed; a new series
// is at zero until it has been held for long enough, or the export is the last.
// Delta: those that counted since the last export.
//
// Confirm or Refuse must follow, before the next. Observers wait for one set of
// series to be copied, never for the metrics to be built.
func (s *Store) Export(now time.Time, last bool) pmetric.Metrics {
	s.exporting.Lock()
	defer s.exporting.Unlock()
	metrics := pmetric.NewMetrics()
	w := writer{store: s, metrics: metrics, now: pcommon.NewTimestampFromTime(now)}
	s.exports++
	for _, set := range s.sorted() {
		s.mu.Lock()
		s.expire(now, set)
		w.take(set, now, last)
		s.mu.Unlock()
		for i := range w.taken {
			w.write(set.attrs, &w.taken[i])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = slices.DeleteFunc(s.order, func(set *set) bool { return set.gone })
	// An exporter that stops at a mark must have seen what lives before it.
	w.byMetric = nil
	for i := range s.ended {
		w.writeEnd(&s.ended[i])
	}
	return metrics
}

// Confirm says that the export of now succeeded. Until it comes, no series
// expires whose last value is unseen, and the marks are exported again.
func (s *Store) Confirm(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirmed = now
	s.exported = now
	s.ended = nil
}

// Refuse says that the export failed. What a delta would have brought, the next
// one brings.
func (s *Store) Refuse() {
	if !s.cfg.Delta {
		return
	}
	s.exporting.Lock()
	defer s.exporting.Unlock()
	for _, set := range s.copyOrder() {
		s.mu.Lock()
		for _, x := range set.series {
			if x.sentBy == s.exports {
				x.add(&s.cfg.Metrics[x.key.metric], x.sent)
			}
		}
		s.mu.Unlock()
	}
}

func (s *Store) copyOrder() []*set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.order)
}

// sorted returns the sets in an order that stays from export to export.
func (s *Store) sorted() []*set {
	list := s.copyOrder()
	slices.SortFunc(list, func(a, b *set) int {
		x, y := &a.labels, &b.labels
		return cmp.Or(
			cmp.Compare(x.ServiceName, y.ServiceName), cmp.Compare(x.ServiceNamespace, y.ServiceNamespace),
			cmp.Compare(x.Environment, y.Environment), cmp.Compare(x.Model, y.Model),
			cmp.Compare(x.ModelVersion, y.ModelVersion), cmp.Compare(x.Engine, y.Engine),
			cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.ErrorType, y.ErrorType), cmp.Compare(x.Streaming, y.Streaming),
			cmp.Compare(x.Dimensions, y.Dimensions), cmp.Compare(x.Band, y.Band),
			cmp.Compare(x.Semconv, y.Semconv),
		)
	})
	return list
}

// writer writes data points, one Metric for each of the store.
type writer struct {
	store    *Store
	metrics  pmetric.Metrics
	now      pcommon.Timestamp
	byMetric []pmetric.Metric
	taken    []taken // of one set
}

// take copies what there is to write of a set.
func (w *writer) take(set *set, now time.Time, last bool) {
	s := w.store
	for len(s.scratch) < len(set.series) && !s.cfg.Delta {
		s.scratch = append(s.scratch, values{})
	}
	w.taken = w.taken[:0]
	for i, x := range set.series {
		var scratch *values
		if !s.cfg.Delta {
			scratch = &s.scratch[i]
		}
		if t, ok := x.take(s, now, last, scratch); ok {
			w.taken = append(w.taken, t)
		}
	}
}

func (w *writer) metric(id inference.MetricID) pmetric.Metric {
	if w.byMetric == nil {
		w.byMetric = make([]pmetric.Metric, len(w.store.cfg.Metrics))
	}
	if w.byMetric[id] != (pmetric.Metric{}) {
		return w.byMetric[id]
	}
	temporality := pmetric.AggregationTemporalityCumulative
	if w.store.cfg.Delta {
		temporality = pmetric.AggregationTemporalityDelta
	}
	entry, m := &w.store.cfg.Metrics[id], w.scope().Metrics().AppendEmpty()
	m.SetName(entry.Name)
	m.SetUnit(entry.Unit)
	m.SetDescription(entry.Description)
	switch entry.Kind {
	case Explicit:
		m.SetEmptyHistogram().SetAggregationTemporality(temporality)
	case Exponential:
		m.SetEmptyExponentialHistogram().SetAggregationTemporality(temporality)
	default:
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(temporality)
	}
	w.byMetric[id] = m
	return m
}

// scope returns the scope of all metrics, made for the first.
func (w *writer) scope() pmetric.ScopeMetrics {
	if w.metrics.ResourceMetrics().Len() > 0 {
		return w.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0)
	}
	scope := w.metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	scope.Scope().SetName(w.store.cfg.Scope)
	scope.Scope().SetVersion(w.store.cfg.ScopeVersion)
	return scope
}

func (w *writer) write(attrs pcommon.Map, t *taken) {
	m, entry := w.metric(t.key.metric), &w.store.cfg.Metrics[t.key.metric]
	switch entry.Kind {
	case Explicit:
		p := m.Histogram().DataPoints().AppendEmpty()
		w.place(p, attrs, &t.key, t.start)
		p.ExplicitBounds().FromRaw(entry.Bounds)
		p.BucketCounts().FromRaw(t.buckets)
		p.SetCount(t.count)
		p.SetSum(t.sum)
		t.exemplars.write(p.Exemplars())
	case Exponential:
		p, x := m.ExponentialHistogram().DataPoints().AppendEmpty(), &t.exponential
		w.place(p, attrs, &t.key, t.start)
		p.SetScale(x.scale)
		p.SetZeroCount(x.zero)
		p.Positive().SetOffset(x.start)
		p.Positive().BucketCounts().FromRaw(x.counts)
		p.SetCount(t.count)
		p.SetSum(t.sum)
		t.exemplars.write(p.Exemplars())
	default:
		p := m.Sum().DataPoints().AppendEmpty()
		w.place(p, attrs, &t.key, t.start)
		p.SetDoubleValue(t.sum)
	}
}

func (x *exemplars) write(to pmetric.ExemplarSlice) {
	for i := range x.list {
		e := &x.list[i]
		if e.at == 0 {
			continue
		}
		p := to.AppendEmpty()
		p.SetDoubleValue(e.value)
		p.SetTimestamp(pcommon.Timestamp(e.at))
		p.SetTraceID(e.traceID)
		p.SetSpanID(e.spanID)
	}
}

// writeEnd writes the mark that a series is no more.
func (w *writer) writeEnd(e *ended) {
	none := pmetric.DefaultDataPointFlags.WithNoRecordedValue(true)
	m := w.metric(e.key.metric)
	switch w.store.cfg.Metrics[e.key.metric].Kind {
	case Explicit:
		p := m.Histogram().DataPoints().AppendEmpty()
		w.place(p, e.attrs, &e.key, e.start)
		p.SetFlags(none)
	case Exponential:
		p := m.ExponentialHistogram().DataPoints().AppendEmpty()
		w.place(p, e.attrs, &e.key, e.start)
		p.SetFlags(none)
	default:
		p := m.Sum().DataPoints().AppendEmpty()
		w.place(p, e.attrs, &e.key, e.start)
		p.SetFlags(none)
	}
}

// dataPoint is what the kinds of data points have in common.
type dataPoint interface {
	Attributes() pcommon.Map
	SetStartTimestamp(pcommon.Timestamp)
	SetTimestamp(pcommon.Timestamp)
}

func (w *writer) place(p dataPoint, attrs pcommon.Map, k *key, start time.Time) {
	p.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	p.SetTimestamp(w.now)
	own := w.store.cfg.Metrics[k.metric].Attributes
	to := p.Attributes()
	to.EnsureCapacity(attrs.Len() + len(own))
	attrs.CopyTo(to)
	for i, name := range own {
		to.PutStr(name, k.dims[i])
	}
}

// attributes returns the labels as data point attributes: on a Prometheus page
// resource attributes are no labels, and two resources would be one series.
func (s *Store) attributes(l Labels) pcommon.Map {
	m := pcommon.NewMap()
	put := func(name, value string) {
		if value != "" {
			m.PutStr(name, value)
		}
	}
	put(inference.AttrInstanceID, s.cfg.InstanceID)
	if l == (Labels{}) {
		m.PutBool(inference.AttrOverflow, true)
		return m
	}
	put(inference.AttrServiceName, l.ServiceName)
	put(inference.AttrServiceNamespace, l.ServiceNamespace)
	put(inference.AttrEnvironment, l.Environment)
	if l.Semconv == "" {
		put(inference.AttrModelName, l.Model)
		put(inference.AttrModelVersion, l.ModelVersion)
		put(inference.AttrEngine, l.Engine)
		put(inference.AttrOutcome, l.Outcome.String())
	}
	put(inference.AttrErrorType, l.ErrorType)
	if l.Streaming != inference.Unknown {
		m.PutBool(inference.AttrStreaming, l.Streaming == inference.Yes)
	}
	put(inference.AttrInputLengthBand, l.Band)
	for rest, i := l.Dimensions, 0; rest != ""; i++ {
		var value string
		value, rest = rest.Cut()
		put(s.cfg.Dimensions[i].Name, value)
	}
	for rest, i := l.Semconv, 0; rest != ""; i++ {
		var value string
		value, rest = rest.Cut()
		if port, err := strconv.Atoi(value); err == nil && i == inference.SemconvServerPort {
			m.PutInt(inference.SemconvAttributes[i].Name, int64(port))
		} else {
			put(inference.SemconvAttributes[i].Name, value)
		}
	}
	return m
}
