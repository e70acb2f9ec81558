package logcorrelationprocessor

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// Scenario: more records than may wait, in bytes.
// Guarantees: the oldest leave first and say evicted, with what is known of their trace; the
// others join; telemetry names the limit, and the gauges are 0 in the end.
func TestMaxHeldBytes(t *testing.T) {
	const n = 200
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxHeldBytes = 64 << 10 })
		r.send(stage(0))
		for i := range n {
			r.log(batch("engine", about(i)))
		}
		time.Sleep(time.Millisecond)
		early := r.out.all()
		require.NotEmpty(t, early)
		for i, rec := range early {
			assert.Equal(t, "evicted", attr(rec, attrState))
			assert.Equal(t, traceOf(i), rec.TraceID(), "the oldest first")
		}
		assert.Equal(t, "unknown", attr(early[0], attrSampled), "half a trace was there")
		assert.InDelta(t, 64<<10, r.numbers("held_bytes", "")[""], 2<<10)
		r.send(calls(0, n))
		r.requireStates(map[string]int{"evicted": len(early), "joined": n - len(early)})
		assert.Equal(t, map[string]int64{"max_held_bytes": int64(len(early)), "complete": int64(n - len(early))}, r.numbers("released_records", "cause"))
		assert.Empty(t, r.numbers("held_bytes", ""))
		assert.Empty(t, r.numbers("held_records", ""))
	})
}

// Scenario: a trace with more records than may wait for one, in one batch or in many; another
// with one record.
// Guarantees: only records of the former leave early, and no more of them than must.
func TestMaxHeldPerTrace(t *testing.T) {
	for name, perBatch := range map[string]int{"many": 1, "some": 5, "one": 25} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) { cfg.MaxHeldPerTrace = 5 })
				r.log(batch("engine", about(2)))
				for range 25 / perBatch {
					r.log(batch("engine", slices.Repeat([]func(plog.LogRecord){about(1)}, perBatch)...))
				}
				r.requireStates(map[string]int{"evicted": 20})
				r.send(calls(1, 3))
				r.requireStates(map[string]int{"evicted": 20, "joined": 6})
				assert.Equal(t, int64(20), r.numbers("released_records", "cause")["max_held_per_trace"])
			})
		})
	}
}

// Scenario: a record that is larger than all that may wait.
// Guarantees: it leaves at once, and no other leaves for it.
func TestRecordLargerThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxHeldBytes = 64 << 10 })
		r.log(batch("engine", about(1)))
		r.log(batch("engine", with(t, about(2), map[string]any{"prompt": strings.Repeat("x", 100_000)})))
		r.requireStates(map[string]int{"evicted": 1})
		assert.Len(t, attr(r.out.all()[0], "prompt"), 100_000)
		r.send(call(1))
		r.requireStates(map[string]int{"evicted": 1, "joined": 1})
	})
}

// Scenario: a trace of many spans, and more traces than are remembered.
// Guarantees: telemetry tells what was not remembered, and no record is lost.
func TestMaxTracesAndSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxTraces, cfg.MaxSpansPerTrace = 10, 5 })
		many := calls(0, 1)
		for i := range 20 {
			putCall(many.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty(), 0)
			many.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(i + 1).SetSpanID(spanOf(1000 + i))
			many.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(i + 1).SetName("other")
		}
		r.send(many)
		r.send(calls(1, 31))
		refused := r.numbers("refused_facts", "reason")
		assert.Equal(t, int64(21), refused["max_traces"])
		assert.Equal(t, map[string]int64{"": 10}, r.numbers("traces", ""))
		r.log(batch("engine", about(1), about(30)))
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"joined": 1, "unmatched": 1})
	})
}

// Scenario: a gigabyte of records whose traces never come, of a few kilobytes each and of less
// than a hundred bytes each.
// Guarantees: the heap stays within max_held_bytes, max_backlog_bytes and a batch; every
// record leaves.
func TestMemoryOfUnmatchedRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const limit, slack = 32 << 20, 20 << 20 // max_backlog_bytes, and a batch
	for name, tt := range map[string]struct{ body, total int }{
		"kilobytes": {8 << 10, 1 << 30},
		"bytes":     {10, 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			cfg.MaxHeldBytes, cfg.Wait = limit, maxWait
			var out atomic.Int64
			next, err := consumer.NewLogs(func(_ context.Context, ld plog.Logs) error {
				out.Add(int64(ld.LogRecordCount()))
				return nil
			})
			require.NoError(t, err)
			set := processortest.NewNopSettings(metadata.Type)
			p, err := NewFactory().CreateLogs(t.Context(), set, cfg, next)
			require.NoError(t, err)
			require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
			body := strings.Repeat("x", tt.body)
			n, base, most := 0, heap(), uint64(0)
			for sent := 0; sent < tt.total; sent += perBatch * tt.body {
				ld := batch("engine")
				for range perBatch {
					n++
					rec := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty()
					rec.SetTraceID(traceOf(n))
					rec.Body().SetStr(body)
				}
				require.Eventually(t, func() bool {
					err := p.ConsumeLogs(t.Context(), ld)
					return !errors.Is(err, errBacklog) && assert.NoError(t, err)
				}, time.Minute, time.Millisecond)
				if n%(tt.total/tt.body/20/perBatch*perBatch) == 0 {
					most = max(most, max(heap(), base)-base)
				}
			}
			t.Logf("%d records: the heap grew by at most %d of %d KiB", n, most>>10, (limit+slack)>>10)
			assert.Less(t, most, uint64(limit+slack))
			require.NoError(t, p.Shutdown(t.Context()))
			assert.Equal(t, int64(n), out.Load(), "records in and out")
		})
	}
}

// heap is what is in use after garbage is gone.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what pools keep
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
