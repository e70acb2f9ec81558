package binary

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
)

const (
	senders           = 4
	requestsPerExport = 5
	enoughRequests    = 2000
)

// Scenario: SIGTERM while four clients send whole requests as fast as they can; with the
// default waits all of them are still open then, and nothing was exported before.
// Guarantees: the last export has every request that was acknowledged, no more; exit code 0.
func TestSIGTERMUnderLoad(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(c *collector.Collector) otlpclient.Send{
		"grpc": func(c *collector.Collector) otlpclient.Send { return otlpclient.GRPC(t, c.GRPC) },
		"http": func(c *collector.Collector) otlpclient.Send { return otlpclient.HTTP(t, c.HTTP) },
	} {
		t.Run(name, func(t *testing.T) {
			sink := otlpsink.Start(t)
			c := collector.Start(t, collector.ToSink(sink.Addr))
			l := startLoad(t, func() otlpclient.Send { return client(c) })
			require.Eventually(t, func() bool { return l.acknowledged.Load() >= enoughRequests }, patience, time.Millisecond)
			require.Empty(t, sink.Metrics(), "nothing has closed yet")
			c.Terminate(t)
			assert.Zero(t, c.Wait(t), "exit code")
			l.stop()

			exports := sink.Metrics()
			require.NotEmpty(t, exports)
			want := l.acknowledged.Load()
			assert.Equal(t, want, countOf(exports[len(exports)-1], "inference.request.duration"),
				"requests in the last export, of those acknowledged")
			assert.Equal(t, want*l.spansPerRequest, int64(sink.SpanCount()), "spans at the traces exporter")
		})
	}
}

// load is requests sent at full speed by several clients.
type load struct {
	acknowledged    atomic.Int64 // requests
	spansPerRequest int64
	stop            func()
}

// startLoad starts clients that send until an export fails.
func startLoad(t *testing.T, client func() otlpclient.Send) *load {
	t.Helper()
	request := unmarshal(t, vllmRequest(t))
	l := &load{spansPerRequest: int64(request.SpanCount())}
	// Not the test's context: when that ends, exports would fail that the collector has taken.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	var running sync.WaitGroup
	for range senders {
		send := client()
		running.Go(func() {
			for send(ctx, export(request)) == nil {
				l.acknowledged.Add(requestsPerExport)
			}
		})
	}
	l.stop = func() {
		running.Wait()
		cancel()
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return l
}

// export returns some requests, each a trace of its own.
func export(request ptrace.Traces) ptrace.Traces {
	td := ptrace.NewTraces()
	for range requestsPerExport {
		inNewTraces(request).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td
}

// countOf sums the counts of a histogram's series.
func countOf(metrics pmetric.Metrics, name string) (n int64) {
	for _, rm := range metrics.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Name() != name {
					continue
				}
				for _, p := range m.Histogram().DataPoints().All() {
					n += int64(p.Count())
				}
			}
		}
	}
	return n
}
