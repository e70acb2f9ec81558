package binary

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
)

// logScale has the waits of logCase: linger, wait, ttl; after that all is forgotten.
var logScale = scale{
	{0, 0},
	{5 * time.Second, time.Second},
	{15 * time.Second, 3 * time.Second},
	{16 * time.Second, 3500 * time.Millisecond}, // after the wait is well after it
	{5 * time.Minute, 6 * time.Second},
	{time.Hour, 8 * time.Second},
}

// logCase is a log_correlation with pipelines of its own: what one case sends is not seen by
// another, and all share a collector.
type logCase struct {
	casetest.LogCase
	addr string
	sink *otlpsink.Sink
}

// components are the two maps that a configuration has of everything, a line for this case.
func (c *logCase) components() string {
	return strings.NewReplacer("ID", c.Name, "ADDR", c.addr, "SINK", c.sink.Addr).Replace(`
receivers: {otlp/ID: {protocols: {grpc: {endpoint: "ADDR"}}}}
processors: {log_correlation/ID: {linger: 1s, wait: 3s, ttl: 6s}}
exporters: {otlp_grpc/ID: {endpoint: "SINK", tls: {insecure: true}}}
service:
  pipelines:
    traces/ID: {receivers: [otlp/ID], processors: [log_correlation/ID], exporters: [otlp_grpc/ID]}
    logs/ID: {receivers: [otlp/ID], processors: [log_correlation/ID], exporters: [otlp_grpc/ID]}
`)
}

// Scenario: every case of logs arrives over OTLP as its schedule says, waits and schedule
// shortened alike.
// Guarantees: records in are records out, joined as the case says; every span flows on.
func TestLogCases(t *testing.T) {
	t.Parallel()
	var cases []*logCase
	var overlays []string
	for _, c := range casetest.LogCases(t, casesDir) {
		lc := &logCase{c, loopback.Addr(t), otlpsink.Start(t)}
		cases = append(cases, lc)
		overlays = append(overlays, lc.components())
	}
	col := collector.Start(t, overlays...)
	t.Run("case", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				c.play(t)
			})
		}
	})
	assert.Zero(t, col.Stop(t), "exit code")
}

func (c *logCase) play(t *testing.T) {
	t.Helper()
	sendTraces, sendLogs := otlpclient.GRPC(t, c.addr), otlpclient.GRPCLogs(t, c.addr)
	spans := 0
	var before time.Duration
	for _, step := range c.Steps {
		time.Sleep(logScale.compress(step.At - before))
		before = step.At
		if step.Trace {
			spans += step.Traces.SpanCount()
			require.NoError(t, sendTraces(t.Context(), step.Traces))
		} else {
			require.NoError(t, sendLogs(t.Context(), step.Logs))
		}
	}
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, c.Records(), c.sink.RecordCount(), "records")
		assert.Equal(ct, spans, c.sink.SpanCount(), "spans at the traces exporter")
	})
	// How long a record waits is shorter here.
	delete(c.Expect.Attributes, "correlation.wait_ms")
	c.Check(t, c.sink.Records())
}
