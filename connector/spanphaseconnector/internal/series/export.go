package series

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

type attributeMap = pcommon.Map

// Export returns all series at now, and a mark for each that has expired since
// the last export that was confirmed. A new series is at zero until it has been
// held for long enough, or the export is the last.
func (s *Store) Export(now time.Time, last bool) pmetric.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	metrics := pmetric.NewMetrics()
	if len(s.sets) == 0 && len(s.ended) == 0 {
		return metrics
	}
	scope := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	scope.Scope().SetName(s.cfg.Scope)
	scope.Scope().SetVersion(s.cfg.ScopeVersion)
	w := writer{scope: scope, now: pcommon.NewTimestampFromTime(now)}
	for _, set := range s.sorted() {
		for _, x := range set.series {
			held := !last && now.Sub(x.start) < s.cfg.Hold
			w.write(set, x, held)
			x.exemplars = slices.DeleteFunc(x.exemplars, func(e exemplar) bool { return !held && now.Sub(e.at) > exemplarAge })
		}
	}
	// An exporter that stops at a mark must have seen what lives before it.
	w.byMetric = [inference.NumMetrics]pmetric.Metric{}
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
	s.ended = nil
}

// sorted returns the sets in an order that stays from export to export.
func (s *Store) sorted() []*set {
	list := make([]*set, 0, len(s.sets))
	for _, set := range s.sets {
		list = append(list, set)
	}
	slices.SortFunc(list, func(a, b *set) int {
		x, y := &a.labels, &b.labels
		return cmp.Or(
			cmp.Compare(x.ServiceName, y.ServiceName), cmp.Compare(x.ServiceNamespace, y.ServiceNamespace),
			cmp.Compare(x.Environment, y.Environment), cmp.Compare(x.Model, y.Model),
			cmp.Compare(x.ModelVersion, y.ModelVersion), cmp.Compare(x.Engine, y.Engine),
			cmp.Compare(x.Outcome, y.Outcome), cmp.Compare(x.ErrorType, y.ErrorType), cmp.Compare(x.Streaming, y.Streaming),
		)
	})
	return list
}

// writer writes data points, one Metric for each registry entry.
type writer struct {
	scope    pmetric.ScopeMetrics
	now      pcommon.Timestamp
	byMetric [inference.NumMetrics]pmetric.Metric
}

func (w *writer) metric(id inference.MetricID) pmetric.Metric {
	if w.byMetric[id] != (pmetric.Metric{}) {
		return w.byMetric[id]
	}
	entry, m := inference.Registry(id), w.scope.Metrics().AppendEmpty()
	m.SetName(entry.Name)
	m.SetUnit(entry.Unit)
	m.SetDescription(entry.Description)
	if entry.Histogram() {
		m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	} else {
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	}
	w.byMetric[id] = m
	return m
}

func (w *writer) write(set *set, x *series, held bool) {
	if x.bounds == nil {
		p := w.metric(x.key.metric).Sum().DataPoints().AppendEmpty()
		w.place(p, set.attrs, x.key, x.start)
		if !held {
			p.SetDoubleValue(x.sum)
		} else {
			p.SetDoubleValue(0)
		}
		return
	}
	p := w.metric(x.key.metric).Histogram().DataPoints().AppendEmpty()
	w.place(p, set.attrs, x.key, x.start)
	p.ExplicitBounds().FromRaw(x.bounds)
	if held {
		p.BucketCounts().FromRaw(make([]uint64, len(x.buckets)))
		p.SetSum(0)
		return
	}
	p.BucketCounts().FromRaw(x.buckets)
	p.SetCount(x.count)
	p.SetSum(x.sum)
	for i := range x.exemplars {
		e := &x.exemplars[i]
		to := p.Exemplars().AppendEmpty()
		to.SetDoubleValue(e.value)
		to.SetTimestamp(pcommon.NewTimestampFromTime(e.at))
		to.SetTraceID(e.traceID)
		to.SetSpanID(e.spanID)
	}
}

// writeEnd writes the mark that a series is no more.
func (w *writer) writeEnd(e *ended) {
	none := pmetric.DefaultDataPointFlags.WithNoRecordedValue(true)
	if inference.Registry(e.key.metric).Histogram() {
		p := w.metric(e.key.metric).Histogram().DataPoints().AppendEmpty()
		w.place(p, e.attrs, e.key, e.start)
		p.SetFlags(none)
		return
	}
	p := w.metric(e.key.metric).Sum().DataPoints().AppendEmpty()
	w.place(p, e.attrs, e.key, e.start)
	p.SetFlags(none)
}

// dataPoint is what the kinds of data points have in common.
type dataPoint interface {
	Attributes() pcommon.Map
	SetStartTimestamp(pcommon.Timestamp)
	SetTimestamp(pcommon.Timestamp)
}

func (w *writer) place(p dataPoint, attrs pcommon.Map, k key, start time.Time) {
	p.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	p.SetTimestamp(w.now)
	own := inference.Registry(k.metric).Attributes
	attrs.CopyTo(p.Attributes())
	for i, name := range own {
		p.Attributes().PutStr(name, k.dims[i])
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
	put(inference.AttrModelName, l.Model)
	put(inference.AttrModelVersion, l.ModelVersion)
	put(inference.AttrEngine, l.Engine)
	put(inference.AttrOutcome, l.Outcome.String())
	put(inference.AttrErrorType, l.ErrorType)
	if l.Streaming != inference.Unknown {
		m.PutBool(inference.AttrStreaming, l.Streaming == inference.Yes)
	}
	return m
}
