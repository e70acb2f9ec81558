package lokiexporter

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// A server that finds everything too large is not asked for each record, and told of once.
func TestTooLargeForEver(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	r.server.Script(lokitest.Answer{Status: http.StatusRequestEntityTooLarge, Times: 100_000})
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(1000, "chat")))
	assert.Less(t, r.server.Stats().Requests, 100)
	assert.Equal(t, map[string]int64{"refused request_body_too_large": 1000}, r.entries())
	r.close()
}

// A server that hangs is waited for once for a batch, not once for each tenant.
func TestHangsOnce(t *testing.T) {
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hangs.Close()
	exp := startAt(t, hangs.URL, componenttest.NewNopHost(), noRetry, func(cfg *Config) {
		cfg.Timeout, cfg.Tenant.Resource = 200*time.Millisecond, "service.name"
	})
	ld := plog.NewLogs()
	for i := range 50 {
		records(1, fmt.Sprint("tenant", i)).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
	begun := time.Now()
	require.Error(t, exp.ConsumeLogs(t.Context(), ld))
	assert.Less(t, time.Since(begun), 5*time.Second)
	require.NoError(t, exp.Shutdown(t.Context()))
}

// Scenario: records of a day, as after an outage, in order; with answers that make it try again.
// Guarantees: none overtakes another and is refused as too far behind.
func TestBackfill(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{Limits: func(l *lokitest.Limits) { l.IngestionRate, l.PerStreamRate = 0, 0 }})
	server.Script(lokitest.Answer{Status: http.StatusServiceUnavailable, Times: 2})
	exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) {
		cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig
		cfg.QueueConfig.Get().Batch.Get().FlushTimeout = 10 * time.Millisecond
	})
	const n = 4800
	for i := range 24 {
		ld := large(records(n/24, "chat"))
		for k, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
			rec.SetTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(time.Duration(i-24)*time.Hour + time.Duration(k)*time.Second)))
		}
		require.NoError(t, exp.ConsumeLogs(t.Context(), ld))
	}
	require.Eventually(t, func() bool { return server.Stats().Kept == n }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, exp.Shutdown(t.Context()))
}

// Neither a query nor a password of the endpoint is in what is said about a connection.
func TestSecrets(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	set := exportertest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoint = "http://ada:s3cret@127.0.0.1:1/push?token=t0psecret"
	cfg.QueueConfig, cfg.RetryConfig.Enabled = configoptional.None[exporterhelper.QueueBatchConfig](), false
	exp, err := NewFactory().CreateLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	err = exp.ConsumeLogs(t.Context(), records(1, "chat"))
	require.ErrorContains(t, err, "127.0.0.1:1")
	said := []any{err}
	for _, e := range logs.All() {
		said = append(said, e.Message, e.ContextMap())
	}
	for _, endpoint := range []string{"ada:s3cret@loki:3100?token=t0psecret", "htp://ada:x@s3cret@loki:3100"} {
		cfg.Endpoint = endpoint
		said = append(said, cfg.Validate())
	}
	text := fmt.Sprint(said...)
	assert.NotContains(t, text, "s3cret")
	assert.NotContains(t, text, "t0psecret")
	require.NoError(t, exp.Shutdown(t.Context()))
}

// An answer that breaks off is what its status and its beginning say.
func TestBrokenAnswers(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{http.StatusTooManyRequests, "", "rate_limited"},
		{http.StatusTooManyRequests, "Ingestion rate limit exc", "rate_limited"},
		{http.StatusBadRequest, "", "400 Bad Request"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", "1000")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		}))
		exp := startAt(t, server.URL, componenttest.NewNopHost(), noRetry)
		err := exp.ConsumeLogs(t.Context(), records(1, "chat"))
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "malformed_request")
		require.NoError(t, exp.Shutdown(t.Context()))
		server.Close()
	}
}
