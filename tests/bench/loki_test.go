package bench

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter"
)

// logSink takes pushes and OTLP exports, and counts their records. It is part of the process
// that is measured, and costs about the same for both.
type logSink struct {
	*httptest.Server
	records atomic.Int64
	rooms   sync.Pool // of *room
}

// room is what a sink uses again, so that its garbage is not counted with that of exporters.
type room struct {
	body, plain bytes.Buffer
	gzip        gzip.Reader
}

func newLogSink(tb testing.TB) *logSink {
	tb.Helper()
	s := &logSink{rooms: sync.Pool{New: func() any { return &room{} }}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		room := s.rooms.Get().(*room)
		defer s.rooms.Put(room)
		room.body.Reset()
		if _, err := room.body.ReadFrom(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, err := room.recordsIn(r.Header.Get("Content-Encoding"), r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.records.Add(int64(n))
		if r.URL.Path == lokiPath {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	tb.Cleanup(s.Close)
	return s
}

const lokiPath = "/loki/api/v1/push"

func (r *room) recordsIn(encoding, path string) (n int, err error) {
	body := r.body.Bytes()
	switch {
	// Both are a block, not framed: that of Loki is by its protocol, the other since
	// confighttp's gate framedSnappy.
	case path == lokiPath, encoding == "snappy":
		r.plain.Reset()
		size, _ := snappy.DecodedLen(body)
		r.plain.Grow(size)
		body, err = snappy.Decode(r.plain.AvailableBuffer()[:size], body)
	case encoding == "gzip":
		r.plain.Reset()
		if err = r.gzip.Reset(&r.body); err == nil {
			_, err = r.plain.ReadFrom(&r.gzip)
		}
		body = r.plain.Bytes()
	}
	if err != nil {
		return 0, err
	}
	if path == lokiPath {
		return countAt(body, 1, 2)
	}
	return countAt(body, 1, 2, 2)
}

// countAt counts the messages at a path of field numbers, field first.
func countAt(message []byte, field protowire.Number, below ...protowire.Number) (n int, err error) {
	for len(message) > 0 {
		num, kind, size := protowire.ConsumeField(message)
		if size < 0 {
			return 0, protowire.ParseError(size)
		}
		if num == field && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(message)
			inner, _ := protowire.ConsumeBytes(message[tag:])
			if len(below) == 0 {
				n++
			} else {
				inside, err := countAt(inner, below[0], below[1:]...)
				if err != nil {
					return 0, err
				}
				n += inside
			}
		}
		message = message[size:]
	}
	return n, nil
}

// newLogExporter starts an exporter without its queue, so that all it does is done when a
// batch is consumed.
func newLogExporter(tb testing.TB, f exporter.Factory, config map[string]any) exporter.Logs {
	tb.Helper()
	config["sending_queue"] = map[string]any{"enabled": false}
	cfg := f.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(config).Unmarshal(cfg))
	set := exportertest.NewNopSettings(f.Type())
	set.TelemetrySettings = settings(tb, f.Type()).TelemetrySettings
	e, err := f.CreateLogs(tb.Context(), set, cfg)
	require.NoError(tb, err)
	start(tb, e)
	return e
}

// BenchmarkLoki is a record from a batch to the answer of its server: by our exporter, and by
// otlp_http with snappy and with gzip, its default. The server counts them, in the same process.
func BenchmarkLoki(b *testing.B) {
	// Each section goes over the batches several times: it begins right behind a collection of
	// garbage, which empties pools that else last for about as many records as this.
	const records, perPush, rounds = 50_000, 5_000, 10
	server := newLogSink(b)
	batches := pushes(b, records, perPush)
	ways := []struct {
		name string
		exporter.Logs
		costs []cost
	}{
		{"ours", newLogExporter(b, lokiexporter.NewFactory(), map[string]any{"endpoint": server.URL}), nil},
		{"otlp_http snappy", newLogExporter(b, otlphttpexporter.NewFactory(), map[string]any{"endpoint": server.URL, "compression": "snappy"}), nil},
		{"otlp_http gzip", newLogExporter(b, otlphttpexporter.NewFactory(), map[string]any{"endpoint": server.URL}), nil},
	}
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			before := server.records.Load()
			w.costs = append(w.costs, measure(b, rounds*records, func() {
				for range rounds {
					for _, ld := range batches {
						if err := w.ConsumeLogs(b.Context(), ld); err != nil {
							require.NoError(b, err)
						}
					}
				}
			}))
			require.EqualValues(b, rounds*records, server.records.Load()-before, w.name)
		}
	}
	score(b, "record", 0, ways[0].costs)
	for _, w := range ways[1:] {
		tabulate(rowOf(b.Name()+", "+w.name, "record", 0, w.costs))
		b.ReportMetric(median(w.costs, cpuOf)/median(ways[0].costs, cpuOf), strings.ReplaceAll(w.name, " ", "-")+"/ours")
	}
}

// pushes are records as they leave log_correlation, in batches as large as a push.
func pushes(tb testing.TB, records, perPush int) (large []plog.Logs) {
	tb.Helper()
	now := pcommon.NewTimestampFromTime(time.Now())
	for i, ld := range logBatches(tb, 0, records, func(rec plog.LogRecord, n uint64) {
		rec.SetTimestamp(now + pcommon.Timestamp(n))
		rec.SetObservedTimestamp(now + pcommon.Timestamp(n))
		rec.SetTraceID(traceID(n))
		rec.SetSpanID(spanID(n, 1))
		rec.Body().SetStr("request finished: POST /v1/chat/completions 200 OK in 2803.5 ms")
		a := rec.Attributes()
		a.PutStr("request_id", requestID(n))
		a.PutStr("model_name", "qwen3-8b")
		a.PutInt("input_tokens", 128)
		a.PutInt("output_tokens", 271)
		for i, key := range []string{"preprocess_time_ms", "queue_time_ms", "inference_time_ms", "postprocess_time_ms", "total_time_ms", "ttft_ms"} {
			a.PutDouble(key, float64(n%1000)+float64(i)+0.125)
		}
		a.PutStr("correlation.state", "joined")
	}) {
		if i%(perPush/batchSize) == 0 {
			large = append(large, plog.NewLogs())
		}
		ld.ResourceLogs().MoveAndAppendTo(large[len(large)-1].ResourceLogs())
	}
	return large
}
