package spanphaseconnector

import (
	"slices"
	"time"

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

// bucketBounds returns the bounds of every histogram: the configured or
// default ones with the thresholds of all objectives merged in. They are the
// same for all models, for histograms with different bounds cannot be summed.
func bucketBounds(cfg *Config) (bounds [inference.NumMetrics][]float64) {
	for id := range inference.NumMetrics {
		m := inference.Registry(id)
		if !m.Histogram() {
			continue
		}
		list := slices.Clone(m.Bounds)
		if own, ok := cfg.Bounds[m.Name]; ok {
			list = slices.Clone(own)
		}
		if threshold, ok := sloMetrics[id]; ok {
			for i := range cfg.SLO {
				if d := threshold(&cfg.SLO[i]); d > 0 {
					list = append(list, d.Seconds())
				}
			}
		}
		slices.Sort(list)
		bounds[id] = slices.Compact(list)
	}
	return bounds
}
