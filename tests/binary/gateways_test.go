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

// Scenario: two gateways with the shipped configuration and no more observe the
// same service, model and values.
// Guarantees: none of their series are alike, so that both may go to one store.
func TestTwoGateways(t *testing.T) {
	t.Setenv("HOSTNAME", "") // as in a shell or unit that does not export it
	ids := map[string]bool{}
	var requests uint64
	for range 2 {
		c := collector.Start(t, collector.Waits)
		require.NoError(t, otlpclient.GRPC(t, c.GRPC)(t.Context(), inNewTraces(casetest.LoadFixture(t, fixturesDir, "vllm_v1"))))
		eventually(t, func(ct *assert.CollectT) {
			p, err := page.Fetch(t.Context(), c.Page)
			require.NoError(ct, err)
			assert.Equal(ct, uint64(1), p.Histogram(requestDuration, nil).Count)
		})
		p := page.Get(t, c.Page)
		requests += p.Histogram(requestDuration, nil).Count
		for _, s := range p.Series(requestDuration, nil) {
			ids[page.LabelsOf(s)["collector_instance_id"]] = true
		}
	}
	assert.Len(t, ids, 2)
	assert.NotContains(t, ids, "")
	assert.EqualValues(t, 2, requests)
}
