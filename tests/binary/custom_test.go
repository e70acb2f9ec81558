package binary

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: the example of a dialect in the page of dialects is laid over the shipped standalone.yaml,
// and its engine sends a request.
// Guarantees: one anchor gives it to all three components: the call is on the metrics page, its span
// is annotated, the record of the request is joined.
func TestCustomDialect(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/dialects.md")
	require.NoError(t, err)
	var example string
	for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(block[1], "custom:") {
			example = block[1]
		}
	}
	require.NotEmpty(t, example)
	sink := otlpsink.Start(t)
	c := collector.Start(t, collector.ShortWaits, collector.ToSink(sink.Addr), example)
	require.NoError(t, otlpclient.GRPC(t, c.GRPC)(t.Context(), inNewTraces(casetest.LoadFixture(t, fixturesDir, "acme_custom"))))
	eventually(t, func(ct *assert.CollectT) { assert.Len(ct, sink.RequestLog(), 1) })
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		of := map[string]string{"inference_engine": "acme", "inference_model_name": "acme-7b"}
		assert.EqualValues(ct, 1, p.Histogram(callDuration, of).Count)
		assert.InDelta(ct, 0.178, p.Histogram(callDuration, of).Sum, 1e-9)
	})
	attrs := sink.RequestLog()[0].Attributes().AsRaw()
	assert.Equal(t, "joined", attrs["correlation.state"])
	assert.Equal(t, "acme", attrs["engine"])
	assert.Equal(t, "t-77", attrs["request_id"])
	annotated := 0
	sink.EachSpan(func(s ptrace.Span) {
		if engine, ok := s.Attributes().Get("inference.engine"); ok && engine.Str() == "acme" {
			annotated++
		}
	})
	assert.Equal(t, 2, annotated, "the request and its call")
	assert.Zero(t, c.Stop(t), "exit code")
}

// Scenario: a dialect with mistakes in all three components, and one in the request log.
// Guarantees: validate names each key.
func TestCustomDialectMistakes(t *testing.T) {
	t.Parallel()
	file := collector.WriteConfig(t, `
receivers: {otlp: {protocols: {grpc: {}}}}
processors:
  span_phase: {dialects: &wrong {custom: [{name: acme, match: "span.name ==", role: server, ttft: {attribute: a, unit: m}}]}}
  log_correlation: {dialects: *wrong}
connectors:
  span_phase: {dialects: *wrong, request_log: {only: slwo}}
exporters: {nop: {}}
service:
  pipelines:
    traces: {receivers: [otlp], processors: [span_phase, log_correlation], exporters: [span_phase]}
    metrics: {receivers: [span_phase], exporters: [nop]}
`)
	out, err := exec.CommandContext(t.Context(), collector.Binary(t), "validate", "--config", file).CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, 3, strings.Count(string(out), "dialects::custom::0::match: must be an OTTL condition"), "%s", out)
	assert.Equal(t, 3, strings.Count(string(out), "dialects::custom::0::ttft::unit: must be ns, us, ms or s"), "%s", out)
	assert.Contains(t, string(out), `request_log: only: must be all, slow or error (got "slwo")`)
}
