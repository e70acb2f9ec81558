package binary

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: one request of a vLLM V1 engine, posted as OTLP/JSON.
// Guarantees: the numbers worked out by hand in vllm_v1.expect.md, once each, and no others.
func TestVLLM(t *testing.T) {
	t.Parallel()
	c := collector.Start(t, collector.ShortWaits)
	otlpclient.PostJSON(t, c.HTTP, vllmRequest(t))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.NotEmpty(ct, p.Series(requestDuration, nil))
	})

	phase := func(name string) page.Labels { return page.Labels{"inference_phase": name, "inference_role": "server"} }
	sub := func(name string) page.Labels { return page.Labels{"inference_subphase": name} }
	tokens := func(name string) page.Labels { return page.Labels{"gen_ai_token_type": name} }
	server := page.Labels{"inference_role": "server"}
	p := page.Get(t, c.Page)
	for _, want := range []struct {
		metric string
		where  page.Labels
		sum    float64
	}{
		{requestDuration, nil, 2.0508},
		{requestTTFT, nil, 0.1843},
		{callDuration, server, 2.0508},
		{callTTFT, server, 0.1843},
		{callTPOT, server, 1.8650 / 127},
		{phaseDuration, phase("preprocess"), 0.0130},
		{phaseDuration, phase("queue"), 0.0512},
		{phaseDuration, phase("inference"), 1.9851},
		{phaseDuration, phase("postprocess"), 0.0015},
		{subphase, sub("prefill"), 0.1201},
		{subphase, sub("decode"), 1.8650},
		{tokenUsage, tokens("input"), 512},
		{tokenUsage, tokens("output"), 128},
	} {
		list := p.Series(want.metric, want.where)
		if !assert.Len(t, list, 1, "series of %s%v", want.metric, want.where) {
			continue
		}
		labels := page.LabelsOf(list[0])
		assert.Equal(t, "unknown", labels["inference_model_name"], want.metric)
		assert.Equal(t, "vllm", labels["inference_engine"], want.metric)
		assert.Equal(t, "ok", labels["inference_outcome"], want.metric)
		h := p.Histogram(want.metric, want.where)
		assert.Equal(t, uint64(1), h.Count, "count of %s%v", want.metric, want.where)
		assert.InDelta(t, want.sum, h.Sum, 1e-6, "sum of %s%v", want.metric, want.where)
	}
	// These four add up to the call: there is no receive, and nothing is left for other.
	assert.Equal(t, uint64(4), p.Histogram(phaseDuration, nil).Count, "phases")
	assert.Equal(t, uint64(2), p.Histogram(subphase, nil).Count, "subphases")
}
