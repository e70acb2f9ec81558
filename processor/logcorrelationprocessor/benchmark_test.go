package logcorrelationprocessor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

const perBatch = 100

// bench starts the processor in both pipelines, before nothing.
func bench(b *testing.B, change func(*Config)) (processor.Traces, processor.Logs) {
	b.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.MaxBacklogBytes = 1 << 40
	if change != nil {
		change(cfg)
	}
	set := processortest.NewNopSettings(metadata.Type)
	set.ID = component.NewID(metadata.Type)
	tap, err := NewFactory().CreateTraces(b.Context(), set, cfg, consumertest.NewNop())
	require.NoError(b, err)
	join, err := NewFactory().CreateLogs(b.Context(), set, cfg, consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, tap.Start(b.Context(), componenttest.NewNopHost()))
	require.NoError(b, join.Start(b.Context(), componenttest.NewNopHost()))
	b.Cleanup(func() {
		require.NoError(b, tap.Shutdown(b.Context()))
		require.NoError(b, join.Shutdown(b.Context()))
	})
	return tap, join
}

// repeat is a batch of one record many times.
func repeat(write func(int) func(plog.LogRecord)) plog.Logs {
	ld := batch("engine")
	for i := range perBatch {
		write(i)(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty())
	}
	return ld
}

// consume measures a batch through join. It is read from the wire anew each time, outside the
// measurement: what passes is changed.
func consume(b *testing.B, join processor.Logs, ld plog.Logs) {
	b.Helper()
	wire, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		fresh, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(wire)
		require.NoError(b, err)
		b.StartTimer()
		require.NoError(b, join.ConsumeLogs(b.Context(), fresh))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perBatch, "ns/record")
}

// plain writes records as services do: a few attributes and a short text.
func plain(write func(int) func(plog.LogRecord)) func(int) func(plog.LogRecord) {
	return func(i int) func(plog.LogRecord) {
		return func(rec plog.LogRecord) {
			write(i)(rec)
			rec.Attributes().PutStr("code.function.name", "handle")
			rec.Attributes().PutInt("code.line.number", 42)
			rec.Attributes().PutStr("thread.name", "main")
		}
	}
}

// BenchmarkRecord measures a record that does not wait: one of a trace id of its own about which
// nothing is known, one of no request, one that joins by either id, and bodies that are read.
func BenchmarkRecord(b *testing.B) {
	json := func(prompt int) func(int) func(plog.LogRecord) {
		body := fmt.Sprintf(`{"level":"INFO","message":"request finished","prompt":%q,"trace_id":%q,"span_id":%q,"gen_ai.request.model":"llama-3-8b","prompt_tokens":128,"completion_tokens":31,"queue_time_ms":20.0}`,
			strings.Repeat("lorem ipsum ", prompt/12), traceOf(-1), spanOf(1))
		return func(int) func(plog.LogRecord) { return saying(body) }
	}
	for _, bb := range []struct {
		name  string
		write func(int) func(plog.LogRecord)
	}{
		{"native id", plain(func(int) func(plog.LogRecord) { return about(-1) })},
		{"no id", plain(func(int) func(plog.LogRecord) { return saying("server starting") })},
		{"join by trace id", plain(func(int) func(plog.LogRecord) { return about(1) })},
		{"join by request id", plain(func(int) func(plog.LogRecord) { return naming(1) })},
		{"vllm line", func(int) func(plog.LogRecord) {
			return saying("INFO 08-21 12:00:00 [logger.py:42] Finished request cmpl-" + requestOf(1) + ".")
		}},
		{"text 600 B", func(int) func(plog.LogRecord) {
			return saying("INFO 08-21 12:00:00 [core.py:42] " + strings.Repeat("words of no request ", 29))
		}},
		{"json 300 B", json(0)},
		{"json 4 KB", json(4000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			tap, join := bench(b, func(cfg *Config) { cfg.Hold = []HoldRule{{}} })
			require.NoError(b, tap.ConsumeTraces(b.Context(), call(1)))
			ld := repeat(bb.write)
			consume(b, join, ld)
			if body := len(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()); body > 200 {
				b.ReportMetric(float64(b.N)*perBatch*float64(body)/1e6/b.Elapsed().Seconds(), "MB/s")
			}
		})
	}
}

// BenchmarkHeldRecord measures a record that waits, by itself or with others of its request, and
// leaves when its trace comes: ten records for each trace, and the trace.
func BenchmarkHeldRecord(b *testing.B) {
	tap, join := bench(b, nil)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		ld := repeat(plain(func(i int) func(plog.LogRecord) { return about(n + i/10) }))
		td := calls(n, n+perBatch/10)
		n += perBatch / 10
		b.StartTimer()
		require.NoError(b, join.ConsumeLogs(b.Context(), ld))
		require.NoError(b, tap.ConsumeTraces(b.Context(), td))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perBatch, "ns/record")
}

// BenchmarkTap measures what a span costs that passes.
func BenchmarkTap(b *testing.B) {
	tap, _ := bench(b, nil)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		td := calls(n, n+perBatch)
		n += perBatch
		b.StartTimer()
		require.NoError(b, tap.ConsumeTraces(b.Context(), td))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perBatch, "ns/span")
}
