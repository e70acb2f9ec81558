package spanphaseconnector

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Scenario: one request of each dialect.
// Guarantees: every metric with its name, unit, bounds, attributes and values.
func TestGolden(t *testing.T) {
	fixture, err := os.ReadFile(fixturesDir + "/vllm_v1.json")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		traces ptrace.Traces
		change func(*Config)
	}{
		"vllm_v1":    {traces: casetest.Unmarshal(t, fixture)},
		"stages":     {traces: casetest.Trace(1, engine, casetest.Stages("m-7b")...)},
		"configured": {traces: casetest.Unmarshal(t, fixture), change: everything},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.change)
				r.send(t, c.traces)
				r.stop(t)
				file := filepath.Join("testdata", "golden", name+".yaml")
				if *update {
					require.NoError(t, golden.WriteMetricsToFile(file, r.last(t)))
				}
				want, err := golden.ReadMetrics(file)
				require.NoError(t, err)
				require.NoError(t, pmetrictest.CompareMetrics(want, r.last(t),
					pmetrictest.IgnoreStartTimestamp(), pmetrictest.IgnoreTimestamp(), pmetrictest.IgnoreExemplars(),
					pmetrictest.IgnoreMetricDataPointsOrder()))
			})
		})
	}
}

// everything configures all that changes what is emitted.
func everything(cfg *Config) {
	cfg.Temporality, cfg.Histogram, cfg.SemconvMetrics, cfg.InputLengthBands = temporalityDelta, histogramExponential, true, true
	cfg.Dimensions = []DimensionConfig{{Name: "host", Attributes: []string{"host.name"}}, {Name: "tenant", Default: "none"}}
	cfg.Measures = []MeasureConfig{{Name: "max_tokens", Value: `span.attributes["gen_ai.request.max_tokens"]`, Unit: "{token}", Bounds: []float64{100, 1000}}}
	cfg.Metrics = map[string]MetricConfig{"max_tokens": {Histogram: histogramExplicit}, "inference.subphase.duration": {Enabled: new(bool)}}
}
