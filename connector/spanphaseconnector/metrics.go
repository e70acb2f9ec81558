package spanphaseconnector

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/connector"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// sloMetrics are the metrics that get an objective's threshold as a bound.
var sloMetrics = map[inference.MetricID]func(*SLO) time.Duration{
	inference.MetricRequestDuration: func(s *SLO) time.Duration { return s.Request },
	inference.MetricCallDuration:    func(s *SLO) time.Duration { return s.Request },
	inference.MetricRequestTTFT:     func(s *SLO) time.Duration { return s.TTFT },
	inference.MetricCallTTFT:        func(s *SLO) time.Duration { return s.TTFT },
	inference.MetricCallTPOT:        func(s *SLO) time.Duration { return s.TPOT },
}

const (
	// maxBounds is how many buckets a histogram may have: each is a series.
	maxBounds = 200
	// defaultMaxSize is that of the SDK's exponential histograms: a factor of a
	// thousand between values at an error of 2.2 %.
	defaultMaxSize = 160
	// minMaxSize and maxMaxSize bound max_size: below, values a factor of ten
	// apart share a bucket; above, it is memory without a use.
	minMaxSize, maxMaxSize = 20, 1000
)

// numMetrics is how many metrics have an id.
const numMetrics = inference.NumMetrics + inference.NumSemconvMetrics

// definition returns the metric with an id: of the registry, or of the semantic
// conventions.
func definition(id inference.MetricID) *inference.Metric {
	if id < inference.NumMetrics {
		return inference.Registry(id)
	}
	return inference.SemconvRegistry(id)
}

// definitions returns all metrics: those with an id, and the site's measures.
func (cfg *Config) definitions() (list []*inference.Metric) {
	for id := range numMetrics {
		list = append(list, definition(id))
	}
	for i := range cfg.Measures {
		list = append(list, cfg.Measures[i].definition())
	}
	return list
}

// metrics returns the metrics of the store, by their id, and then the site's measures.
func metrics(cfg *Config) []series.Metric {
	definitions := cfg.definitions()
	list := make([]series.Metric, len(definitions))
	for i, of := range definitions {
		id := inference.MetricID(i)
		list[id] = cfg.metric(of)
		if id >= inference.NumMetrics && id < numMetrics && !cfg.SemconvMetrics {
			list[id].Kind = series.Disabled
		}
		if threshold, ok := sloMetrics[id]; ok && list[id].Kind == series.Explicit {
			list[id].Bounds = withThresholds(list[id].Bounds, cfg.SLO, threshold)
		}
	}
	return list
}

// newStore returns the store of the metrics.
func newStore(cfg *Config, set *connector.Settings) *series.Store {
	return series.NewStore(series.Config{
		Scope:         metadata.ScopeName,
		ScopeVersion:  set.BuildInfo.Version,
		InstanceID:    instanceID(cfg.InstanceID, set),
		Metrics:       metrics(cfg),
		Delta:         cfg.Temporality == temporalityDelta,
		Dimensions:    cfg.limitedDimensions(),
		Bands:         cfg.bands(),
		SemconvValues: semconvValues,
		Hold:          cfg.hold(),
		Expiry:        cfg.SeriesExpiry,
		MaxSeries:     cfg.MaxSeries,
		MaxModels:     cfg.MaxModels,
		MaxErrorTypes: cfg.MaxErrorTypes,

		MaxModelVersions: cfg.MaxModelVersions,
	})
}

// metric returns a metric as configured.
func (cfg *Config) metric(of *inference.Metric) series.Metric {
	own := cfg.Metrics[of.Name]
	m := series.Metric{Name: of.Name, Unit: of.Unit, Description: of.Description, Attributes: of.Attributes}
	switch {
	case own.Enabled != nil && !*own.Enabled:
		m.Kind = series.Disabled
	case !of.Histogram():
		m.Kind = series.Counter
	case cfg.kind(of.Name) == histogramExponential:
		m.Kind, m.MaxSize = series.Exponential, defaultMaxSize
		if own.MaxSize != nil {
			m.MaxSize = *own.MaxSize
		}
	default:
		m.Kind, m.Bounds = series.Explicit, slices.Clone(of.Bounds)
		if bounds := cfg.bounds(of.Name); bounds != nil {
			m.Bounds = slices.Clone(bounds)
		}
	}
	return m
}

// kind returns what kind of histogram a metric is, as configured.
func (cfg *Config) kind(name string) string {
	if own := cfg.Metrics[name].Histogram; own != "" {
		return own
	}
	return cfg.Histogram
}

// bounds returns the configured bounds of a metric, nil for the default ones.
func (cfg *Config) bounds(name string) []float64 {
	if own := cfg.Metrics[name].Bounds; own != nil {
		return own
	}
	return cfg.Bounds[name]
}

// withThresholds returns bounds with the thresholds of all objectives. They
// are the same for all models, for histograms with different bounds cannot be
// summed.
func withThresholds(bounds []float64, slos []SLO, threshold func(*SLO) time.Duration) []float64 {
	for i := range slos {
		if d := threshold(&slos[i]); d > 0 {
			bounds = append(bounds, d.Seconds())
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// validateMetrics reports every mistake in what metrics there are and how they
// count.
func (cfg *Config) validateMetrics() error {
	errs := []error{
		oneOf("temporality", cfg.Temporality, temporalityCumulative, temporalityDelta),
		oneOf("histogram", cfg.Histogram, histogramExplicit, histogramExponential),
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Bounds)) {
		key := "bounds::" + name
		m := cfg.metricNamed(name)
		if m == nil || !m.Histogram() {
			errs = append(errs, fmt.Errorf("%s: is no histogram of this connector; use one of %v", key, cfg.metricNames((*inference.Metric).Histogram)))
			continue
		}
		errs = append(errs, validateBounds(key, cfg.Bounds[name], m.Unit))
		switch {
		case cfg.Metrics[name].Bounds != nil:
			errs = append(errs, fmt.Errorf("%s: metrics::%s::bounds has bounds, too; keep one of them", key, name))
		case cfg.kind(name) == histogramExponential:
			errs = append(errs, fmt.Errorf("%s: an exponential histogram has no bounds of its own; leave them out, or set metrics::%s::histogram: explicit", key, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Metrics)) {
		errs = append(errs, cfg.validateMetric(name))
	}
	return errors.Join(errs...)
}

func (cfg *Config) validateMetric(name string) error {
	key, own := "metrics::"+name, cfg.Metrics[name]
	m := cfg.metricNamed(name)
	switch {
	case m == nil:
		return fmt.Errorf("%s: is no metric of this connector; use one of %v", key, cfg.metricNames(nil))
	case !m.Histogram() && (own.Histogram != "" || own.Bounds != nil || own.MaxSize != nil):
		return fmt.Errorf("%s: is a counter; it has enabled only", key)
	}
	var errs []error
	if !cfg.SemconvMetrics && semconvNamed(name) {
		errs = append(errs, fmt.Errorf("%s: is one of the semantic conventions; set semconv_metrics: true to have it", key))
	}
	if own.Histogram != "" {
		errs = append(errs, oneOf(key+"::histogram", own.Histogram, histogramExplicit, histogramExponential))
	}
	exponential := cfg.kind(name) == histogramExponential
	if own.Bounds != nil {
		errs = append(errs, validateBounds(key+"::bounds", own.Bounds, m.Unit))
		if exponential {
			errs = append(errs, fmt.Errorf("%s::bounds: an exponential histogram has no bounds of its own; leave them out, or set %s::histogram: explicit", key, key))
		}
	}
	switch n := own.MaxSize; {
	case n == nil:
	case !exponential:
		errs = append(errs, fmt.Errorf("%s::max_size: is for exponential histograms; leave it out, or set %s::histogram: exponential", key, key))
	case *n < minMaxSize || *n > maxMaxSize:
		errs = append(errs, fmt.Errorf("%s::max_size: must be from %d to %d (got %d); the default is %d", key, minMaxSize, maxMaxSize, *n, defaultMaxSize))
	}
	return errors.Join(errs...)
}

func validateBounds(key string, list []float64, unit string) error {
	var errs []error
	if len(list) == 0 || len(list) > maxBounds {
		errs = append(errs, fmt.Errorf("%s: must have 1 to %d bounds (got %d)", key, maxBounds, len(list)))
	}
	for i, b := range list {
		switch {
		case math.IsNaN(b) || math.IsInf(b, 0) || b < 0:
			errs = append(errs, fmt.Errorf("%s::%d: must be a number of %s, not below zero (got %v)", key, i, unit, b))
		case i > 0 && b <= list[i-1]:
			errs = append(errs, fmt.Errorf("%s::%d: must be above the bound before it (got %v after %v)", key, i, b, list[i-1]))
		}
	}
	return errors.Join(errs...)
}

// metricNamed returns the metric with a name, or nil.
func (cfg *Config) metricNamed(name string) *inference.Metric {
	for _, m := range cfg.definitions() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// semconvNamed reports whether a metric is one of the semantic conventions.
func semconvNamed(name string) bool {
	for id := inference.NumMetrics; id < numMetrics; id++ {
		if definition(id).Name == name {
			return true
		}
	}
	return false
}

// metricNames returns the names of the metrics that are so, of all if nil.
func (cfg *Config) metricNames(are func(*inference.Metric) bool) (names []string) {
	for _, m := range cfg.definitions() {
		if are == nil || are(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// oneOf reports a value that is none of the allowed ones.
func oneOf(key, got string, allowed ...string) error {
	if slices.Contains(allowed, got) {
		return nil
	}
	return fmt.Errorf("%s: must be one of %v (got %q)", key, allowed, got)
}
