package spanphaseconnector

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-inference/otelcol-inference/internal/config"
)

// Unmarshal reports what cannot be decoded together with what is decoded but
// wrong: all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, func() error { return confmap.Validate(cfg) })
}

// Validate reports every mistake, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	errs = append(errs,
		positive("flush_interval", cfg.FlushInterval, 15*time.Second),
		positive("timeout", cfg.Timeout, 10*time.Second),
		positive("series_expiry", cfg.SeriesExpiry, 15*time.Minute),
		atLeastOne("max_models", cfg.MaxModels, 100),
		atLeastOne("max_model_versions", cfg.MaxModelVersions, 20),
		atLeastOne("max_error_types", cfg.MaxErrorTypes, 50),
		atLeastOne("max_series", cfg.MaxSeries, 20_000),
	)
	if cfg.FlushInterval > 0 && cfg.FlushInterval < minFlushInterval {
		errs = append(errs, fmt.Errorf("flush_interval: must be at least %s (got %s)", minFlushInterval, cfg.FlushInterval))
	}
	if h := cfg.FirstPointHold; h != nil && *h < 0 {
		errs = append(errs, fmt.Errorf("first_point_hold: must not be negative (got %s); leave it out for two flush intervals", *h))
	}
	if cfg.Temporality != temporalityDelta && cfg.SeriesExpiry > 0 && cfg.SeriesExpiry < cfg.hold()+cfg.FlushInterval {
		errs = append(errs, fmt.Errorf("series_expiry: %s ends a series before its first value is exported; "+
			"set it above first_point_hold + flush_interval (%s)", cfg.SeriesExpiry, cfg.hold()+cfg.FlushInterval))
	}
	for i := range cfg.SLO {
		errs = append(errs, cfg.SLO[i].validate(fmt.Sprintf("slo::%d", i)))
	}
	errs = append(errs, cfg.validateMetrics(), cfg.validateDimensions(), cfg.validateMeasures(), cfg.validateRequestLog(),
		cfg.Dialects.Check(componenttest.NewNopTelemetrySettings()))
	if _, err := newBoundary(cfg.RequestBoundary, componenttest.NewNopTelemetrySettings()); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Validate reports every mistake, each with its key and the fix.
func (a *AssemblyConfig) Validate() error {
	errs := []error{
		positive("linger", a.Linger, 10*time.Second),
		positive("idle_timeout", a.IdleTimeout, time.Minute),
		positive("max_age", a.MaxAge, 15*time.Minute),
		atLeastOne("max_traces", a.MaxTraces, 50_000),
		atLeastOne("max_spans_per_trace", a.MaxSpansPerTrace, 1000),
		atLeastOne("max_spans", a.MaxSpans, 400_000),
		atLeastOne("max_tombstones", a.MaxTombstones, 100_000),
	}
	if a.MaxSpansPerTrace > maxSpansPerTrace {
		errs = append(errs, fmt.Errorf("max_spans_per_trace: must be at most %d (got %d): a trace is put together "+
			"at once, in time that grows with the square of it", maxSpansPerTrace, a.MaxSpansPerTrace))
	}
	if a.Linger > 0 && a.IdleTimeout > 0 && a.Linger > a.IdleTimeout {
		errs = append(errs, fmt.Errorf("linger: must not be above idle_timeout (got %s and %s)", a.Linger, a.IdleTimeout))
	}
	if a.IdleTimeout > 0 && a.MaxAge > 0 && a.IdleTimeout > a.MaxAge {
		errs = append(errs, fmt.Errorf("idle_timeout: must not be above max_age (got %s and %s)", a.IdleTimeout, a.MaxAge))
	}
	return errors.Join(errs...)
}

// maxSpansPerTrace bounds max_spans_per_trace.
const maxSpansPerTrace = 10_000

func (s *SLO) validate(key string) error {
	var errs []error
	if _, err := regexp.Compile(s.Model); err != nil {
		errs = append(errs, fmt.Errorf("%s::model: %q is no regular expression (%w); quote special characters with \\", key, s.Model, err))
	}
	if s.Model == "" {
		errs = append(errs, fmt.Errorf(`%s::model: must name the models it is for; use ".*" for all`, key))
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"request", s.Request}, {"ttft", s.TTFT}, {"tpot", s.TPOT}} {
		if d.value < 0 {
			errs = append(errs, fmt.Errorf("%s::%s: must be above zero (got %s); leave it out for no objective", key, d.name, d.value))
		}
	}
	if s.Request == 0 && s.TTFT == 0 && s.TPOT == 0 {
		errs = append(errs, fmt.Errorf("%s: has no objective; set request, ttft or tpot", key))
	}
	return errors.Join(errs...)
}

// minFlushInterval bounds flush_interval: each flush writes every series.
const minFlushInterval = 100 * time.Millisecond

func positive(key string, d, usual time.Duration) error {
	if d > 0 {
		return nil
	}
	return fmt.Errorf("%s: must be above zero (got %s); the default is %s", key, d, usual)
}

func atLeastOne[T cmp.Ordered](key string, n, usual T) error {
	var zero T
	if n > zero {
		return nil
	}
	return fmt.Errorf("%s: must be at least 1 (got %v), there is no unlimited; the default is %v", key, n, usual)
}
