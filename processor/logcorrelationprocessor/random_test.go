package logcorrelationprocessor

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Scenario: records and traces in any order at any time, with a next component that fails now and
// then, limits that are reached, senders that try again with the batch that they gave or with a
// copy, and a reload in between.
// Guarantees: every record leaves exactly once, in one of the states; telemetry counts as many.
func TestRandomTraffic(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomTraffic(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func randomTraffic(t *testing.T, random *rand.Rand) {
	t.Helper()
	limits := func(cfg *Config) {
		cfg.MaxHeldBytes, cfg.MaxBacklogBytes = 64<<10+random.Int64N(64<<10), 64<<10
		cfg.MaxHeldPerTrace, cfg.MaxTraces = 1+random.IntN(20), 1+random.IntN(100)
		cfg.TTL = cfg.Linger + time.Duration(random.Int64N(int64(time.Minute)))
	}
	r := newRig(t, limits)
	seq := 0
	records := func() plog.Logs {
		ld := batch("engine")
		for range random.IntN(10) {
			rec := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty()
			n := random.IntN(50)
			[]func(plog.LogRecord){about(n), naming(n), saying("server starting"), saying("Received request cmpl-" + requestOf(n) + ": x")}[random.IntN(4)](rec)
			rec.Attributes().PutInt("seq", int64(seq))
			seq++
		}
		return ld
	}
	var again []plog.Logs // what was refused
	send := func(ld plog.Logs) {
		kept := plog.NewLogs()
		ld.CopyTo(kept)
		if r.logs.ConsumeLogs(t.Context(), ld) != nil {
			again = append(again, []plog.Logs{ld, kept}[random.IntN(2)])
		}
	}
	healthy := true
	for range 300 {
		switch random.IntN(12) {
		case 0, 1, 2, 3:
			send(records())
		case 4, 5, 6:
			n := random.IntN(50)
			r.send(calls(n, n+random.IntN(3)))
		case 7:
			r.send(stage(random.IntN(50)))
		case 8:
			healthy = false
			r.out.fail(errBusy)
		case 9:
			healthy = true
			r.out.fail(nil)
			retry := again
			again = nil
			for _, ld := range retry {
				send(ld)
			}
		case 10:
			if healthy && random.IntN(5) == 0 {
				r.stop()
				r.cfg = createDefaultConfig().(*Config)
				limits(r.cfg)
				r.start()
			}
		default:
			time.Sleep(time.Duration(random.Int64N(int64(5 * time.Second))))
		}
	}
	r.out.fail(nil)
	time.Sleep(lastRetry)
	for len(again) > 0 {
		retry := again
		again = nil
		for _, ld := range retry {
			send(ld)
		}
		time.Sleep(time.Second)
	}
	r.stop()
	left := r.out.all()
	require.Len(t, left, seq, "records in and out")
	seen := map[int64]bool{}
	for _, rec := range left {
		n := mustInt(t, rec, "seq")
		assert.False(t, seen[n], "left twice")
		seen[n] = true
		assert.NotEmpty(t, attr(rec, attrState))
	}
	counted := int64(0)
	for _, n := range r.numbers("records", "state") {
		counted += n
	}
	assert.EqualValues(t, seq, counted)
}
