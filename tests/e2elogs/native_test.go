package e2elogs

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

// Scenario: gateways with exponential histograms push their metrics to a Prometheus 3, by OTLP and by
// remote write.
// Guarantees: they are native histograms there under the names that a page has, count each request
// once over both gateways, give quantiles, and have exemplars that name traces that exist.
func TestNativeHistograms(t *testing.T) {
	t.Parallel()
	if os.Getenv("E2E_FULL") == "" {
		t.Skip("building a Prometheus 3 takes five minutes; set E2E_FULL=1")
	}
	for _, way := range []struct {
		overlay  string
		endpoint func(*prometheus.Prometheus) string
	}{
		{"otlp-metrics.yaml", func(p *prometheus.Prometheus) string { return "METRICS_OTLP_ENDPOINT=" + p.OTLP() }},
		{"remote-write.yaml", func(p *prometheus.Prometheus) string { return "REMOTE_WRITE_ENDPOINT=" + p.RemoteWrite() }},
	} {
		t.Run(way.overlay, func(t *testing.T) {
			t.Parallel()
			traces, metrics := otlpsink.Start(t), prometheus.Start3(t)
			f := fleet.Start(t, []string{"TRACES_ENDPOINT=" + traces.Addr, way.endpoint(metrics), "SAMPLING_PERCENTAGE=100"},
				fleet.Overlay(t, "overlays/"+way.overlay), "connectors: {span_phase: {histogram: exponential}}")
			sent := f.Play(t, 100)
			const name = "inference_request_duration_seconds"
			require.EventuallyWithT(t, func(ct *assert.CollectT) {
				list, err := metrics.TryQuery(t.Context(), "histogram_count(sum by (collector_instance_id) ("+name+"))", "")
				require.NoError(ct, err)
				total := 0.0
				for _, s := range list {
					total += s.Value.Value
				}
				assert.Len(ct, list, len(f.Gateways))
				assert.InDelta(ct, sent.Requests, total, 0)
			}, patience, glance)
			mean := metrics.Query(t, "histogram_avg(sum("+name+"))", "")
			median := metrics.Query(t, "histogram_quantile(0.5, sum("+name+"))", "")
			require.Len(t, mean, 1)
			require.Len(t, median, 1)
			assert.InEpsilon(t, mean[0].Value.Value, median[0].Value.Value, 0.8, "a median of the same size as the mean")
			ids := map[string]bool{}
			traces.EachSpan(func(s ptrace.Span) { ids[s.TraceID().String()] = true })
			exemplars := metrics.Exemplars(t, name)
			assert.NotEmpty(t, exemplars)
			for _, e := range exemplars {
				assert.True(t, ids[e.Labels["trace_id"]], "the exemplar's trace %s exists", e.Labels["trace_id"])
			}
		})
	}
}
