package lokiexporter

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// rig is the exporter, made by its factory, and a Loki.
type rig struct {
	t      *testing.T
	server *lokitest.Server
	exp    exporter.Logs
	tel    *componenttest.Telemetry
}

// newRig sends at once and without a queue, so that a test sees what becomes of a batch.
func newRig(t *testing.T, opts lokitest.Options, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, server: lokitest.New(t, opts), tel: componenttest.NewTelemetry()}
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoint = r.server.URL
	cfg.QueueConfig = configoptional.None[exporterhelper.QueueBatchConfig]()
	cfg.RetryConfig.InitialInterval = 10 * time.Millisecond
	cfg.RetryConfig.MaxElapsedTime = 5 * time.Second
	for _, c := range change {
		c(cfg)
	}
	require.NoError(t, cfg.Validate())
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = r.tel.NewTelemetrySettings()
	var err error
	r.exp, err = NewFactory().CreateLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, r.exp.Start(t.Context(), componenttest.NewNopHost()))
	return r
}

func (r *rig) close() {
	r.t.Helper()
	require.NoError(r.t, r.exp.Shutdown(r.t.Context()))
	require.NoError(r.t, r.tel.Shutdown(r.t.Context()))
}

// entries are counted by outcome and cause.
func (r *rig) entries() map[string]int64 {
	r.t.Helper()
	counts := map[string]int64{}
	m, err := r.tel.GetMetric("otelcol_exporter_loki_entries")
	if err != nil {
		return counts
	}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		outcome, _ := p.Attributes.Value("outcome")
		cause, _ := p.Attributes.Value("cause")
		counts[outcome.AsString()+" "+cause.AsString()] += p.Value
	}
	return counts
}

// records are n records of a service, a millisecond apart up to now.
func records(n int, service string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	sl := rl.ScopeLogs().AppendEmpty()
	begin := time.Now().Add(-time.Duration(n) * time.Millisecond)
	for i := range n {
		rec := sl.LogRecords().AppendEmpty()
		rec.SetTimestamp(pcommon.NewTimestampFromTime(begin.Add(time.Duration(i) * time.Millisecond)))
		rec.SetSeverityNumber(plog.SeverityNumberInfo)
		rec.SetTraceID(pcommon.TraceID{15: 1})
		rec.Body().SetStr(fmt.Sprintf("line %d", i))
		rec.Attributes().PutStr("request_id", fmt.Sprintf("r-%d", i))
	}
	return ld
}

func TestDelivered(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(3, "chat")))
	kept := r.server.Records(lokitest.Query{Labels: map[string]string{"service_name": "chat"}})
	require.Len(t, kept, 3)
	assert.Equal(t, "line 0", kept[0].Line)
	id, _ := kept[1].Get("request_id")
	assert.Equal(t, "r-1", id)
	trace, _ := kept[1].Get("trace_id")
	assert.Equal(t, "00000000000000000000000000000001", trace)
	assert.Zero(t, r.server.Stats().Violations)
	assert.Zero(t, r.server.Stats().Collisions)
	assert.Equal(t, map[string]int64{"delivered none": 3}, r.entries())
	r.close()
}

// Each tenant is a push of its own, and one that fails does not send the others again.
func TestTenants(t *testing.T) {
	r := newRig(t, lokitest.Options{Auth: true}, func(cfg *Config) { cfg.Tenant.Attribute, cfg.Tenant.Value = "team", "rest" })
	ld := records(3, "chat")
	for i, team := range []string{"red", "blue"} {
		ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(i).Attributes().PutStr("team", team)
	}
	r.server.Script(lokitest.Answer{Status: http.StatusServiceUnavailable})
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	for _, tenant := range []string{"red", "blue", "rest"} {
		assert.Len(t, r.server.Records(lokitest.Query{Tenant: tenant}), 1, tenant)
	}
	assert.Equal(t, 4, r.server.Stats().Requests, "three, and the first again")
	assert.Equal(t, 1, r.server.Stats().RepeatedEntries)
	r.close()
}

// What Loki has taken of a batch is not sent again, and only what it refused is counted lost.
func TestPartial(t *testing.T) {
	r := newRig(t, lokitest.Options{Limits: func(l *lokitest.Limits) { l.MaxLineSize = 20 }})
	ld := records(3, "chat")
	ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(1).Body().SetStr("a line that is longer than this Loki takes")
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	assert.Len(t, r.server.Records(lokitest.Query{}), 2)
	assert.Equal(t, 1, r.server.Stats().Requests)
	assert.Equal(t, map[string]int64{"delivered none": 2, "refused line_too_long": 1}, r.entries())
	r.close()
}

// large gives each record a body of 2 KB.
func large(ld plog.Logs) plog.Logs {
	for _, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		rec.Body().SetStr(strings.Repeat("x", 2000))
	}
	return ld
}

func TestTooLargeIsSplit(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	r.server.Script(lokitest.Answer{Status: http.StatusRequestEntityTooLarge, Times: 2})
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), large(records(8, "chat"))))
	assert.Len(t, r.server.Records(lokitest.Query{}), 8)
	assert.Equal(t, 5, r.server.Stats().Requests, "8, 4, 2 2, 4")
	r.close()
}

// A retry is the same to the byte, so that Loki knows what it has.
func TestRetryIsTheSame(t *testing.T) {
	for name, answer := range map[string]lokitest.Answer{
		"rate limit": {Status: http.StatusTooManyRequests, Body: "ingestion rate limit exceeded", Times: 2},
		"gateway":    {Status: http.StatusBadGateway, Store: true},
		"reset":      {Reset: true, Store: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, lokitest.Options{})
			r.server.Script(answer)
			require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(5, "chat")))
			assert.Len(t, r.server.Records(lokitest.Query{}), 5, "nothing lost or doubled")
			assert.Equal(t, max(answer.Times, 1), r.server.Stats().Repeated)
			assert.Zero(t, r.server.Stats().ChangedEntries)
			assert.Equal(t, map[string]int64{"delivered none": 5}, r.entries())
			r.close()
		})
	}
}

// What will never be taken is not tried again. 260 looks like success and is none.
func TestPermanent(t *testing.T) {
	for status, want := range map[int]string{
		260:                     "failed blocked_ingestion",
		http.StatusUnauthorized: "failed unauthorized",
		http.StatusNotFound:     "failed not_found",
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			r := newRig(t, lokitest.Options{})
			r.server.Script(lokitest.Answer{Status: status, Body: "no", Times: 3})
			err := r.exp.ConsumeLogs(t.Context(), records(5, "chat"))
			require.Error(t, err)
			assert.True(t, consumererror.IsPermanent(err))
			assert.Equal(t, 1, r.server.Stats().Requests)
			assert.Equal(t, map[string]int64{want: 5}, r.entries())
			r.close()
		})
	}
}

// Many small batches leave as few large ones, and Shutdown sends what waits.
func TestBatches(t *testing.T) {
	r := newRig(t, lokitest.Options{}, func(cfg *Config) { cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig })
	for range 200 {
		require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(10, "chat")))
	}
	r.close()
	assert.Equal(t, 2000, r.server.Stats().Entries)
	assert.Less(t, r.server.Stats().Requests, 20)
}
