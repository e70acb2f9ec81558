package enginemetricsprocessor

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/engines"
	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/metadata"
)

// normalizer is the processor. It keeps nothing from one batch to the next and is safe for
// concurrent use.
type normalizer struct {
	cfg       *Config
	telemetry *metadata.TelemetryBuilder
	// known are the rows by the name of their metric, without _total.
	known map[string][]candidate
}

// candidate is a row that a metric may be.
type candidate struct {
	engine *engines.Engine
	order  int // of engine and row: the lower one is preferred
	prefix string
	row    *engines.Row
}

func newNormalizer(set component.TelemetrySettings, cfg *Config) (*normalizer, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	n := &normalizer{cfg: cfg, telemetry: telemetry, known: map[string][]candidate{}}
	order := 0
	for _, e := range engines.All() {
		if len(cfg.Engines) > 0 && !slices.Contains(cfg.Engines, e.Name) {
			continue
		}
		for i := range e.Rows {
			order++
			for _, prefix := range e.Prefixes {
				name := prefix + e.Rows[i].From
				n.known[name] = append(n.known[name], candidate{e, order, prefix, &e.Rows[i]})
			}
		}
	}
	return n, nil
}

func (n *normalizer) shutdown(context.Context) error {
	n.telemetry.Shutdown()
	return nil
}

// found is a metric that a row reads.
type found struct {
	candidate
	metric pmetric.Metric
}

const total = "_total"

func (n *normalizer) process(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	for _, rm := range md.ResourceMetrics().All() {
		if list := n.find(rm); len(list) > 0 {
			n.write(ctx, rm, list)
		}
	}
	return md, nil
}

// find returns what is known of a resource's metrics, in the order of their rows.
func (n *normalizer) find(rm pmetric.ResourceMetrics) (list []found) {
	names := page{rm: rm}
	for _, sm := range rm.ScopeMetrics().All() {
		if sm.Scope().Name() == metadata.ScopeName {
			continue // was here before
		}
		for _, m := range sm.Metrics().All() {
			for _, c := range n.known[strings.TrimSuffix(m.Name(), total)] {
				if names.fits(c) {
					list = append(list, found{c, m})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return a.order - b.order })
	return list
}

// page is the names of a resource's metrics, which are read when they are needed.
type page struct {
	rm    pmetric.ResourceMetrics
	names map[string]bool
}

// fits reports whether a page can be that of an engine.
func (p *page) fits(c candidate) bool {
	if len(c.engine.Requires) == 0 && len(c.engine.Lacks) == 0 {
		return true
	}
	if p.names == nil {
		p.names = map[string]bool{}
		for _, sm := range p.rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				p.names[strings.TrimSuffix(m.Name(), total)] = true
			}
		}
	}
	for _, name := range c.engine.Requires {
		if !p.names[c.prefix+name] {
			return false
		}
	}
	for _, name := range c.engine.Lacks {
		if p.names[c.prefix+name] {
			return false
		}
	}
	return true
}

// write appends the vocabulary to a resource.
func (n *normalizer) write(ctx context.Context, rm pmetric.ResourceMetrics, list []found) {
	w := newWriter(n.cfg, rm.Resource().Attributes())
	for i := range list {
		w.read(&list[i])
	}
	if n.cfg.Originals == Drop {
		read := map[pmetric.Metric]bool{}
		for i := range list {
			read[list[i].metric] = true
		}
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return read[m] })
			return sm.Metrics().Len() == 0
		})
	}
	w.metrics.RemoveIf(empty)
	for _, m := range w.metrics.All() {
		liveFirst(m)
	}
	if w.metrics.Len() > 0 {
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(metadata.ScopeName)
		w.metrics.MoveAndAppendTo(sm.Metrics())
	}
	for engine, points := range w.readPoints {
		n.telemetry.ProcessorEngineMetricsReadPoints.Add(ctx, int64(points), metric.WithAttributeSet(attribute.NewSet(attribute.String("engine", engine))))
	}
	for skip, points := range w.skipped {
		n.telemetry.ProcessorEngineMetricsSkippedPoints.Add(ctx, int64(points), metric.WithAttributeSet(attribute.NewSet(
			attribute.String("engine", skip.engine), attribute.String("reason", skip.reason))))
	}
}

// empty reports whether no point of a row was for a metric.
func empty(m pmetric.Metric) bool {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().Len() == 0
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().Len() == 0
	default:
		return m.Histogram().DataPoints().Len() == 0
	}
}

// liveFirst puts points without a value behind the others: the prometheus exporter (v0.159) leaves
// out what comes behind one.
func liveFirst(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		m.Gauge().DataPoints().Sort(numberLess)
	case pmetric.MetricTypeSum:
		m.Sum().DataPoints().Sort(numberLess)
	default:
		m.Histogram().DataPoints().Sort(func(a, b pmetric.HistogramDataPoint) bool {
			return !a.Flags().NoRecordedValue() && b.Flags().NoRecordedValue()
		})
	}
}

func numberLess(a, b pmetric.NumberDataPoint) bool {
	return !a.Flags().NoRecordedValue() && b.Flags().NoRecordedValue()
}
