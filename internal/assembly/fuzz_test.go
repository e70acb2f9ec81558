package assembly

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// tape reads decisions from fuzzed bytes; at its end all are zero.
type tape struct{ data []byte }

func (t *tape) next() byte {
	if len(t.data) == 0 {
		return 0
	}
	b := t.data[0]
	t.data = t.data[1:]
	return b
}

var (
	fuzzNames = []string{"request", "receive", "preprocess", "queue", "inference", "postprocess", "llm_request", "agent"}
	fuzzTimes = []time.Duration{0, 1, time.Millisecond, time.Second, 100 * time.Second, -time.Second, math.MaxInt64 / 4, 30 * time.Millisecond}
	fuzzValue = []any{0.0, -1.0, 0.01, 0.3, 1e9, math.NaN(), math.Inf(1), "x"}
)

// foreign takes a span of any dialect and gives it another place.
func (t *tape) foreign(pool []dialect.Span) dialect.Span {
	s := pool[int(t.next())%len(pool)]
	places := t.next()
	s.TraceID = [16]byte{0: 0xca, 15: places >> 6}
	s.SpanID, s.ParentID = [8]byte{0: 0x5e, 7: 1 + places&7}, [8]byte{}
	if parent := places >> 3 & 7; parent != 0 {
		s.ParentID = [8]byte{0: 0x5e, 7: parent}
	}
	s.Key = dialect.Key(uint64(dialect.SpanIDKey(s.SpanID))<<32 | uint64(s.Key.Content()))
	return s
}

// span makes a span from the tape: few ids, so that they meet.
func (t *tape) span() dialect.Span {
	choice, places, times, values := t.next(), t.next(), t.next(), t.next()
	s := casetest.Span{
		ID: 1 + places&7, Parent: places >> 3 & 7, Name: fuzzNames[choice&7], Kind: ptrace.SpanKind(choice >> 3 & 7),
		Start: fuzzTimes[times&7], End: fuzzTimes[times>>3&7], Attrs: map[string]any{},
	}
	switch s.Name {
	case "llm_request":
		s.Attrs = casetest.VLLM()
		for i, key := range []string{"time_to_first_token", "e2e", "time_in_queue", "time_in_model_decode"} {
			if values>>i&1 == 1 {
				s.Attrs["gen_ai.latency."+key] = fuzzValue[t.next()&7]
			}
		}
		s.Attrs["gen_ai.usage.completion_tokens"] = int(t.next() & 3)
	case "inference":
		s.Events = map[string]time.Duration{"first_token": fuzzTimes[values&7]}
	case "agent":
		s.Attrs["gen_ai.operation.name"] = "invoke_agent"
	}
	if values&0x80 != 0 {
		s.Error = "boom"
	}
	return read(casetest.Trace(choice>>6, nil, s))[0]
}

// FuzzAssembler plays any order of spans and of time.
func FuzzAssembler(f *testing.F) {
	var pool []dialect.Span
	for _, name := range slices.Sorted(maps.Keys(casetest.Fixtures)) {
		pool = append(pool, read(casetest.LoadFixture(f, fixturesDir, name))...)
	}
	f.Add([]byte("\x06\x0a\x1c\x00\x00\x03\x09\x1c\x0f\x01\x02\x03\x04"))
	f.Add([]byte("\x04\x0a\x1c\x00\x02\x00\x01\x20\x80\x00\xff\x03\x13\x1c\x00\xfe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg := testConfig()
		cfg.MaxTraces, cfg.MaxTombstones, cfg.MaxSpansPerTrace, cfg.MaxSpans = 2, 2, 6, 10
		a := New(cfg, func(r *inference.Request) { requireSane(t, r) })
		now := time.Unix(1e9, 0)
		for tp := (tape{data}); len(tp.data) > 0; {
			switch op := tp.next(); {
			case op < 0x40:
				now = now.Add(time.Duration(op) * 5 * time.Second)
				a.Advance(now)
			case op < 0xa0:
				a.Add(now, []dialect.Span{tp.span()})
			default:
				a.Add(now, []dialect.Span{tp.foreign(pool)})
			}
			require.LessOrEqual(t, a.Stats().OpenTraces.Load(), int64(2))
			require.LessOrEqual(t, a.Stats().Tombstones.Load(), int64(2))
			require.LessOrEqual(t, a.Stats().OpenSpans.Load(), int64(10))
		}
		a.Drain(now)
		require.Zero(t, a.Stats().OpenTraces.Load())
		require.Zero(t, a.Stats().OpenSpans.Load())
		a.Advance(now.Add(time.Hour))
		require.Zero(t, a.Stats().Tombstones.Load())
	})
}

// requireSane fails for what no request may ever say.
func requireSane(t *testing.T, r *inference.Request) {
	t.Helper()
	measures := []inference.Measure{r.Duration, r.TTFT}
	measures = append(measures, r.Phases[:]...)
	for i := range r.Calls {
		c := &r.Calls[i]
		require.NotEmpty(t, c.Identity.Model)
		require.NotEmpty(t, c.Identity.Engine)
		measures = append(measures, c.Duration, c.TTFT, c.TPOT)
		measures = append(measures, c.Phases[:]...)
		measures = append(measures, c.Subphases[:]...)
	}
	for _, m := range measures {
		require.False(t, math.IsNaN(m.Seconds) || math.IsInf(m.Seconds, 0) || m.Seconds < 0, "%+v", r)
		require.Equal(t, m.Known(), m.Seconds > 0)
	}
	require.NotEmpty(t, r.Identity.Model)
	require.NotEmpty(t, r.Identity.Engine)
}
