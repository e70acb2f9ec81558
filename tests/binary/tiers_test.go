package binary

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// toGateways gives traces and logs to the gateway of their trace. With routing_key traceID for
// both, they would part: the exporter (v0.159.0) hashes the bytes of the id for spans and its
// hexadecimal digits for records. An attribute is hashed alike.
const toGateways = `
processors:
  transform/route:
    trace_statements:
      - set(span.attributes["route"], span.trace_id.string)
    log_statements:
      - set(log.attributes["route"], log.trace_id.string)
exporters:
  load_balancing:
    routing_key: attributes
    routing_attributes: [route]
    protocol:
      otlp:
        tls:
          insecure: true
    resolver:
      static:
        hostnames: ["%s", "%s"]
service:
  pipelines:
    traces:
      processors: [memory_limiter, span_phase, log_correlation, transform/route]
      exporters: [span_phase, load_balancing]
    logs:
      processors: [memory_limiter, log_correlation, transform/route]
      exporters: [load_balancing]
`

// gatewayOnly takes the join out of a gateway.
const gatewayOnly = `
service:
  pipelines:
    traces:
      processors: [memory_limiter, span_phase]
    logs:
      receivers: [otlp]
      processors: [memory_limiter]
`

// Scenario: an engine writes text with request ids; an agent beside it joins the lines and
// spreads traces and logs over two gateways.
// Guarantees: all spans of a trace and all records that know it are at one gateway, and both
// gateways have some.
func TestTwoTiers(t *testing.T) {
	t.Parallel()
	sinks := []*otlpsink.Sink{otlpsink.Start(t), otlpsink.Start(t)}
	var gateways []any
	for _, sink := range sinks {
		gateways = append(gateways, collector.Start(t, collector.ToSink(sink.Addr), gatewayOnly).GRPC)
	}
	file := filepath.Join(t.TempDir(), "vllm.log")
	agent := collector.StartIn(t, []string{"INFERENCE_LOGS=" + file}, logWaits, fmt.Sprintf(toGateways, gateways...))
	truth := simulate.Run(t, agent.GRPC, "--style", "vllm", "--logs", file, "--logs-format", "vllm",
		"--requests", "200", "--error-rate", "0", "--abort-rate", "0")
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, truth.Sent.LogRecords, sinks[0].RecordCount()+sinks[1].RecordCount())
		assert.Equal(ct, truth.Sent.Spans, sinks[0].SpanCount()+sinks[1].SpanCount())
	})

	gatewayOf := map[string]int{}
	for i, sink := range sinks {
		assert.NotZero(t, sink.SpanCount())
		sink.EachSpan(func(s ptrace.Span) {
			at, known := gatewayOf[s.TraceID().String()]
			require.True(t, !known || at == i, "a trace is at two gateways")
			gatewayOf[s.TraceID().String()] = i
		})
	}
	joined := 0
	for i, sink := range sinks {
		for _, rec := range sink.Records() {
			if rec.TraceID().IsEmpty() {
				continue // a first line, sent before its trace
			}
			at, known := gatewayOf[rec.TraceID().String()]
			require.True(t, known, "the trace of %s is at no gateway", rec.Body().Str())
			assert.Equal(t, at, i, "gateway of %s", rec.Body().Str())
			if lineOf(t, rec).kind == "end" {
				joined++
			}
		}
	}
	assert.Equal(t, 200, joined, "last lines with a trace id")
}
