package e2elogs

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/jaeger"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

// Scenario: gateways send traces to a Jaeger and logs to a VictoriaLogs.
// Guarantees: whoever follows an exemplar, or the trace id of a log line, finds the trace there, whole
// and annotated with what its spans prove.
func TestJaeger(t *testing.T) {
	t.Parallel()
	if os.Getenv("E2E_FULL") == "" {
		t.Skip("building Jaeger takes ten minutes; set E2E_FULL=1")
	}
	traces, logs := jaeger.Start(t), victorialogs.Start(t)
	f := fleet.Start(t, []string{"TRACES_ENDPOINT=" + traces.OTLP, "LOKI_ENDPOINT=" + logs.Endpoint(), "SAMPLING_PERCENTAGE=100"},
		"exporters: {loki: {sending_queue: {batch: {flush_timeout: 200ms}}}}")
	sent := f.Play(t, 50)
	ids := map[string]bool{}
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		rows, err := logs.TryQuery(t.Context(), victorialogs.Default, "* | fields trace_id")
		assert.NoError(ct, err)
		assert.Len(ct, rows, sent.LogRecords+sent.Requests) // these of the request log
		for _, row := range rows {
			ids[row["trace_id"]] = true
		}
	}, patience, glance)
	for _, gateway := range f.Gateways {
		for _, e := range page.Exemplars(t, gateway.Page) {
			ids[e.Labels["trace_id"]] = true
		}
	}
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		spans, annotated := 0, 0
		for id := range ids {
			list, err := traces.Trace(t.Context(), id)
			assert.NoError(ct, err)
			spans += len(list)
			for i := range list {
				if list[i].Tag("inference.phase.inference.duration") != nil {
					annotated++
				}
				assert.Nil(ct, list[i].Tag("inference.route"))
			}
		}
		assert.Equal(ct, sent.Spans, spans)
		assert.Positive(ct, annotated)
	}, patience, glance)
}
