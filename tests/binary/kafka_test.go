package binary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// Scenario: an agent writes to Kafka, two gateways with stores of their own read from it.
// Guarantees: nothing is lost or doubled, each trace is at one gateway, and so are its records.
func TestKafka(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(8, "otlp_spans", "otlp_logs"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	brokers := "KAFKA_BROKERS=[" + strings.Join(cluster.ListenAddrs(), ", ") + "]"

	var sinks [2]*otlpsink.Sink
	var lokis [2]*lokitest.Server
	var gateways [2]*collector.Collector
	for i := range sinks {
		sinks[i], lokis[i] = otlpsink.Start(t), lokitest.New(t, lokitest.Options{})
		gateways[i] = collector.StartShipped(t, "gateway.yaml", t.TempDir(), []string{
			brokers, "TRACES_ENDPOINT=" + sinks[i].Addr, "LOKI_ENDPOINT=" + lokis[i].URL, fmt.Sprintf("HOSTNAME=gateway-%d", i), "SAMPLING_PERCENTAGE=100",
		}, fleet.Overlay(t, "gateway-kafka.yaml"), fleet.Quick)
	}
	eventually(t, func(ct *assert.CollectT) {
		for _, gateway := range gateways {
			p, err := page.Fetch(t.Context(), gateway.Own)
			require.NoError(ct, err)
			const started, ended = "otelcol_kafka_receiver_partition_start", "otelcol_kafka_receiver_partition_close"
			assert.InDelta(ct, 8, p.Value(started, nil)-p.Value(ended, nil), 0, "half of the partitions of both topics")
		}
	})
	agent := collector.StartShipped(t, "agent.yaml", t.TempDir(), []string{brokers}, fleet.Overlay(t, "overlays/agent-kafka.yaml"))
	truth := simulate.Run(t, agent.GRPC, "--requests", "200", "--logs", "otlp", "--scatter")
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, truth.Sent.Spans, sinks[0].SpanCount()+sinks[1].SpanCount())
		first, _ := linesIn(lokis[0])
		second, _ := linesIn(lokis[1])
		assert.Equal(ct, truth.Sent.LogRecords, len(first)+len(second))
	})
	at := map[string]int{}
	for i, sink := range sinks {
		assert.NotZero(t, sink.SpanCount(), "gateway %d has a part", i)
		sink.EachSpan(func(s ptrace.Span) {
			other, known := at[s.TraceID().String()]
			assert.True(t, !known || other == i, "a trace is at two gateways")
			at[s.TraceID().String()] = i
		})
	}
	for i, loki := range lokis {
		for _, rec := range loki.Records(lokitest.Query{}) {
			id, _ := rec.Get("trace_id")
			assert.Equal(t, at[id], i, "the gateway of a record of %s", id)
		}
	}
}
