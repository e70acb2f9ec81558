package spanphaseconnector

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// MeasureConfig is a histogram of what spans of one service alone state.
type MeasureConfig struct {
	// Name of the metric.
	Name string `mapstructure:"name"`
	// Value is an OTTL expression on spans: a number, or nothing.
	Value string `mapstructure:"value"`
	// Unit in UCUM, such as s, By, 1 or {item}.
	Unit string `mapstructure:"unit"`
	// Bounds are its bucket bounds; those of durations and of shares are known.
	Bounds []float64 `mapstructure:"bounds"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// maxMeasures is how many measures there may be: each is evaluated for each span.
const maxMeasures = 20

// shareBounds are the bounds of a measure from 0 to 1 that has none of its own.
var shareBounds = []float64{0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}

// definition returns the metric of a measure; without bounds where none are known.
func (m *MeasureConfig) definition() *inference.Metric {
	d := &inference.Metric{Name: m.Name, Unit: m.Unit, Bounds: m.Bounds, Description: "Measure of this site: " + m.Value}
	switch {
	case len(m.Bounds) > 0:
	case m.Unit == "s":
		d.Bounds = inference.Registry(inference.MetricPhaseDuration).Bounds
	case m.Unit == "1":
		d.Bounds = shareBounds
	default:
		d.Bounds = []float64{} // a histogram all the same
	}
	return d
}

// metricName is how an instrument may be called.
var metricName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]{0,254}$`)

func (cfg *Config) validateMeasures() error {
	var errs []error
	if n := len(cfg.Measures); n > maxMeasures {
		errs = append(errs, fmt.Errorf("measures: must be at most %d (got %d): each is evaluated for each span", maxMeasures, n))
	}
	taken := make(map[string]string)
	for id := range numMetrics {
		taken[label(definition(id).Name)] = "a metric of this connector"
	}
	for i := range cfg.Measures {
		m, key := &cfg.Measures[i], measureKey(i)
		switch by := taken[label(m.Name)]; {
		case !metricName.MatchString(m.Name):
			errs = append(errs, fmt.Errorf("%s::name: must be the name of a metric, such as feature_cache.hit_ratio (got %q)", key, m.Name))
		case by != "":
			errs = append(errs, fmt.Errorf("%s::name: %q is %s, on a Prometheus page at least; use another name", key, m.Name, by))
		default:
			taken[label(m.Name)] = key
		}
		if m.Unit == "" {
			errs = append(errs, fmt.Errorf("%s::unit: must be a unit in UCUM, such as s, By, {item}, or 1 for a share", key))
		}
		switch exponential := cfg.kind(m.Name) == histogramExponential; {
		case m.Bounds != nil && exponential:
			errs = append(errs, fmt.Errorf("%s::bounds: an exponential histogram has no bounds of its own; leave them out, or set metrics::%s::histogram: explicit", key, m.Name))
		case m.Bounds != nil && cfg.bounds(m.Name) != nil:
			errs = append(errs, fmt.Errorf("%s::bounds: bounds or metrics has bounds of it, too; keep one of them", key))
		case m.Bounds != nil:
			errs = append(errs, validateBounds(key+"::bounds", m.Bounds, m.Unit))
		case len(m.definition().Bounds) == 0 && cfg.bounds(m.Name) == nil && !exponential:
			errs = append(errs, fmt.Errorf("%s::bounds: must have bounds, for those of the unit %q are not known; or set metrics::%s::histogram: exponential", key, m.Unit, m.Name))
		}
	}
	_, err := newMeasures(cfg.Measures, componenttest.NewNopTelemetrySettings())
	return errors.Join(append(errs, err)...)
}

func measureKey(i int) string { return fmt.Sprintf("measures::%d", i) }

// newMeasures compiles the measures; nil where there are none.
func newMeasures(measures []MeasureConfig, set component.TelemetrySettings) (dialect.Measures, error) {
	if len(measures) == 0 {
		return nil, nil
	}
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), set)
	if err != nil {
		return nil, fmt.Errorf("measures: %w", err)
	}
	var errs []error
	values := make([]*ottl.ValueExpression[*ottlspan.TransformContext], len(measures))
	for i := range measures {
		if values[i], err = parser.ParseValueExpression(measures[i].Value); err != nil {
			errs = append(errs, fmt.Errorf("%s::value: must be an OTTL expression on spans, such as %q (got %q: %w)",
				measureKey(i), `span.attributes["cache.hit_ratio"]`, measures[i].Value, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span, state func(int, any)) {
		evaluate(values, rs, ss, span, state)
	}, nil
}

// evaluate states what the span has. An expression that fails on it, as one that calculates with an
// attribute that is not there does, has no value.
func evaluate(
	values []*ottl.ValueExpression[*ottlspan.TransformContext],
	rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span, state func(int, any),
) {
	tc := ottlspan.NewTransformContextPtr(rs, ss, span)
	defer tc.Close()
	for i, expression := range values {
		if v, err := expression.Eval(context.Background(), tc); err == nil && v != nil {
			state(i, v)
		}
	}
}
