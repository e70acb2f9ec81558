package binary

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: two services that differ in deployment.environment.name only.
// Guarantees: two series on the page, as resource attributes alone would not give.
func TestTwoEnvironments(t *testing.T) {
	t.Parallel()
	c := collector.Start(t, collector.ShortWaits)
	send := otlpclient.GRPC(t, c.GRPC)
	for _, environment := range []string{"staging", "production"} {
		td := inNewTraces(unmarshal(t, vllmRequest(t)))
		for _, rs := range td.ResourceSpans().All() {
			rs.Resource().Attributes().PutStr("deployment.environment.name", environment)
		}
		require.NoError(t, send(t.Context(), td))
	}
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, p.Series(requestDuration, nil), 2)
		for _, environment := range []string{"staging", "production"} {
			where := page.Labels{"deployment_environment_name": environment}
			assert.Equal(ct, uint64(1), p.Histogram(requestDuration, where).Count, environment)
		}
	})
}

// Scenario: the page is read in the OpenMetrics format, as Prometheus does.
// Guarantees: the buckets of every duration link to a span that was sent.
func TestExemplars(t *testing.T) {
	t.Parallel()
	c := collector.Start(t, collector.ShortWaits)
	td := unmarshal(t, vllmRequest(t))
	require.NoError(t, otlpclient.GRPC(t, c.GRPC)(t.Context(), td))
	spans := map[string]string{} // trace id by span id
	eachSpan(td, func(s ptrace.Span) { spans[s.SpanID().String()] = s.TraceID().String() })
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.NotEmpty(ct, p.Series(requestDuration, nil))
	})

	metrics := map[string]bool{}
	for _, e := range page.Exemplars(t, c.Page) {
		metrics[strings.TrimSuffix(e.Metric, "_bucket")] = true
		assert.Contains(t, spans, e.Labels["span_id"], e.Metric)
		assert.Equal(t, spans[e.Labels["span_id"]], e.Labels["trace_id"], e.Metric)
	}
	for _, want := range []string{requestDuration, requestTTFT, callDuration, callTTFT, callTPOT, phaseDuration, subphase} {
		assert.Contains(t, metrics, want)
	}
}
