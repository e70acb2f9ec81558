package lokiexporter

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// What users of other ways into Loki have reported, each with where.

// Contrib 12930, 18059 and loki 963: a 400 was retried for ever, or cost the whole batch.
func TestReportBadRequest(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	r.server.SetLimits("", func(l *lokitest.Limits) { l.MaxStructuredMetadataSize = 200 })
	ld := records(5, "chat")
	recs := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	for i := range 3 {
		recs.At(i).Attributes().PutStr("large", strings.Repeat("x", 300))
	}
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	assert.Equal(t, 1, r.server.Stats().Requests)
	assert.Equal(t, 2, r.server.Stats().Kept)
	assert.Equal(t, map[string]int64{"delivered none": 2, "refused structured_metadata_too_large": 3}, r.entries())
	r.close()
}

// Contrib 27242 and loki 9869: "entry too far behind" killed batches.
func TestReportFarBehind(t *testing.T) {
	for policy, want := range map[string]map[string]int64{
		"clamp": {"delivered none": 2},
		"drop":  {"delivered none": 1},
		"keep":  {"delivered none": 1, "refused too_far_behind": 1},
	} {
		t.Run(policy, func(t *testing.T) {
			r := newRig(t, lokitest.Options{}, func(cfg *Config) { cfg.Timestamps.TooFarBehind = policy })
			require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(1, "chat")))
			late := records(1, "chat")
			at := time.Now().Add(-2 * time.Hour)
			late.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetTimestamp(pcommon.NewTimestampFromTime(at))
			require.NoError(t, r.exp.ConsumeLogs(t.Context(), late))
			assert.Equal(t, want, r.entries())
			if policy == "clamp" {
				original, _ := r.server.Records(lokitest.Query{})[0].Get("original_timestamp")
				assert.Equal(t, strconv.FormatInt(at.UnixNano(), 10), original)
			}
			r.close()
		})
	}
}

// Contrib 36558 and loki 15140: retries of 429 made it worse. They wait longer each time, and not
// all as long; Retry-After is kept.
func TestReportRateLimited(t *testing.T) {
	r := newRig(t, lokitest.Options{}, func(cfg *Config) {
		cfg.RetryConfig.InitialInterval, cfg.RetryConfig.Multiplier = 40*time.Millisecond, 2
	})
	r.server.Script(
		lokitest.Answer{Status: http.StatusTooManyRequests, Body: "Ingestion rate limit exceeded for user fake", Times: 3},
		lokitest.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}},
	)
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(3, "chat")))
	came := r.server.Requests()
	require.Len(t, came, 5)
	assert.GreaterOrEqual(t, came[1].Time.Sub(came[0].Time), 20*time.Millisecond)
	assert.GreaterOrEqual(t, came[3].Time.Sub(came[2].Time), 80*time.Millisecond)
	assert.GreaterOrEqual(t, came[4].Time.Sub(came[3].Time), time.Second)
	assert.Equal(t, 4, r.server.Stats().Repeated)
	r.close()
}

// Loki 6731: one request above the burst never succeeded.
func TestReportBurst(t *testing.T) {
	r := newRig(t, lokitest.Options{}, func(cfg *Config) { cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig })
	ld := records(9000, "chat")
	for _, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		rec.Body().SetStr(strings.Repeat("x", 1000))
	}
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	require.Eventually(t, func() bool { return r.server.Stats().Kept == 9000 }, 10*time.Second, 20*time.Millisecond)
	for _, req := range r.server.Requests() {
		size := 0
		for _, rec := range req.Records {
			size += len(rec.Line)
		}
		assert.LessOrEqual(t, size, defaultBatchBytes)
	}
	r.close()
}

// A server with a lower burst than the default: what is refused again and again is sent in parts.
func TestSmallBurst(t *testing.T) {
	r := newRig(t, lokitest.Options{Limits: func(l *lokitest.Limits) {
		l.IngestionRate, l.IngestionBurst = 10<<20, 200<<10
	}}, func(cfg *Config) { cfg.RetryConfig.MaxInterval = 50 * time.Millisecond })
	ld := records(100, "chat")
	for _, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		rec.Body().SetStr(strings.Repeat("x", 10_000))
	}
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	assert.Len(t, r.server.Records(lokitest.Query{}), 100)
	r.close()
}

// Contrib 17445, 22038, 21168 and 22155: a label with a dot, one that a record does not have, two
// lists of which only one counted, and labels that nobody had asked for.
func TestReportLabels(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	ld := records(1, "chat")
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("k8s.namespace.name", "prod")
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(1, "chat")))
	assert.Equal(t, []string{
		`{k8s_namespace_name="prod", level="info", service_name="chat"}`,
		`{level="info", service_name="chat"}`,
	}, r.server.Streams("fake"))
	r.close()
}

// Logflare 3683 and traceway 130: ids as text in place of bytes, and base64 of JSON. What OTLP has
// as hex is in Loki as hex.
func TestReportIDs(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"},
		"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","attributes":[{"key":"trace_id","value":{"stringValue":"mine"}}]}]}]}]}`))
	require.NoError(t, err)
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	kept := r.server.Records(lokitest.Query{})
	require.Len(t, kept, 1)
	names := map[string]string{}
	for _, p := range kept[0].Metadata {
		names[p.Name] = p.Value
	}
	maps.DeleteFunc(names, func(name, _ string) bool { return name == "detected_level" })
	assert.Equal(t, map[string]string{
		"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7", "trace_id_attribute": "mine",
	}, names)
	assert.Zero(t, r.server.Stats().Collisions)
	r.close()
}

// A batch without records is no push, which Loki would answer with 422.
func TestReportEmpty(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), plog.NewLogs()))
	assert.Zero(t, r.server.Stats().Requests)
	r.close()
}

// What one tenant is refused for good does not keep the others from being tried again.
func TestMixedTenants(t *testing.T) {
	r := newRig(t, lokitest.Options{Auth: true}, func(cfg *Config) { cfg.Tenant.Resource = "service.name" })
	ld := records(1, "red")
	records(1, "blue").ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	r.server.Script(
		lokitest.Answer{Status: http.StatusUnauthorized},
		lokitest.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}},
	)
	begun := time.Now()
	err := r.exp.ConsumeLogs(t.Context(), ld)
	assert.False(t, err != nil && consumererror.IsPermanent(err))
	assert.GreaterOrEqual(t, time.Since(begun), time.Second)
	assert.Len(t, r.server.Records(lokitest.Query{Tenant: "blue"}), 1)
	assert.Empty(t, r.server.Records(lokitest.Query{Tenant: "red"}))
	assert.Equal(t, map[string]int64{"failed unauthorized": 1, "delivered none": 1}, r.entries())
	r.close()
}
