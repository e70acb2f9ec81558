package requestlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

func testConfig() Config {
	return Config{Only: OnlyAll, FlushInterval: time.Hour, Timeout: time.Second, MaxBatch: 100, MaxPending: 1000}
}

func measured(seconds float64) inference.Measure {
	return inference.NewMeasure(seconds, inference.Measured)
}

// request is one with all that there is to tell.
func request() *inference.Request {
	c := inference.Call{Duration: measured(1), TPOT: measured(0.01)}
	for p := range inference.NumPhases {
		c.Phases[p] = measured(0.1)
	}
	return &inference.Request{
		TraceID: [16]byte{1}, SpanID: [8]byte{1}, Seen: true, RequestID: "r-1",
		Identity: inference.Identity{ServiceName: "chat", Model: "m", ModelVersion: "1"},
		Start:    1_767_225_600e9, Duration: measured(1.5), TTFT: measured(0.2), Calls: []inference.Call{c},
		InputTokens: inference.NewCount(1), OutputTokens: inference.NewCount(2), CachedTokens: inference.NewCount(0),
		FinishReason: inference.FinishStop,
	}
}

// Scenario: requests end while the log's buffers have the size that they need.
// Guarantees: a request allocates nothing, whether it gets a record, waits or has no room.
func TestAddAllocatesNothing(t *testing.T) {
	l := New(testConfig(), zap.NewNop())
	l.running, l.wake = true, make(chan struct{}, 1)
	l.filling = make([]entry, 0, 1000)
	r := request()
	assert.Zero(t, testing.AllocsPerRun(5000, func() { l.Add(r) }))
	assert.EqualValues(t, 1000, l.Stats.Pending.Load())
	assert.EqualValues(t, 4001, l.Stats.Dropped[ReasonMaxPending].Load())
}

// Scenario: spans with times that no clock has.
// Guarantees: the record's time is the request's end where it is known, else its start, else when it
// was observed.
func TestEnded(t *testing.T) {
	const start = int64(1_767_225_600_000_000_000)
	assert.Equal(t, start+1_500_000_000, ended(&inference.Request{Start: start, Duration: measured(1.5)}))
	assert.Equal(t, start, ended(&inference.Request{Start: start}))
	assert.Zero(t, ended(&inference.Request{Start: 17, Duration: measured(1)}))

	now := time.Unix(1_800_000_000, 0)
	w := writer{}
	logs := w.logs(now, []entry{{}})
	rec := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, now.UTC(), rec.Timestamp().AsTime())
	assert.Equal(t, now.UTC(), rec.ObservedTimestamp().AsTime())
}

// Scenario: several calls of one request, or several views of one call, of which one has a time per
// output token.
// Guarantees: that of another call is not told as the request's.
func TestPerToken(t *testing.T) {
	engine := inference.Call{Role: inference.RoleServer}
	client := inference.Call{Role: inference.RoleClient, Outer: true, TPOT: measured(0.02)}
	assert.Equal(t, measured(0.02), perToken(&inference.Request{Calls: []inference.Call{client, engine}}))
	other := client
	other.Outer = false
	assert.False(t, perToken(&inference.Request{Calls: []inference.Call{other, engine}}).Known())
	assert.False(t, perToken(&inference.Request{}).Known())
}

// BenchmarkAdd measures what a request costs who closes it.
func BenchmarkAdd(b *testing.B) {
	l := New(testConfig(), zap.NewNop())
	l.cfg.MaxPending = 1 << 30
	l.Start(consumertest.NewNop())
	r := request()
	b.ReportAllocs()
	for b.Loop() {
		l.Add(r)
	}
	require.NoError(b, l.Stop(b.Context()))
}

// BenchmarkWrite measures a record in OTLP's own data types.
func BenchmarkWrite(b *testing.B) {
	batch := make([]entry, 100)
	for i := range batch {
		batch[i] = entryOf(request())
	}
	w := writer{scope: "s"}
	b.ReportAllocs()
	for b.Loop() {
		w.logs(time.Time{}, batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(batch)), "ns/record")
}
