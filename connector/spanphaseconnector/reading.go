package spanphaseconnector

import (
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// reading returns what is read of spans beside what every reader needs.
func (cfg *Config) reading(set component.TelemetrySettings) (*dialect.Options, error) {
	boundary, err := newBoundary(cfg.RequestBoundary, set)
	if err != nil {
		return nil, err
	}
	measures, err := newMeasures(cfg.Measures, set)
	if err != nil {
		return nil, err
	}
	custom, err := cfg.Dialects.Compile(set)
	if err != nil {
		return nil, err
	}
	return &dialect.Options{
		Boundary: boundary, Custom: custom, Dimensions: cfg.dimensions(), Semconv: cfg.SemconvMetrics, Measures: measures,
	}, nil
}
