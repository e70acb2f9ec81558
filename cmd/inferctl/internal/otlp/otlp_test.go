package otlp

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTallyCountsAndStopsTryingAfterAFailure(t *testing.T) {
	next, tally := &exports{}, NewTally()
	exporter := CountSpans(next, tally)
	require.NoError(t, exporter.ExportSpans(t.Context(), spansOf(1, 2, true)))
	next.err = errors.New("gone")
	require.NoError(t, exporter.ExportSpans(t.Context(), spansOf(2, 2, true)))
	require.NoError(t, exporter.ExportSpans(t.Context(), spansOf(3, 0, true)))

	sent, failed, err := tally.Result()
	assert.Equal(t, 3, sent)
	assert.Equal(t, 4, failed)
	require.EqualError(t, err, "gone")
	assert.Len(t, next.batches, 2, "the third was not tried")
	select {
	case <-tally.Broken():
	default:
		t.Error("a failed export breaks the tally")
	}
}

func TestTargetIsValidated(t *testing.T) {
	good := Target{Endpoint: "collector:4317", Protocol: ProtocolGRPC, RetryFor: time.Second}
	require.NoError(t, good.Validate())
	for flag, spoil := range map[string]func(*Target){
		"--protocol":  func(t *Target) { t.Protocol = "thrift" },
		"--endpoint":  func(t *Target) { t.Endpoint = "collector" },
		"a scheme":    func(t *Target) { t.Endpoint = "http://collector:4318" },
		"--retry-for": func(t *Target) { t.RetryFor = 0 },
	} {
		bad := good
		spoil(&bad)
		assert.ErrorContains(t, bad.Validate(), flag)
	}
}

func TestLoopback(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, "10.0.0.1:1": false, "collector:1": false, "localhost": false,
	} {
		assert.Equal(t, want, IsLoopback(endpoint), endpoint)
	}
}

func TestExportersOpen(t *testing.T) {
	for _, protocol := range []string{ProtocolGRPC, ProtocolHTTP} {
		target := Target{Endpoint: "127.0.0.1:1", Protocol: protocol, Insecure: true, RetryFor: time.Second, Headers: map[string]string{"a": "b"}}
		spans, err := target.SpanExporter(t.Context())
		require.NoError(t, err)
		require.NoError(t, spans.Shutdown(t.Context()))
		logs, err := target.LogExporter(t.Context())
		require.NoError(t, err)
		require.NoError(t, logs.Shutdown(t.Context()))
	}
}
