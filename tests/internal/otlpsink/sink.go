// Package otlpsink is an OTLP receiver over gRPC that keeps what it gets.
package otlpsink

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // what the collector's exporter sends
)

// maxMessage is above what a collector's last export may be.
const maxMessage = 64 << 20

// Sink keeps exports in the order in which they came.
type Sink struct {
	Addr string

	forget  bool
	mu      sync.Mutex
	traces  []ptrace.Traces
	metrics []pmetric.Metrics
	logs    []plog.Logs
}

// Start starts a sink that listens until the test ends.
func Start(t testing.TB) *Sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &Sink{Addr: listener.Addr().String()}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage))
	ptraceotlp.RegisterGRPCServer(server, &traceServer{sink: s})
	pmetricotlp.RegisterGRPCServer(server, &metricServer{sink: s})
	plogotlp.RegisterGRPCServer(server, &logServer{sink: s})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-served
	})
	return s
}

// Forget has the sink take what comes and keep nothing.
func (s *Sink) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget = true
}

// Traces returns the exports of traces so far.
func (s *Sink) Traces() []ptrace.Traces {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.traces)
}

// EachSpan visits the spans so far, in the order in which they came.
func (s *Sink) EachSpan(visit func(ptrace.Span)) {
	for _, td := range s.Traces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					visit(span)
				}
			}
		}
	}
}

// SpanCount returns the number of spans so far.
func (s *Sink) SpanCount() (n int) {
	for _, td := range s.Traces() {
		n += td.SpanCount()
	}
	return n
}

// Metrics returns the exports of metrics so far.
func (s *Sink) Metrics() []pmetric.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.metrics)
}

// Logs returns the exports of log records so far.
func (s *Sink) Logs() []plog.Logs {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logs)
}

// Records returns the log records so far, but for those of the request log.
func (s *Sink) Records() []plog.LogRecord { return s.records(false) }

// RecordCount returns the number of Records.
func (s *Sink) RecordCount() int { return len(s.Records()) }

// RequestLog returns the records so far that the collector wrote of requests.
func (s *Sink) RequestLog() []plog.LogRecord { return s.records(true) }

func (s *Sink) records(ofRequests bool) (records []plog.LogRecord) {
	for _, ld := range s.Logs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, rec := range sl.LogRecords().All() {
					if ofRequests == (rec.EventName() == "inference.request") {
						records = append(records, rec)
					}
				}
			}
		}
	}
	return records
}

type traceServer struct {
	ptraceotlp.UnimplementedGRPCServer
	sink *Sink
}

// Export takes one export.
func (s *traceServer) Export(_ context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if !s.sink.forget {
		s.sink.traces = append(s.sink.traces, r.Traces())
	}
	return ptraceotlp.NewExportResponse(), nil
}

type metricServer struct {
	pmetricotlp.UnimplementedGRPCServer
	sink *Sink
}

// Export takes one export.
func (s *metricServer) Export(_ context.Context, r pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if !s.sink.forget {
		s.sink.metrics = append(s.sink.metrics, r.Metrics())
	}
	return pmetricotlp.NewExportResponse(), nil
}

type logServer struct {
	plogotlp.UnimplementedGRPCServer
	sink *Sink
}

// Export takes one export.
func (s *logServer) Export(_ context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if !s.sink.forget {
		s.sink.logs = append(s.sink.logs, r.Logs())
	}
	return plogotlp.NewExportResponse(), nil
}
