package binary

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// longWait holds records for longer than a test takes.
const longWait = "processors: {log_correlation: {wait: 5m}}"

// recordOf is a record with a number, of the trace.
func recordOf(n int64, trace pcommon.TraceID) plog.Logs {
	ld := plog.NewLogs()
	rec := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	rec.Body().SetStr("request finished")
	rec.SetTraceID(trace)
	rec.Attributes().PutInt("n", n)
	return ld
}

// numbersAt are the numbers of the records that arrived, each with how often it did.
func numbersAt(sink *otlpsink.Sink) map[int64]int {
	seen := map[int64]int{}
	for _, rec := range sink.Records() {
		n, _ := rec.Attributes().Get("n")
		seen[n.Int()]++
	}
	return seen
}

// Scenario: SIGTERM while records wait for traces that never come.
// Guarantees: all of them leave, each once; exit code 0.
func TestSIGTERMWithHeldRecords(t *testing.T) {
	t.Parallel()
	const records = 500
	sink := otlpsink.Start(t)
	c := collector.Start(t, collector.ToSink(sink.Addr), longWait)
	send := otlpclient.GRPCLogs(t, c.GRPC)
	for n := range int64(records) {
		require.NoError(t, send(t.Context(), recordOf(n, newTraceID())))
	}
	assert.InDelta(t, records, page.Get(t, c.Own).Value(ownLogs+"held_records", nil), 0)
	require.Empty(t, sink.Records())
	assert.Zero(t, c.Stop(t), "exit code")
	seen := numbersAt(sink)
	assert.Len(t, seen, records)
	assert.Len(t, sink.Records(), records)
	for _, rec := range sink.Records() {
		state, _ := rec.Attributes().Get("correlation.state")
		assert.Equal(t, "unmatched", state.Str())
	}
}

// Scenario: SIGHUP makes the collector start its pipelines anew, while clients send a record
// and then its trace, again and again.
// Guarantees: each record that was acknowledged leaves, once; those after the reload are joined
// as those before it.
func TestReloadWithHeldRecords(t *testing.T) {
	t.Parallel()
	const ready = "Everything is ready"
	sink := otlpsink.Start(t)
	c := collector.Start(t, collector.ToSink(sink.Addr), longWait, collector.ShortWaits)
	request := unmarshal(t, vllmRequest(t))
	sendLogs, sendTraces := otlpclient.GRPCLogs(t, c.GRPC), otlpclient.GRPC(t, c.GRPC)
	for n := range int64(100) { // traces that never come
		require.NoError(t, sendLogs(t.Context(), recordOf(-1-n, newTraceID())))
	}

	var next, taken atomic.Int64
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for range senders {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				td := inNewTraces(request)
				var trace pcommon.TraceID
				eachSpan(td, func(s ptrace.Span) { trace = s.TraceID() })
				if sendLogs(t.Context(), recordOf(next.Add(1), trace)) == nil {
					taken.Add(1)
				}
				// The traces' connection can come back a second after the logs' one; a record
				// whose trace was never taken is not to be joined.
				for range 1000 {
					if sendTraces(t.Context(), td) == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	atLeast := func(n int64) func(ct *assert.CollectT) {
		return func(ct *assert.CollectT) { assert.GreaterOrEqual(ct, taken.Load(), n) }
	}
	eventually(t, atLeast(200))
	c.Reload(t)
	eventually(t, func(ct *assert.CollectT) { assert.Equal(ct, 2, strings.Count(c.Output(), ready)) })
	before := next.Load()
	eventually(t, atLeast(taken.Load()+200))
	close(stop)
	clients.Wait()
	assert.Zero(t, c.Stop(t), "exit code")

	seen, states := numbersAt(sink), map[string]int{}
	assert.Len(t, seen, int(taken.Load())+100, "records in and out")
	for n, times := range seen {
		assert.Equal(t, 1, times, "record %d", n)
	}
	for _, rec := range sink.Records() {
		n, _ := rec.Attributes().Get("n")
		state, _ := rec.Attributes().Get("correlation.state")
		when := "before"
		if n.Int() > before {
			when = "after"
		}
		states[fmt.Sprint(when, " ", state.Str())]++
	}
	assert.Greater(t, states["before joined"], 100, "%v", states)
	assert.Greater(t, states["after joined"], 100, "%v", states)
	assert.Zero(t, states["after unmatched"], "%v", states)
}
