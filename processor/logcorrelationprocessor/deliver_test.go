package logcorrelationprocessor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Scenario: the next component fails for two minutes while a record that waited is due.
// Guarantees: it is tried again with growing pauses and leaves once, as it was when it was let
// go; telemetry counts it once.
func TestDeliveryIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1)))
		r.out.fail(errBusy)
		time.Sleep(time.Second)
		r.send(call(1))
		time.Sleep(2 * time.Minute)
		tries := r.out.tried()
		assert.InDelta(t, 35, tries, 15, "a pause of a few seconds in the end")
		assert.Equal(t, map[string]int64{"": int64(tries)}, r.numbers("delivery_retries", ""))
		assert.NotEmpty(t, r.numbers("backlog_bytes", ""))
		assert.Empty(t, r.numbers("records", "state"))
		r.out.fail(nil)
		time.Sleep(lastRetry)
		r.requireStates(map[string]int{"joined": 1})
		assert.Equal(t, "1000", attr(r.out.all()[0], attrWait))
		assert.Empty(t, r.numbers("backlog_bytes", ""))
		assert.Equal(t, map[string]int64{"delivered": 1}, r.numbers("delivered_records", "outcome"))
		assert.Equal(t, map[string]int64{"joined": 1}, r.numbers("records", "state"))
	})
}

// Scenario: the next component fails until the backlog is full.
// Guarantees: new batches are refused, as a whole and for now; when the next component is back,
// all that was taken leaves.
func TestBacklogFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxBacklogBytes = 64 << 10 })
		r.out.fail(errBusy)
		taken := 0
		var err error
		for i := range 1000 {
			if err = r.logs.ConsumeLogs(t.Context(), batch("engine", about(i), about(i+1000))); err != nil {
				break
			}
			taken += 2
			r.send(calls(i, i+1))
			r.send(calls(i+1000, i+1001))
			time.Sleep(time.Millisecond)
		}
		require.ErrorIs(t, err, errBacklog)
		assert.False(t, consumererror.IsPermanent(err))
		assert.Equal(t, map[string]int64{"": 1}, r.numbers("refused_batches", ""))
		assert.InDelta(t, 64<<10, r.numbers("backlog_bytes", "")[""], 2<<10)
		r.out.fail(nil)
		time.Sleep(lastRetry)
		r.requireStates(map[string]int{"joined": taken})
		r.log(batch("engine", about(1)))
		r.requireStates(map[string]int{"joined": taken + 1})
	})
}

// Scenario: the next component takes a part of what was held, and its error names the rest; then
// two components do so at once.
// Guarantees: only the rest is tried again; where each of two names its own, all is.
func TestDeliveryOfTheRest(t *testing.T) {
	for name, tt := range map[string]struct {
		also error
		want int
	}{"one": {want: 1}, "two": {also: errBusy, want: 3}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.log(batch("engine", about(1), about(2), about(3)))
				err := consumererror.NewLogs(errBusy, batch("engine", about(2)))
				if r.out.fail(err); tt.also != nil {
					r.out.fail(errors.Join(err, tt.also))
				}
				r.send(calls(1, 4))
				time.Sleep(time.Second)
				r.out.fail(nil)
				time.Sleep(lastRetry)
				assert.Len(t, r.out.all(), tt.want)
				assert.Equal(t, map[string]int64{"delivered": 3}, r.numbers("delivered_records", "outcome"))
			})
		})
	}
}

// Scenario: the next component refuses a held record for good.
// Guarantees: it is counted as lost, not tried again, and others after it leave.
func TestDeliveryRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1), with(t, about(1), map[string]any{"n": 2})))
		r.out.fail(consumererror.NewPermanent(errBusy))
		r.send(call(1))
		time.Sleep(time.Minute)
		assert.Equal(t, 1, r.out.tried())
		assert.Equal(t, map[string]int64{"lost": 2}, r.numbers("delivered_records", "outcome"))
		assert.Empty(t, r.numbers("records", "state"))
		r.out.fail(nil)
		r.log(batch("engine", about(2)))
		r.send(call(2))
		r.requireStates(map[string]int{"joined": 1})
	})
}

// Scenario: shutdown with records that wait, records on their way, and a next component that
// works, fails, or blocks until its context ends.
// Guarantees: Shutdown ends within its bound; each record has left or is counted as lost.
func TestShutdownFlushes(t *testing.T) {
	const n = 50
	for name, want := range map[string]struct {
		fail, block bool
		states      map[string]int
		most        time.Duration
	}{
		"works":  {states: map[string]int{"unmatched": n, "partial": 1}},
		"fails":  {fail: true, states: map[string]int{}, most: time.Second},
		"blocks": {block: true, states: map[string]int{}, most: lastAttempts},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.send(stage(n))
				for i := range n + 1 {
					r.log(batch("engine", about(i)))
				}
				if want.fail {
					r.out.fail(errBusy)
				}
				r.out.block(want.block)
				start := time.Now()
				r.stop()
				assert.LessOrEqual(t, time.Since(start), want.most)
				r.requireStates(want.states)
				delivered := r.numbers("delivered_records", "outcome")
				assert.Equal(t, int64(n+1), delivered["delivered"]+delivered["lost"])
				assert.Len(t, delivered, 1)
			})
		})
	}
}

// Scenario: shutdown with several batches that the next component refuses.
// Guarantees: one line tells of all records that are lost; a logger would leave the others out.
func TestShutdownTellsOfLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.stop()
		core, logs := observer.New(zap.ErrorLevel)
		r.set.Logger = zap.New(core)
		r.start()
		const n = 30
		for i := range n {
			r.log(batch("engine", about(i), with(t, about(i), map[string]any{"long": strings.Repeat("x", maxBatchBytes/10)})))
		}
		r.out.fail(errBusy)
		r.stop()
		require.Greater(t, r.out.tried(), 2)
		require.Equal(t, 1, logs.Len())
		assert.EqualValues(t, 2*n, logs.All()[0].ContextMap()["records"])
	})
}

// Scenario: the context of Shutdown ends before the bound.
// Guarantees: Shutdown ends with it.
func TestShutdownEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1)))
		r.out.block(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		require.NoError(t, r.logs.Shutdown(ctx))
		assert.Equal(t, time.Second, time.Since(start))
	})
}

// Scenario: two logs pipelines with one processor; one of them fails and then shuts down.
// Guarantees: records leave through the pipeline that they came from, and the other goes on.
func TestTwoPipelines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		second := &sink{}
		other, err := NewFactory().CreateLogs(t.Context(), r.set, r.cfg, second)
		require.NoError(t, err)
		require.NoError(t, other.Start(t.Context(), componenttest.NewNopHost()))
		r.log(batch("engine", about(1), about(2)))
		require.NoError(t, other.ConsumeLogs(t.Context(), batch("engine", about(1), about(2))))
		r.out.fail(errBusy)
		r.send(call(1))
		time.Sleep(time.Second)
		assert.Equal(t, map[string]int{"joined": 1}, states(second.all()))
		require.NoError(t, other.Shutdown(t.Context()))
		assert.Equal(t, map[string]int{"joined": 1, "unmatched": 1}, states(second.all()))
		r.out.fail(nil)
		r.send(call(2))
		time.Sleep(lastRetry)
		r.requireStates(map[string]int{"joined": 2})
	})
}

// Scenario: a burst that is released at once, much more than one batch.
// Guarantees: it is handed on in batches of bounded size, and keeps resource and scope.
func TestReleasedInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for i := range 300 {
			r.log(batch(fmt.Sprint("service-", i), with(t, about(1), map[string]any{"text": string(make([]byte, 20_000))})))
		}
		r.out.fail(errBusy)
		r.send(call(1))
		time.Sleep(time.Second)
		r.out.fail(nil)
		time.Sleep(lastRetry)
		r.requireStates(map[string]int{"joined": 300})
		assert.LessOrEqual(t, len(r.out.batches), 8)
		services := map[string]bool{}
		for _, ld := range r.out.batches {
			assert.Less(t, (&plog.ProtoMarshaler{}).LogsSize(ld), maxBatchBytes+maxBatchBytes/4)
			for _, rl := range ld.ResourceLogs().All() {
				services[serviceOf(rl)] = true
				assert.Equal(t, "app", rl.ScopeLogs().At(0).Scope().Name())
			}
		}
		assert.Len(t, services, 300)
	})
}
