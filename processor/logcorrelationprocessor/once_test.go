package logcorrelationprocessor

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
)

var errBusy = errors.New("busy")

// mixed is a batch of which one record waits and one does not.
func mixed() plog.Logs { return batch("engine", about(1), saying("server starting")) }

// Scenario: the next component fails for the part of a batch that has nothing to wait for; the
// sender sends all of it again.
// Guarantees: nothing of a refused batch is held, so that each record leaves once, and telemetry
// counts it once.
func TestRefusedBatchComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.out.fail(errBusy)
		for range 3 {
			require.ErrorIs(t, r.logs.ConsumeLogs(t.Context(), mixed()), errBusy)
			assert.Empty(t, r.numbers("held_records", ""))
		}
		r.out.fail(nil)
		r.log(mixed())
		r.send(call(1))
		r.requireStates(map[string]int{"joined": 1, "no_id": 1})
		assert.Equal(t, map[string]int64{"joined": 1, "no_id": 1}, r.numbers("records", "state"))
	})
}

// Scenario: the same, but the sender is a receiver of this collector, which tries again with the
// batch that it holds, not with a copy.
// Guarantees: the batch still has the records that were about to be held.
func TestRefusedBatchKeepsItsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.out.fail(errBusy)
		ld := mixed()
		for range 3 {
			require.ErrorIs(t, r.logs.ConsumeLogs(t.Context(), ld), errBusy)
			require.Equal(t, 2, ld.LogRecordCount())
		}
		r.out.fail(nil)
		r.log(ld)
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"unmatched": 1, "no_id": 1})
	})
}

// Scenario: the next component takes a part of the part, and its error names the rest.
// Guarantees: what the error names has the records that were about to be held, once.
func TestPartlyRefusedBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		rest := batch("engine", saying("rest"))
		r.out.fail(consumererror.NewLogs(errBusy, rest))
		require.ErrorIs(t, r.logs.ConsumeLogs(t.Context(), batch("engine", about(1), saying("taken"), saying("rest"))), errBusy)
		r.out.fail(nil)
		require.Equal(t, 2, rest.LogRecordCount())
		r.log(rest)
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"unmatched": 1, "no_id": 1})
	})
}

// Scenario: the next component refuses the part for good, so that no sender tries again.
// Guarantees: the error is handed on, and the records that wait are not lost with the others.
func TestBatchRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.out.fail(consumererror.NewPermanent(errBusy))
		require.True(t, consumererror.IsPermanent(r.logs.ConsumeLogs(t.Context(), mixed())))
		r.out.fail(nil)
		r.send(call(1))
		r.requireStates(map[string]int{"joined": 1})
	})
}

// Scenario: a batch whose records have the first of their request ids in common, and one id that
// is Datadog's lower half beside one that is whole.
// Guarantees: they are not taken for records of one request.
func TestRecordsThatOnlyLookAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		low := call(3)
		whole := traceOf(3)
		whole[0] = 0 // the id that is nothing but the lower half
		r.log(batch("engine",
			with(t, naming(9), map[string]any{"correlation_id": requestOf(1)}),
			with(t, naming(9), map[string]any{"correlation_id": requestOf(2)}),
			func(rec plog.LogRecord) { rec.Attributes().PutStr("dd.trace_id", "3") },
			func(rec plog.LogRecord) { rec.SetTraceID(whole) },
		))
		time.Sleep(time.Second)
		r.send(calls(1, 3))
		r.send(low)
		after(r.cfg.Wait)
		got := map[string]string{}
		for _, rec := range r.out.all() {
			got[attr(rec, "correlation_id")+attr(rec, "dd.trace_id")+rec.TraceID().String()] = attr(rec, attrState)
		}
		assert.Equal(t, map[string]string{
			requestOf(1) + traceOf(1).String(): "joined", requestOf(2) + traceOf(2).String(): "joined",
			traceOf(3).String(): "joined", whole.String(): "unmatched",
		}, got)
	})
}

// Scenario: two requests of a session, whose records and spans bear its id beside their own; a
// first line does not wait. Then a request of which nothing but the session's id is known.
// Guarantees: no record of the later request gets the trace of the earlier one, though for a
// moment that is the only one of the session; at the end of the wait it is the best guess.
func TestIDOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		line := func(n int, body string) {
			rec := with(t, naming(n), map[string]any{"x-correlation-id": "session-7"})
			r.log(batch("engine", func(to plog.LogRecord) { rec(to); to.Body().SetStr(body) }))
		}
		send := func(n int) {
			td := call(n)
			td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("http.request.header.x-correlation-id", "session-7")
			r.send(td)
		}
		send(1)
		line(2, "Received request "+requestOf(2))
		r.requireStates(map[string]int{"unmatched": 1})
		line(2, "done")
		time.Sleep(time.Second)
		send(2)
		r.requireStates(map[string]int{"unmatched": 1, "joined": 1})
		assert.Equal(t, traceOf(2), r.out.all()[1].TraceID())

		after(r.cfg.TTL)
		send(1)
		line(3, "done")
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"unmatched": 1, "joined": 2})
		assert.Equal(t, traceOf(1), r.out.all()[2].TraceID())
	})
}

// Scenario: a sender that is not told of the shutdown.
// Guarantees: it gets an error, which is not permanent, and no panic.
func TestSendAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.stop()
		err := r.logs.ConsumeLogs(t.Context(), mixed())
		require.ErrorIs(t, err, errStopped)
		require.False(t, consumererror.IsPermanent(err))
		require.NoError(t, r.traces.ConsumeTraces(t.Context(), call(1)))
		r.stop() // again
		require.Empty(t, r.out.all())
	})
}
