package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Scenario: records before, after and on both sides of their trace, by trace id and by request id.
// Guarantees: all leave joined, each once, and those that precede the trace wait no longer than
// for it.
func TestArrivalOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1), naming(1), about(2), naming(2)))
		time.Sleep(2 * time.Second)
		require.Empty(t, r.out.all(), "nothing is known yet")
		r.send(call(1))
		r.requireStates(map[string]int{"joined": 2})
		time.Sleep(2 * time.Second)
		r.send(calls(2, 4))
		r.requireStates(map[string]int{"joined": 4})
		r.log(batch("engine", about(1), naming(2), about(3), naming(3)))
		r.requireStates(map[string]int{"joined": 8})
		waits := map[string]int{}
		for _, rec := range r.out.all() {
			assert.Equal(t, "31", attr(rec, "output_tokens"))
			assert.Equal(t, "20", attr(rec, "queue_time_ms"))
			assert.False(t, rec.TraceID().IsEmpty())
			waits[attr(rec, attrWait)]++
		}
		assert.Equal(t, map[string]int{"2000": 2, "4001": 2, "": 4}, waits)
	})
}

// Scenario: a trace of which nothing comes, and one of which only a stage comes.
// Guarantees: the records leave at the end of the wait and no sooner, unmatched and partial.
func TestTraceMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.send(stage(2))
		r.log(batch("engine", about(1), naming(1), about(2)))
		time.Sleep(r.cfg.Wait - time.Millisecond)
		require.Empty(t, r.out.all())
		after(0)
		r.requireStates(map[string]int{"unmatched": 2, "partial": 1})
		for _, rec := range r.out.all() {
			assert.InDelta(t, r.cfg.Wait.Milliseconds(), mustInt(t, rec, attrWait), float64(tick.Milliseconds()))
		}
	})
}

// Scenario: one request id in two live traces, and again when they are forgotten.
// Guarantees: while both live, neither is chosen, not for records that came before the second
// either; afterwards the id is that of a third trace.
func TestRequestIDReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		two := calls(1, 3)
		for _, span := range two.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			span.Attributes().PutStr("gen_ai.request.id", "cmpl-"+requestOf(7))
		}
		r.log(batch("engine", naming(7)))
		r.send(two)
		r.log(batch("engine", naming(7)))
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"ambiguous": 2})
		for _, rec := range r.out.all() {
			assert.True(t, rec.TraceID().IsEmpty())
		}
		after(r.cfg.TTL)
		r.send(call(7))
		r.log(batch("engine", naming(7)))
		r.requireStates(map[string]int{"ambiguous": 2, "joined": 1})
	})
}

// Scenario: one batch of many records about two requests, held together.
// Guarantees: the records of each request leave in the order in which they came.
func TestOrderOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for i := range 20 {
			r.log(batch("engine", with(t, about(i%2), map[string]any{"seq": 2 * i}), with(t, about(i%2), map[string]any{"seq": 2*i + 1})))
		}
		time.Sleep(time.Second)
		r.send(calls(0, 2))
		time.Sleep(time.Millisecond)
		records := r.out.all()
		require.Len(t, records, 40)
		last := map[string]int64{}
		for _, rec := range records {
			id := rec.TraceID().String()
			seq := mustInt(t, rec, "seq")
			assert.GreaterOrEqual(t, seq, last[id])
			last[id] = seq
		}
	})
}

func mustInt(t *testing.T, rec plog.LogRecord, key string) int64 {
	t.Helper()
	v, ok := rec.Attributes().Get(key)
	require.True(t, ok, key)
	return v.Int()
}

// Scenario: a hundred thousand traces, all records before them, in both spellings.
// Guarantees: every record leaves once and joined, and nothing is remembered in the end.
func TestManyTracesInFlight(t *testing.T) {
	const n, step = 100_000, 1000
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.MaxTraces, cfg.MaxHeldBytes, cfg.MaxBacklogBytes, cfg.Wait = n, 1<<30, 1<<30, time.Minute
		})
		for from := 0; from < n; from += step {
			ld := batch("engine")
			records := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
			for i := from; i < from+step; i++ {
				if i%2 == 0 {
					about(i)(records.AppendEmpty())
				} else {
					naming(i)(records.AppendEmpty())
				}
			}
			r.log(ld)
		}
		assert.Equal(t, map[string]int64{"": n}, r.numbers("held_records", ""))
		for from := 0; from < n; from += step {
			r.send(calls(from, from+step))
		}
		assert.Equal(t, map[string]int64{"": n}, r.numbers("traces", ""))
		r.requireStates(map[string]int{"joined": n})
		requireOnce(t, r.out.all())
		after(r.cfg.TTL)
		for _, gauge := range []string{"held_records", "held_bytes", "backlog_bytes", "traces", "request_ids"} {
			assert.Empty(t, r.numbers(gauge, ""), gauge)
		}
	})
}

// Scenario: the same with a memory of a tenth of the traces, and of a tenth of the records.
// Guarantees: none is lost; what leaves early says so.
func TestManyTracesInLittleMemory(t *testing.T) {
	const n, step = 50_000, 1000
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxTraces, cfg.MaxHeldBytes = n/10, 4<<20 })
		for from := 0; from < n; from += step {
			ld := batch("engine")
			for i := from; i < from+step; i++ {
				about(i)(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty())
			}
			r.log(ld)
			if from%(2*step) == 0 {
				r.send(calls(from, from+step))
			}
		}
		after(r.cfg.Wait)
		got := states(r.out.all())
		assert.Equal(t, n, got["joined"]+got["evicted"]+got["unmatched"], "of %v", got)
		assert.Len(t, got, 3)
		assert.Equal(t, n/2, got["joined"])
		requireOnce(t, r.out.all())
	})
}

// requireOnce fails if two records have one body.
func requireOnce(t *testing.T, records []plog.LogRecord) {
	t.Helper()
	seen := map[string]bool{}
	for _, rec := range records {
		require.False(t, seen[rec.Body().Str()], rec.Body().Str())
		seen[rec.Body().Str()] = true
	}
}
