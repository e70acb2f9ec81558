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
	for name, td := range map[string]ptrace.Traces{
		"vllm_v1": casetest.Unmarshal(t, fixture),
		"stages":  casetest.Trace(1, engine, casetest.Stages("m-7b")...),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, nil)
				r.send(t, td)
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
