package e2elogs

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

// fullRecord is a record with all that a record can have.
func fullRecord(at time.Time, tenant string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	_ = rl.Resource().Attributes().FromRaw(map[string]any{
		"service.name": "chat", "service.namespace": "shop", "deployment.environment.name": "test",
		"k8s.cluster.name": "c1", "k8s.namespace.name": "models", "k8s.container.name": "vllm",
		"host.name": "node-1", "tenant": tenant,
	})
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("vllm.engine")
	sl.Scope().SetVersion("0.11")
	rec := sl.LogRecords().AppendEmpty()
	rec.SetTimestamp(pcommon.NewTimestampFromTime(at))
	rec.SetObservedTimestamp(pcommon.Timestamp(1_700_000_000_123_456_789))
	rec.SetDroppedAttributesCount(3)
	rec.SetSeverityNumber(plog.SeverityNumberWarn)
	rec.SetSeverityText("WARNING")
	rec.SetTraceID(pcommon.TraceID{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36})
	rec.SetSpanID(pcommon.SpanID{0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7})
	rec.SetFlags(plog.DefaultLogRecordFlags.WithIsSampled(true))
	rec.SetEventName("request.finished")
	// A line with all that quoting can break, and no end of line at its end.
	rec.Body().SetStr("finished \"r-1\"\n\tétage=2 \\ 模型 {a=\"b\"}")
	_ = rec.Attributes().FromRaw(map[string]any{
		"model_name": "qwen3-8b", "request_id": "r-1", "input_tokens": int64(1) << 53, "stream": true,
		"queue_time_ms": 12.5, "dotted.key-with/all": "ключ", "map": map[string]any{"inner": map[string]any{"n": int64(-1)}},
		"list": []any{"a", int64(2), false},
		// What VictoriaLogs calls its own.
		"_msg": "not the line", "_time": "not the time", "_stream": "no labels", "_stream_id": "no id",
	})
	return ld
}

var fullRow = victorialogs.Row{
	"_msg":         "finished \"r-1\"\n\tétage=2 \\ 模型 {a=\"b\"}",
	"service_name": "chat", "service_namespace": "shop", "deployment_environment_name": "test",
	"k8s_cluster_name": "c1", "k8s_namespace_name": "models", "k8s_container_name": "vllm",
	"model_name": "qwen3-8b", "level": "warn",
	"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7",
	"severity_number": "13", "severity_text": "WARNING", "flags": "1", "event_name": "request.finished",
	"scope_name": "vllm.engine", "scope_version": "0.11", "host_name": "node-1",
	"observed_timestamp": "1700000000123456789", "dropped_attributes_count": "3",
	"request_id": "r-1", "input_tokens": "9007199254740992", "stream": "true", "queue_time_ms": "12.5",
	"_msg_attribute": "not the line", "_time_attribute": "not the time", "_stream_attribute": "no labels", "_stream_id_attribute": "no id",
	"dotted_key_with_all": "ключ", "map_inner_n": "-1", "list": `["a",2,false]`,
}

// labels are what the stream of the record consists of.
const labels = `{deployment_environment_name="test",k8s_cluster_name="c1",k8s_container_name="vllm",` +
	`k8s_namespace_name="models",level="warn",model_name="qwen3-8b",service_name="chat",service_namespace="shop"}`

// plain leaves out the join, which would add its own attributes.
const plain = `
service:
  pipelines:
    logs:
      processors: [memory_limiter]
`

// Scenario: a record with everything, for tenants by attribute and one by VictoriaLogs' own
// headers, which alone can name a project: Loki allows no colon in a tenant.
// Guarantees: each field is found as it was sent, labels and no others make the stream, the time
// is right to the nanosecond, and no tenant sees the record of another.
func TestFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		overlay string
		tenants map[string]victorialogs.Tenant // what the record says, and where it must be
	}{
		"none":      {"", map[string]victorialogs.Tenant{"": victorialogs.Default}},
		"attribute": {"exporters: {loki: {tenant: {resource: tenant}}}", map[string]victorialogs.Tenant{"7": {"7", "0"}, "8": {"8", "0"}}},
		"headers":   {"exporters: {loki: {headers: {AccountID: '7', ProjectID: '3'}}}", map[string]victorialogs.Tenant{"": {"7", "3"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := victorialogs.Start(t)
			c := start(t, server, plain, test.overlay)
			at := time.Now().UTC().Truncate(time.Second).Add(-time.Second + 123456789)
			send := otlpclient.GRPCLogs(t, c.GRPC)
			for tenant := range test.tenants {
				require.NoError(t, send(t.Context(), fullRecord(at, tenant)))
			}
			for tenant, place := range test.tenants {
				require.EventuallyWithT(t, func(ct *assert.CollectT) {
					rows, err := server.TryQuery(t.Context(), place, "trace_id:="+fullRow["trace_id"])
					assert.NoError(ct, err)
					assert.Len(ct, rows, 1)
				}, patience, glance)
				checkRow(t, server.Query(t, place, "*"), tenant, at)
			}
			if name != "none" {
				assert.Empty(t, server.Query(t, victorialogs.Default, "*"))
			}
			assert.Zero(t, c.Stop(t), "exit code")
		})
	}
}

func checkRow(t *testing.T, rows []victorialogs.Row, tenant string, at time.Time) {
	t.Helper()
	require.Len(t, rows, 1)
	got := rows[0]
	assert.Equal(t, at.Format(time.RFC3339Nano), got["_time"])
	assert.Equal(t, labels, got["_stream"])
	want := maps.Clone(fullRow)
	if tenant != "" {
		want["tenant"] = tenant
	}
	for _, own := range []string{"_time", "_stream", "_stream_id"} {
		delete(got, own)
	}
	assert.Equal(t, want, got)
}
