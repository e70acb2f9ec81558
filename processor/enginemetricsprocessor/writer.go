package enginemetricsprocessor

import (
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/engines"
)

// writer makes the vocabulary of one resource.
type writer struct {
	cfg      *Config
	resource pcommon.Map
	metrics  pmetric.MetricSlice
	byTarget map[target]*written

	attrs []engines.Attribute // of the point in hand
	key   []byte

	readPoints map[string]int
	skipped    map[skip]int
}

// target is a metric of the vocabulary. Deltas and totals are never added.
type target struct {
	*inference.ServerMetric
	temporality pmetric.AggregationTemporality
}

// written is a metric of the vocabulary and its points.
type written struct {
	numbers    pmetric.NumberDataPointSlice
	histograms pmetric.HistogramDataPointSlice
	points     map[string]place
}

// place is where a point is, and the row that it came from.
type place struct{ index, order int }

type skip struct{ engine, reason string }

// The reasons for which a point is not taken.
const (
	differentBounds = "different_bounds"
	differentType   = "different_type"
	invalidValue    = "invalid_value"
	nativeHistogram = "native_histogram"
)

func newWriter(cfg *Config, resource pcommon.Map) *writer {
	return &writer{
		cfg: cfg, resource: resource, metrics: pmetric.NewMetricSlice(), byTarget: map[target]*written{},
		readPoints: map[string]int{}, skipped: map[skip]int{},
	}
}

// read takes the points of a metric.
func (w *writer) read(f *found) {
	histogram := f.row.To.Kind == inference.KindHistogram
	switch f.metric.Type() {
	case pmetric.MetricTypeGauge:
		if histogram || f.row.To.Kind == inference.KindCounter {
			w.skip(f, differentType, f.metric.Gauge().DataPoints().Len())
			return
		}
		w.readNumbers(f, f.metric.Gauge().DataPoints(), pmetric.AggregationTemporalityCumulative)
	case pmetric.MetricTypeSum:
		if histogram {
			w.skip(f, differentType, f.metric.Sum().DataPoints().Len())
			return
		}
		w.readNumbers(f, f.metric.Sum().DataPoints(), f.metric.Sum().AggregationTemporality())
	case pmetric.MetricTypeHistogram:
		if !histogram {
			w.skip(f, differentType, f.metric.Histogram().DataPoints().Len())
			return
		}
		w.readHistograms(f)
	case pmetric.MetricTypeExponentialHistogram:
		w.skip(f, nativeHistogram, f.metric.ExponentialHistogram().DataPoints().Len())
	case pmetric.MetricTypeSummary:
		w.skip(f, differentType, f.metric.Summary().DataPoints().Len())
	}
}

func (w *writer) skip(f *found, reason string, points int) {
	if points > 0 {
		w.skipped[skip{f.engine.Name, reason}] += points
	}
}

func (w *writer) readNumbers(f *found, points pmetric.NumberDataPointSlice, temporality pmetric.AggregationTemporality) {
	to := w.target(f, temporality)
	for _, p := range points.All() {
		if !f.takes(p.Attributes()) {
			continue
		}
		value := p.DoubleValue()
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			value = float64(p.IntValue())
		}
		value = f.scaled(value)
		stale := p.Flags().NoRecordedValue()
		if !stale && (math.IsNaN(value) || math.IsInf(value, 0) || value < 0) {
			w.skip(f, invalidValue, 1)
			continue
		}
		w.describe(f, p.Attributes(), w.cfg.Ranks == Keep)
		at, is := w.find(to, f, to.numbers.Len())
		if is == another {
			continue
		}
		w.readPoints[f.engine.Name]++
		if is == absent {
			n := to.numbers.AppendEmpty()
			w.label(n.Attributes())
			n.SetStartTimestamp(p.StartTimestamp())
			n.SetTimestamp(p.Timestamp())
			n.SetDoubleValue(value)
			n.SetFlags(p.Flags())
			continue
		}
		n := to.numbers.At(at)
		n.SetTimestamp(max(n.Timestamp(), p.Timestamp()))
		switch {
		case stale:
		case n.Flags().NoRecordedValue():
			n.SetFlags(p.Flags())
			n.SetStartTimestamp(p.StartTimestamp())
			n.SetDoubleValue(value)
		case f.row.To.Max:
			n.SetDoubleValue(max(n.DoubleValue(), value))
		default:
			n.SetStartTimestamp(min(n.StartTimestamp(), p.StartTimestamp()))
			n.SetDoubleValue(n.DoubleValue() + value)
		}
	}
}

// takes reports whether a row reads a point.
func (f *found) takes(labels pcommon.Map) bool {
	for _, copied := range f.engine.Copies {
		if rank := value(labels, copied); rank != "" && rank != "0" {
			return false
		}
	}
	for _, l := range f.row.Only {
		if value(labels, l.Key) != l.Value {
			return false
		}
	}
	for _, l := range f.row.Not {
		if value(labels, l.Key) == l.Value {
			return false
		}
	}
	return true
}

func (f *found) scaled(v float64) float64 {
	if f.row.Times != 0 {
		v *= f.row.Times
	}
	if f.row.Per != 0 {
		v /= f.row.Per
	}
	return v
}

// target returns the metric of the vocabulary that a row writes.
func (w *writer) target(f *found, temporality pmetric.AggregationTemporality) *written {
	t := target{f.row.To, temporality}
	if to := w.byTarget[t]; to != nil {
		return to
	}
	to := &written{points: map[string]place{}}
	w.byTarget[t] = to
	m := w.metrics.AppendEmpty()
	m.SetName(t.Name)
	m.SetUnit(t.Unit)
	m.SetDescription(t.Description)
	switch t.Kind {
	case inference.KindGauge:
		to.numbers = m.SetEmptyGauge().DataPoints()
	case inference.KindCounter, inference.KindUpDownCounter:
		m.SetEmptySum().SetIsMonotonic(t.Kind == inference.KindCounter)
		m.Sum().SetAggregationTemporality(temporality)
		to.numbers = m.Sum().DataPoints()
	case inference.KindHistogram:
		m.SetEmptyHistogram().SetAggregationTemporality(temporality)
		to.histograms = m.Histogram().DataPoints()
	}
	return to
}

// The answers of find.
type is uint8

const (
	absent  is = iota // and is now taken, for the point at the end
	there             // of the same row
	another           // of a row that is preferred
)

// find looks for the point with the attributes in hand.
func (w *writer) find(to *written, f *found, end int) (at int, _ is) {
	w.key = w.key[:0]
	for _, a := range w.attrs {
		w.key = append(append(append(append(w.key, a.Key...), 0), a.Value...), 0)
	}
	p, ok := to.points[string(w.key)]
	switch {
	case !ok:
		to.points[string(w.key)] = place{end, f.order}
		return end, absent
	case p.order != f.order:
		return 0, another
	default:
		return p.index, there
	}
}

// describe sets the attributes in hand to those of a point, in order; apart tells its rank.
func (w *writer) describe(f *found, labels pcommon.Map, apart bool) {
	w.attrs = append(w.attrs[:0], f.row.Set...)
	if !f.engine.Hardware {
		w.add(inference.AttrEngine, f.engine.Name)
		w.add(inference.AttrRole, f.engine.Role)
		w.add(inference.AttrModelName, w.model(f.engine, labels))
		w.add(inference.AttrModelVersion, first(labels, f.engine.Version))
	}
	for _, l := range f.engine.Labels {
		w.add(l.Value, value(labels, l.Key))
	}
	if o := f.row.Outcome; o != nil {
		w.attrs = append(w.attrs, o.Of(value(labels, o.Label))...)
	}
	if apart {
		w.add(inference.AttrRank, ranks(f.engine, labels))
	}
	slices.SortFunc(w.attrs, func(a, b engines.Attribute) int { return strings.Compare(a.Key, b.Key) })
}

func (w *writer) add(key, value string) {
	if value != "" {
		w.attrs = append(w.attrs, engines.Attribute{Key: key, Value: value})
	}
}

func (w *writer) label(m pcommon.Map) {
	m.EnsureCapacity(len(w.attrs))
	for _, a := range w.attrs {
		m.PutStr(a.Key, a.Value)
	}
}

// modelLabels are where a site names the model of an engine that does not: on its scrape job, or
// on the resource.
var modelLabels = []string{"model_name", "model", inference.AttrModelName, "gen_ai.request.model"}

// model returns the name of the model, which is never empty.
func (w *writer) model(e *engines.Engine, labels pcommon.Map) string {
	for _, s := range []string{first(labels, e.Model), first(labels, modelLabels), first(w.resource, modelLabels), w.cfg.DefaultModel} {
		if s != "" {
			return strings.ToValidUTF8(s, "\uFFFD")
		}
	}
	return inference.UnknownModel
}

// ranks returns the ranks of a point; of several in the order of the table.
func ranks(e *engines.Engine, labels pcommon.Map) string {
	var list []string
	for _, label := range e.Ranks {
		if s := value(labels, label); s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, ",")
}

// first returns the value of the first label that has one.
func first(labels pcommon.Map, keys []string) string {
	for _, key := range keys {
		if s := value(labels, key); s != "" {
			return s
		}
	}
	return ""
}

func value(labels pcommon.Map, key string) string {
	v, ok := labels.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}
