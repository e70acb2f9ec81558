package binary

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: one batch is sent while its request is open, again then, and again when it is closed.
// Guarantees: the collector's own page tells what is open, closed, and came more than once.
func TestOwnTelemetry(t *testing.T) {
	t.Parallel()
	// Long enough to see the request open.
	c := collector.Start(t, collector.ShortWaits, "connectors: {span_phase: {assembly: {linger: 3s}}}")
	send := otlpclient.GRPC(t, c.GRPC)
	batch := casetest.Load(t, casesDir+"/26-duplicate-batch-after-retry").Steps[0].Traces
	spans := float64(batch.SpanCount())
	show := func(want map[string]float64) {
		t.Helper()
		eventually(t, func(ct *assert.CollectT) {
			p, err := page.Fetch(t.Context(), c.Own)
			require.NoError(ct, err)
			for name, value := range want {
				assert.NotEmpty(ct, p.Series(own+name, nil), name)
				assert.InDelta(ct, value, p.Value(own+name, nil), 0, name)
			}
		})
	}

	require.NoError(t, send(t.Context(), inNewTraces(batch)))
	require.NoError(t, send(t.Context(), batch))
	require.NoError(t, send(t.Context(), batch))
	show(map[string]float64{"open_traces": 2, "open_spans": 2 * spans, "duplicate_spans": spans, "closed_requests": 0})
	show(map[string]float64{"open_traces": 0, "open_spans": 0, "tombstones": 2, "closed_requests": 2})
	require.NoError(t, send(t.Context(), batch))
	show(map[string]float64{"open_traces": 0, "duplicate_spans": 2 * spans, "closed_requests": 2, "late_requests": 0})

	p := page.Get(t, c.Own)
	assert.InDelta(t, 2, p.Value(own+"closed_requests", page.Labels{"reason": "complete"}), 0)
	for _, none := range []string{
		"incomplete_requests", "evicted_traces", "failed_flushes", "refused_spans", "dropped_values", "limited_observations", "span_cycles",
	} {
		assert.Zero(t, p.Value(own+none, nil), none)
	}
	assert.Positive(t, p.Value(own+"series", nil))
}
