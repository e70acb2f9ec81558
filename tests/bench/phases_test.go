package bench

import (
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/connector/spanmetricsconnector"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector"
)

// newPhases starts a connector from traces to metrics.
func newPhases(tb testing.TB, f connector.Factory, config map[string]any) connector.Traces {
	tb.Helper()
	cfg := f.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(config).Unmarshal(cfg))
	set := connectortest.NewNopSettings(f.Type())
	set.TelemetrySettings = settings(tb, f.Type()).TelemetrySettings
	c, err := f.CreateTracesToMetrics(tb.Context(), set, cfg, consumertest.NewNop())
	require.NoError(tb, err)
	start(tb, c)
	return c
}

// BenchmarkPhases is a span of a request of seven: decoded, and taken by span_phase and by
// span_metrics. So that requests end while it is measured, span_phase has room for few, and each
// new one closes another.
func BenchmarkPhases(b *testing.B) {
	const traces, open = 14_300, 5_000
	ways := []struct {
		name string
		connector.Traces
		costs []cost
	}{
		{"span_phase", newPhases(b, spanphaseconnector.NewFactory(), map[string]any{"assembly": map[string]any{"max_traces": open, "max_tombstones": open}}), nil},
		{"span_metrics", newPhases(b, spanmetricsconnector.NewFactory(), map[string]any{
			"exemplars":              map[string]any{"enabled": true, "max_per_data_point": 5},
			"dimensions":             []any{map[string]any{"name": "gen_ai.request.model"}, map[string]any{"name": "model.version"}},
			"metrics_flush_interval": "15s",
		}), nil},
	}
	var decoding []cost
	next := uint64(0)
	for b.Loop() {
		batches := stages.traceBatches(b, next, traces)
		next += traces
		wire := make([][]byte, len(batches))
		for i, td := range batches {
			var err error
			wire[i], err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(b, err)
		}
		for i := range ways {
			ways[i].costs = append(ways[i].costs, measure(b, traces*stages.spans, func() {
				for _, td := range batches {
					if err := ways[i].ConsumeTraces(b.Context(), td); err != nil {
						require.NoError(b, err)
					}
				}
			}))
		}
		decoding = append(decoding, measure(b, traces*stages.spans, func() {
			for _, raw := range wire {
				if _, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(raw); err != nil {
					require.NoError(b, err)
				}
			}
		}))
	}
	ours := ways[0].costs[1:] // the first opens what later ones close
	score(b, "span", 0, ours)
	for _, w := range ways[1:] {
		tabulate(rowOf(b.Name()+", "+w.name, "span", 0, w.costs))
		b.ReportMetric(median(w.costs, cpuOf)/median(ours, cpuOf), strings.ReplaceAll(w.name, " ", "-")+"/ours")
	}
	tabulate(rowOf(b.Name()+", decoding", "span", 0, decoding))
	b.ReportMetric(median(ours, cpuOf)/median(decoding, cpuOf), "ours/decoding")
}
