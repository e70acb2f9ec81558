// Package jaeger starts a real Jaeger and reads traces back from it.
package jaeger

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

const (
	startTimeout = 30 * time.Second
	getIt        = "scripts/backend.sh jaeger, and set JAEGER to what .cache/backends.env says; make e2e-full does both"
)

// Server is a Jaeger that runs until the test ends and keeps traces in memory.
type Server struct {
	*process.Process
	// OTLP is where it takes spans over gRPC.
	OTLP  string
	query string
}

// config opens no port but its own; Jaeger's default opens a dozen.
const config = `
service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [jaeger_storage_exporter]
  telemetry:
    metrics:
      level: none
extensions:
  jaeger_storage:
    backends:
      mem:
        memory:
          max_traces: 100000
  jaeger_query:
    storage:
      traces: mem
    http:
      endpoint: %s
    grpc:
      endpoint: %s
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: %s
exporters:
  jaeger_storage_exporter:
    trace_storage: mem
`

// Start starts a Jaeger and waits until it answers.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{OTLP: loopback.Addr(t), query: loopback.Addr(t)}
	file := filepath.Join(t.TempDir(), "jaeger.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, config, s.query, loopback.Addr(t), s.OTLP), 0o600))
	s.Process = process.Start(t, process.Find(t, "JAEGER", "../../.cache/bin/jaeger", getIt), "--config", file)
	require.Eventually(t, func() bool {
		_, err := s.Trace(t.Context(), "1")
		return s.Ended() || err == nil
	}, startTimeout, 50*time.Millisecond)
	require.False(t, s.Ended(), "Jaeger ended while it started")
	return s
}

// Span is what is looked at of a span.
type Span struct {
	ID        string `json:"spanID"`
	Operation string `json:"operationName"`
	Tags      []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	} `json:"tags"`
}

// Tag returns the value of an attribute; nil where there is none.
func (s *Span) Tag(key string) any {
	for _, tag := range s.Tags {
		if tag.Key == key {
			return tag.Value
		}
	}
	return nil
}

// Trace returns the spans of a trace, none of one that is not there.
func (s *Server) Trace(ctx context.Context, id string) ([]Span, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.query+"/api/traces/"+id, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	var answer struct {
		Data []struct {
			Spans []Span `json:"spans"`
		} `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%s: %w", resp.Status, err)
	}
	var spans []Span
	for _, trace := range answer.Data {
		spans = append(spans, trace.Spans...)
	}
	return spans, nil
}
