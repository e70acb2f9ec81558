package spanphaseconnector

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/plogtest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: an engine that no built-in dialect knows, with the dialect that the page of dialects shows
// and without.
// Guarantees: the values that were calculated by hand, each as one observation, and the record of the
// request; without the dialect nothing.
func TestCustomDialect(t *testing.T) {
	td := casetest.LoadFixture(t, fixturesDir, "acme_custom")
	const name = "acme_custom"
	synctest.Test(t, func(t *testing.T) {
		w := startTwin(t, func(cfg *Config) {
			require.NoError(t, casetest.Example(t, "../../docs/dialects.md", "custom:", "connectors::span_phase").Unmarshal(cfg))
		}, nil)
		w.play(t, casetest.Case{Steps: []casetest.Step{{Traces: td}}})
		checkFixture(t, &w.rig, &casetest.Fixture{
			Engine: "acme", Model: "acme-7b", Request: 0.2, RequestTTFT: 0.07, Duration: 0.178, TTFT: 0.06, TPOT: 0.0118,
			Preprocess: 0.03, Queue: 0.02, Inference: 0.12, Postprocess: 0.008, Input: 80, Output: 11, Finish: inference.FinishStop,
			Gateway: 0.022, Calls: 1,
		})
		count, _ := w.total(t, "phase.other")
		assert.Zero(t, count, "the phases explain all of the call")
		w.stop(t)

		metrics, logs := filepath.Join("testdata", "golden", name+".yaml"), filepath.Join("testdata", "golden", "log_"+name+".yaml")
		require.Len(t, w.log.AllLogs(), 1)
		if *update {
			require.NoError(t, golden.WriteMetricsToFile(metrics, w.last(t)))
			require.NoError(t, golden.WriteLogsToFile(logs, w.log.AllLogs()[0]))
		}
		wantMetrics, err := golden.ReadMetrics(metrics)
		require.NoError(t, err)
		require.NoError(t, pmetrictest.CompareMetrics(wantMetrics, w.last(t),
			pmetrictest.IgnoreStartTimestamp(), pmetrictest.IgnoreTimestamp(), pmetrictest.IgnoreExemplars(),
			pmetrictest.IgnoreMetricDataPointsOrder()))
		wantLogs, err := golden.ReadLogs(logs)
		require.NoError(t, err)
		require.NoError(t, plogtest.CompareLogs(wantLogs, w.log.AllLogs()[0], plogtest.IgnoreObservedTimestamp()))
	})
	synctest.Test(t, func(t *testing.T) {
		w := startTwin(t, nil, nil)
		w.play(t, casetest.Case{Steps: []casetest.Step{{Traces: td}}})
		w.stop(t)
		assert.Empty(t, w.sink.AllMetrics())
		assert.Empty(t, w.log.AllLogs())
	})
}
