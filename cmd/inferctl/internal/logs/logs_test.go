package logs

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

var span = trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})

// lines plays a load and returns the log line of each request.
func lines(t *testing.T, n int) map[engine.Outcome]Line {
	t.Helper()
	cfg := engine.DefaultConfig()
	cfg.Requests, cfg.Rate, cfg.QueueLimit, cfg.ErrorRate, cfg.AbortRate = n, 30, 10, 0.1, 0.1
	sim, err := engine.New(cfg)
	require.NoError(t, err)
	byOutcome := map[engine.Outcome]Line{}
	sim.Run(nil, func(m engine.Moment) {
		if m.Milestone == engine.Ended {
			byOutcome[m.Request.Outcome] = newLine(Moment{Moment: m, RequestID: "id", Time: time.Unix(0, int64(m.At)).UTC(), Span: span})
		}
	})
	return byOutcome
}

func TestLineOfASuccess(t *testing.T) {
	l := lines(t, 200)[engine.OK]
	assert.Equal(t, "INFO", l.Level)
	assert.Empty(t, l.ErrorType)
	parts := l.Preprocess + l.Queue + l.Inference + l.Postprocess
	assert.Less(t, parts, l.Total)
	assert.InDelta(t, l.Total, parts, 5, "receiving and sending is all that is missing")
	assert.Greater(t, l.TTFT, l.Queue)
	assert.Equal(t, "01000000000000000000000000000000", l.TraceID)
	assert.Equal(t, "0200000000000000", l.SpanID)
}

func TestLinesOfFailures(t *testing.T) {
	all := lines(t, 400)
	assert.Equal(t, "ERROR", all[engine.Failed].Level)
	assert.Equal(t, "WARN", all[engine.Aborted].Level)
	rejected, err := json.Marshal(all[engine.Rejected])
	require.NoError(t, err)
	assert.Contains(t, string(rejected), `"error_type":"429"`)
	for _, absent := range []string{"queue_time_ms", "inference_time_ms", "ttft_ms"} {
		assert.NotContains(t, string(rejected), absent, "not measured is not 0")
	}
}

func TestFileAppendsJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.log")
	for range 2 {
		f, err := OpenJSON(path)
		require.NoError(t, err)
		require.NoError(t, f.add(Line{RequestID: "id"}))
		assert.Equal(t, 1, f.Lines())
		require.NoError(t, f.Close())
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	n := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); n++ {
		var l Line
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &l))
		assert.Equal(t, "id", l.RequestID)
	}
	assert.Equal(t, 2, n)
	_, err = OpenJSON(t.TempDir())
	assert.ErrorContains(t, err, "--logs")
}

// memory is an exporter that keeps copies of the records.
type memory struct{ records []sdklog.Record }

func (m *memory) Export(_ context.Context, records []sdklog.Record) error {
	for i := range records {
		m.records = append(m.records, records[i].Clone())
	}
	return nil
}

func (*memory) ForceFlush(context.Context) error { return nil }

func (*memory) Shutdown(context.Context) error { return nil }

func TestRecordsBearTraceContextBodyAndAttributes(t *testing.T) {
	m := &memory{}
	r := NewRecords(m, resource.Empty())
	line := Line{Timestamp: time.Unix(5, 0).UTC(), Level: "ERROR", InputTokens: 7, Queue: 3}
	require.NoError(t, r.add(line, span))
	require.NoError(t, r.Close())
	require.Len(t, m.records, 1)
	got := &m.records[0]
	assert.Equal(t, span.TraceID(), got.TraceID())
	assert.Equal(t, span.SpanID(), got.SpanID())
	assert.True(t, line.Timestamp.Equal(got.Timestamp()))
	assert.Equal(t, "ERROR", got.SeverityText())

	var body Line
	require.NoError(t, json.Unmarshal([]byte(got.Body().AsString()), &body))
	assert.Equal(t, line, body)
	values := map[attribute.Key]attribute.Value{}
	got.WalkAttributes(func(a attribute.KeyValue) bool {
		values[a.Key] = a.Value
		return true
	})
	assert.Equal(t, int64(7), values["input_tokens"].AsInt64())
	assert.InDelta(t, 3.0, values["queue_time_ms"].AsFloat64(), 0, "a time is a double even when it is whole")
}

func TestRecordsLoseNothingInAHurry(t *testing.T) {
	m := &memory{}
	r := NewRecords(m, resource.Empty())
	const n = 5 * queueSize
	for range n {
		require.NoError(t, r.add(Line{Level: "INFO"}, span))
	}
	require.NoError(t, r.Close())
	assert.Len(t, m.records, n)
}

func TestOffKeepsNothing(t *testing.T) {
	require.NoError(t, Off{}.Observe(Moment{}))
	require.NoError(t, Off{}.Close())
}
