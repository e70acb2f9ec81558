package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: the configuration is loaded anew, again and again, while records wait: all instances
// shut down, in either order, and new ones of the same id start.
// Guarantees: every record leaves once, at the latest at the shutdown; what comes afterwards joins
// the traces that come afterwards.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		records := 0
		log := func(n int) {
			r.log(batch("engine", about(n)))
			records++
		}
		for i := range 10 {
			log(10 * i)
			log(10*i + 1)
			r.send(call(10 * i))
			log(10 * i)
			if i%2 == 0 {
				require.NoError(t, r.logs.Shutdown(t.Context()))
				require.NoError(t, r.traces.Shutdown(t.Context()))
			} else {
				r.stop()
			}
			require.Zero(t, correlators.Len())
			require.Len(t, r.out.all(), records, "all that was held has left")
			r.cfg = createDefaultConfig().(*Config)
			r.start()
			r.send(call(10*i + 1)) // too late for the record before
			log(10*i + 1)
		}
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"joined": 30, "unmatched": 10})
		assert.Len(t, r.out.all(), records)
	})
}

// Scenario: one of the instances goes, as no reload does but a failed start may.
// Guarantees: the others go on.
func TestInstancesLeaveOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1)))
		require.NoError(t, r.traces.Shutdown(t.Context()))
		r.log(batch("engine", about(2)))
		after(r.cfg.Wait)
		r.requireStates(map[string]int{"unmatched": 2})
		require.Equal(t, 1, correlators.Len())
		r.stop()
		require.Zero(t, correlators.Len())
	})
}

// Scenario: a reload while the next component is down.
// Guarantees: the shutdown ends within its bound and counts what it could not hand on.
func TestReloadWhileDownstreamIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1), about(2)))
		r.send(call(1))
		time.Sleep(time.Second)
		r.out.fail(errBusy)
		r.log(batch("engine", about(3)))
		r.send(call(3))
		time.Sleep(time.Second)
		r.stop()
		assert.Equal(t, map[string]int64{"delivered": 1, "lost": 2}, r.numbers("delivered_records", "outcome"))
		r.out.fail(nil)
	})
}
