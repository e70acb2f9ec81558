package spanphaseprocessor

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-inference/otelcol-inference/internal/config"
	"github.com/otelcol-inference/otelcol-inference/internal/customdialect"
)

// Config is the configuration of the processor.
type Config struct {
	// DefaultModel names the model of calls that name none; empty writes no
	// model on their spans.
	DefaultModel string `mapstructure:"default_model"`
	// MaxSpansPerTrace is how many spans of one trace in one batch are looked
	// at together. A trace with more is passed on as it came.
	MaxSpansPerTrace int `mapstructure:"max_spans_per_trace"`
	// Dialects are those of engines that no built-in dialect knows.
	Dialects customdialect.Config `mapstructure:"dialects"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	return &Config{MaxSpansPerTrace: 1000}
}

// Unmarshal reports what cannot be decoded together with what is decoded but
// wrong: all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, func() error { return confmap.Validate(cfg) })
}

// maxSpansPerTrace bounds max_spans_per_trace: spans are compared with each other.
const maxSpansPerTrace = 10_000

// Validate reports every mistake, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	if n := cfg.MaxSpansPerTrace; n < 1 || n > maxSpansPerTrace {
		errs = append(errs, fmt.Errorf("max_spans_per_trace: must be at least 1 and at most %d (got %d), there is no unlimited; the default is 1000",
			maxSpansPerTrace, n))
	}
	return errors.Join(append(errs, cfg.Dialects.Check(componenttest.NewNopTelemetrySettings()))...)
}
