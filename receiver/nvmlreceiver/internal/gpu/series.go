package gpu

import (
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// series remembers which series the last scrape had, to end those that the next one lacks: a
// Prometheus page would go on showing the last utilization of a GPU that is lost.
type series struct {
	seed  maphash.Seed
	round uint64
	known map[uint64]*ended
}

// ended is what a marker of the end of a series needs.
type ended struct {
	metric pmetric.Metric // without points
	attrs  pcommon.Map
	round  uint64
}

func newSeries() *series {
	return &series{seed: maphash.MakeSeed(), known: map[uint64]*ended{}}
}

// end appends markers for the series that out lacks, in metrics of their own after the live
// ones: Prometheus exporters skip what follows a marker within a metric.
func (s *series) end(out pmetric.Metrics, now pcommon.Timestamp) {
	s.round++
	for _, rm := range out.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				s.note(m)
			}
		}
	}
	for key, e := range s.known {
		if e.round == s.round {
			continue
		}
		delete(s.known, key)
		m := scope(out).Metrics().AppendEmpty()
		e.metric.MoveTo(m)
		p := points(m).AppendEmpty()
		p.SetTimestamp(now)
		p.SetStartTimestamp(now)
		p.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
		e.attrs.MoveTo(p.Attributes())
	}
}

func (s *series) note(m pmetric.Metric) {
	for _, p := range points(m).All() {
		key := s.key(m.Name(), p.Attributes())
		if e, ok := s.known[key]; ok {
			e.round = s.round
			continue
		}
		e := &ended{metric: bare(m), attrs: pcommon.NewMap(), round: s.round}
		p.Attributes().CopyTo(e.attrs)
		s.known[key] = e
	}
}

// key hashes in the order of the attributes, which is the same for each point of a metric.
func (s *series) key(name string, attrs pcommon.Map) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	_, _ = h.WriteString(name)
	for k, v := range attrs.All() {
		_, _ = h.WriteString(k)
		_ = h.WriteByte(0)
		if v.Type() == pcommon.ValueTypeInt {
			maphash.WriteComparable(&h, v.Int())
		} else {
			_, _ = h.WriteString(v.Str())
		}
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// bare is a metric without its points.
func bare(m pmetric.Metric) pmetric.Metric {
	b := pmetric.NewMetric()
	b.SetName(m.Name())
	b.SetDescription(m.Description())
	b.SetUnit(m.Unit())
	if m.Type() == pmetric.MetricTypeSum {
		sum := b.SetEmptySum()
		sum.SetIsMonotonic(m.Sum().IsMonotonic())
		sum.SetAggregationTemporality(m.Sum().AggregationTemporality())
	} else {
		b.SetEmptyGauge()
	}
	return b
}

func points(m pmetric.Metric) pmetric.NumberDataPointSlice {
	if m.Type() == pmetric.MetricTypeSum {
		return m.Sum().DataPoints()
	}
	return m.Gauge().DataPoints()
}

// scope is the one scope of a scrape, made if there is none yet.
func scope(out pmetric.Metrics) pmetric.ScopeMetrics {
	if out.ResourceMetrics().Len() == 0 {
		return out.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	}
	return out.ResourceMetrics().At(0).ScopeMetrics().At(0)
}
