package spanphaseconnector

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
)

// BenchmarkConsumeWith measures BenchmarkConsume's path with what costs something where it is configured. Each
// span has four attributes more than that one's.
func BenchmarkConsumeWith(b *testing.B) {
	const requests = 100
	for name, change := range map[string]func(*Config){
		"nothing": func(*Config) {},
		"dimensions": func(cfg *Config) {
			cfg.Dimensions = []DimensionConfig{{Name: "tenant.id"}, {Name: "region"}, {Name: "tier"}, {Name: "route", Attributes: []string{"http.route"}}}
		},
		"semconv":     func(cfg *Config) { cfg.SemconvMetrics = true },
		"exponential": func(cfg *Config) { cfg.Histogram = histogramExponential },
		"measure": func(cfg *Config) {
			cfg.Measures = []MeasureConfig{{Name: "depth", Value: `span.attributes["depth"]`, Unit: "1"}}
		},
	} {
		b.Run(name, func(b *testing.B) {
			cfg := createDefaultConfig().(*Config)
			cfg.Assembly.MaxTraces, cfg.Assembly.MaxTombstones = 1000, 1000
			change(cfg)
			require.NoError(b, cfg.Validate())
			c, err := NewFactory().CreateTracesToMetrics(b.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
			require.NoError(b, err)
			require.NoError(b, c.Start(b.Context(), componenttest.NewNopHost()))
			td := batchOf(b, requests)
			for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				for _, key := range []string{"tenant.id", "region", "tier", "http.route"} {
					span.Attributes().PutStr(key, "one of "+key)
				}
			}
			b.ReportAllocs()
			from := uint64(0)
			for b.Loop() {
				renumber(td, from)
				from += requests
				require.NoError(b, c.ConsumeTraces(b.Context(), td))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(td.SpanCount()), "ns/span")
			require.NoError(b, c.Shutdown(b.Context()))
		})
	}
}
