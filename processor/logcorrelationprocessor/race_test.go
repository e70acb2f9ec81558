package logcorrelationprocessor

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
)

// Scenario: traces, records and decisions of a sampler from many pipelines at once, of the same
// traces, at limits that are reached, with deadlines that come, while all of it shuts down, on the
// real clock.
// Guarantees: no race; every record that was taken leaves once.
func TestConcurrency(t *testing.T) {
	for range 5 {
		r := newRig(t, func(cfg *Config) {
			cfg.MaxTraces, cfg.MaxHeldBytes, cfg.MaxHeldPerTrace = 200, 256<<10, 50
			cfg.Wait, cfg.Linger, cfg.TTL, cfg.SampledAfter = 50*time.Millisecond, 10*time.Millisecond, 300*time.Millisecond, 20*time.Millisecond
		})
		tap := behindSampler(t, r.set, consumertest.NewNop())
		var taken atomic.Int64
		var senders sync.WaitGroup
		for sender := range 8 {
			senders.Go(func() {
				for i := range 300 {
					n := (sender/4*150 + i) % 400
					switch sender % 4 {
					case 0, 1:
						err := r.logs.ConsumeLogs(t.Context(), batch("engine", about(n), naming(n+1), saying("server starting"), about(n+2)))
						switch {
						case err == nil:
							taken.Add(4)
						case !errors.Is(err, errStopped) && !errors.Is(err, errBacklog):
							t.Error(err)
						}
					case 2:
						r.send(calls(n, n+3))
						_ = r.numbers("held_bytes", "")
					default:
						assert.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(calls(n, n+2))))
					}
				}
			})
		}
		senders.Go(func() {
			time.Sleep(60 * time.Millisecond)
			assert.NoError(t, r.logs.Shutdown(t.Context()))
		})
		senders.Wait()
		require.NoError(t, tap.Shutdown(t.Context()))
		r.stop()
		assert.Len(t, r.out.all(), int(taken.Load()), "records in and out")
		counted := int64(0)
		for _, n := range r.numbers("records", "state") {
			counted += n
		}
		assert.Equal(t, taken.Load(), counted)
		r.close()
	}
}

// Scenario: the records of a hundred traces wait; all traces come while the logs pipeline shuts
// down.
// Guarantees: what the traces have released and what the shutdown has left it for is all there is.
func TestShutdownWhileTracesCome(t *testing.T) {
	const n = 100
	for range 100 {
		r := newRig(t)
		for i := range n {
			r.log(batch("engine", about(i)))
		}
		var both sync.WaitGroup
		both.Go(func() { r.send(calls(0, n)) })
		both.Go(func() { assert.NoError(t, r.logs.Shutdown(t.Context())) })
		both.Wait()
		r.close()
		require.Len(t, r.out.all(), n)
	}
}
