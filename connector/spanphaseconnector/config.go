package spanphaseconnector

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/customdialect"
)

// Config is the configuration of the connector.
type Config struct {
	// SLO are the objectives whose thresholds become bucket bounds, so that
	// the share of requests within one is exact.
	SLO []SLO `mapstructure:"slo"`
	// Bounds replaces the default bucket bounds of histograms, by metric name.
	Bounds map[string][]float64 `mapstructure:"bounds"`
	// Temporality is cumulative or delta.
	Temporality string `mapstructure:"temporality"`
	// Histogram is explicit or exponential, of metrics that do not say.
	Histogram string `mapstructure:"histogram"`
	// Metrics changes single metrics, by name.
	Metrics map[string]MetricConfig `mapstructure:"metrics"`
	// Measures are histograms of what spans of one service alone state.
	Measures []MeasureConfig `mapstructure:"measures"`
	// SemconvMetrics adds the metrics of OpenTelemetry's semantic conventions.
	SemconvMetrics bool `mapstructure:"semconv_metrics"`
	// Dimensions are attributes of spans or resources that become attributes of
	// all metrics.
	Dimensions []DimensionConfig `mapstructure:"dimensions"`
	// InputLengthBands adds the band of the input's length to all metrics: true
	// for the usual bands, or their bounds in tokens.
	InputLengthBands any `mapstructure:"input_length_bands"`
	// Assembly bounds how requests are put together.
	Assembly AssemblyConfig `mapstructure:"assembly"`
	// MaxModels is how many models have a label value of their own.
	MaxModels int `mapstructure:"max_models"`
	// MaxModelVersions is how many versions of one model have one.
	MaxModelVersions int `mapstructure:"max_model_versions"`
	// MaxErrorTypes is how many error types have a label value of their own.
	MaxErrorTypes int `mapstructure:"max_error_types"`
	// MaxSeries is how many series are kept; more go to an overflow series.
	MaxSeries int `mapstructure:"max_series"`
	// SeriesExpiry ends a series for which nothing was observed for so long.
	SeriesExpiry time.Duration `mapstructure:"series_expiry"`
	// FirstPointHold is how long a new series is exported at zero before its
	// values show; nil is two flush intervals.
	FirstPointHold *time.Duration `mapstructure:"first_point_hold"`
	// FlushInterval is the time between exports.
	FlushInterval time.Duration `mapstructure:"flush_interval"`
	// Timeout is how long one export may take.
	Timeout time.Duration `mapstructure:"timeout"`
	// DefaultModel names the model of calls that name none.
	DefaultModel string `mapstructure:"default_model"`
	// InstanceID is the value of collector.instance.id; empty is the
	// collector's own service.instance.id.
	InstanceID string `mapstructure:"instance_id"`
	// RequestBoundary says where a request starts: outermost,
	// first_server_span, or an OTTL condition on spans.
	RequestBoundary string `mapstructure:"request_boundary"`
	// RequestLog is about the log records of closed requests, which a logs
	// pipeline gets that has this connector as a receiver.
	RequestLog RequestLogConfig `mapstructure:"request_log"`
	// Dialects are those of engines that no built-in dialect knows.
	Dialects customdialect.Config `mapstructure:"dialects"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// SLO is an objective for the models that a pattern matches. A duration of
// zero is no objective.
type SLO struct {
	// Model is a regular expression over the whole model name.
	Model   string        `mapstructure:"model"`
	Request time.Duration `mapstructure:"request"`
	TTFT    time.Duration `mapstructure:"ttft"`
	TPOT    time.Duration `mapstructure:"tpot"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// MetricConfig changes one metric. What is nil or empty stays as it is.
type MetricConfig struct {
	Enabled *bool `mapstructure:"enabled"`
	// Histogram is explicit or exponential.
	Histogram string `mapstructure:"histogram"`
	// Bounds are the bucket bounds of an explicit histogram.
	Bounds []float64 `mapstructure:"bounds"`
	// MaxSize is how many buckets an exponential histogram may have.
	MaxSize *int `mapstructure:"max_size"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// AssemblyConfig bounds in time and memory how requests are put together.
type AssemblyConfig struct {
	// Linger is how long a request whose span has come waits for more of its
	// spans, after the latest one.
	Linger time.Duration `mapstructure:"linger"`
	// IdleTimeout is the same for a request whose span has not come.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`
	// MaxAge ends every wait, and the memory of what was observed.
	MaxAge time.Duration `mapstructure:"max_age"`
	// MaxTraces is how many traces may be open.
	MaxTraces int `mapstructure:"max_traces"`
	// MaxSpansPerTrace is how many spans of one open trace are looked at.
	MaxSpansPerTrace int `mapstructure:"max_spans_per_trace"`
	// MaxSpans is how many spans of all open traces are held.
	MaxSpans int `mapstructure:"max_spans"`
	// MaxTombstones is how many closed traces are remembered.
	MaxTombstones int `mapstructure:"max_tombstones"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// The values of temporality.
const (
	temporalityCumulative = "cumulative"
	temporalityDelta      = "delta"
)

// The values of histogram.
const (
	histogramExplicit    = "explicit"
	histogramExponential = "exponential"
)

// The values of request_boundary that are not conditions.
const (
	boundaryOutermost   = "outermost"
	boundaryFirstServer = "first_server_span"
)

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	return &Config{
		Assembly: AssemblyConfig{
			Linger:           10 * time.Second,
			IdleTimeout:      time.Minute,
			MaxAge:           15 * time.Minute,
			MaxTraces:        50_000,
			MaxSpansPerTrace: 1000,
			MaxSpans:         400_000,
			MaxTombstones:    100_000,
		},
		MaxModels:        100,
		MaxModelVersions: 20,
		MaxErrorTypes:    50,
		MaxSeries:        20_000,
		SeriesExpiry:     15 * time.Minute,
		FlushInterval:    15 * time.Second,
		Timeout:          10 * time.Second,
		RequestBoundary:  boundaryOutermost,
		Temporality:      temporalityCumulative,
		Histogram:        histogramExplicit,
		RequestLog:       defaultRequestLog(),
	}
}

// hold returns the time for which a new series is exported at zero.
func (cfg *Config) hold() time.Duration {
	if cfg.FirstPointHold == nil {
		return 2 * cfg.FlushInterval
	}
	return *cfg.FirstPointHold
}

// assembler returns the assembler's part of the configuration.
func (cfg *Config) assembler() assembly.Config {
	a := &cfg.Assembly
	boundary := assembly.BoundaryCondition
	switch cfg.RequestBoundary {
	case boundaryOutermost:
		boundary = assembly.BoundaryOutermost
	case boundaryFirstServer:
		boundary = assembly.BoundaryFirstServer
	}
	return assembly.Config{
		Linger: a.Linger, IdleTimeout: a.IdleTimeout, MaxAge: a.MaxAge,
		MaxTraces: a.MaxTraces, MaxSpansPerTrace: a.MaxSpansPerTrace, MaxSpans: a.MaxSpans, MaxTombstones: a.MaxTombstones,
		Boundary: boundary, DefaultModel: cfg.DefaultModel, Dimensions: cfg.dimensions(), Semconv: cfg.SemconvMetrics,
		Measures: len(cfg.Measures) > 0,
	}
}
