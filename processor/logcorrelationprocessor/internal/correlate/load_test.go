package correlate

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// request is the three spans of one request, gateway, client and engine, as read anew for each.
type request struct {
	spans []dialect.Span
	names []SpanName
}

func newRequest() request {
	spans, _ := dialect.Read(nil, traceOf(1, gateway(1, 0, ""), client(2, 1), engine(3, 2, "", 21)), nil)
	return request{spans: spans}
}

// as makes it another request, with an id of its own.
func (q *request) as(n uint64) {
	for i := range q.spans {
		binary.BigEndian.PutUint64(q.spans[i].TraceID[8:], n)
		if d := q.spans[i].Details; d != nil {
			own := *d
			q.spans[i].Details = &own
		}
	}
	id := fmt.Sprintf("%032x", n)
	q.names = []SpanName{{
		q.spans[2].TraceID, q.spans[2].SpanID, "cmpl-" + id,
		[]Key{{Text: "cmpl-" + id}, {Text: id}},
	}}
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Scenario: 100 000 traces of three spans and one request id, and 64 MiB of held records that
// are short, or name a request in many forms, or are long.
// Guarantees: the heap is within what the package documents.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a GiB")
	}
	const traces = 100_000
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxHeldBytes, cfg.MaxHeldPerTrace = traces, 64<<20, 1000
	c := New(cfg)
	now := time.Unix(1e9, 0)
	before := heapBytes()
	q := newRequest()
	for n := range uint64(traces) {
		q.as(n + 1)
		c.Add(now, q.spans, q.names, nil)
	}
	built := heapBytes() - before
	for n := range uint64(traces) { // each is looked at, so that its facts are there
		query := Query{Trace: q.spans[0].TraceID}
		binary.BigEndian.PutUint64(query.Trace[8:], n+1)
		require.Equal(t, StateJoined, c.Look(&query).State)
	}
	looked := heapBytes() - before
	t.Logf("a trace of 3 spans and 2 keys: %d bytes, %d once it was looked at", built/traces, looked/traces)
	assert.LessOrEqual(t, looked, int64(traces*(bytesPerTrace+3*bytesPerSpan+2*bytesPerKey)))

	for name, parcel := range map[string]func(n int) *Parcel{
		"short": func(n int) *Parcel {
			return &Parcel{Query: byTrace(1), Data: make([]byte, 100+n%100)}
		},
		"many forms": func(n int) *Parcel {
			p := &Parcel{Query: byRequest(fmt.Sprintf("cmpl-none-%030d-0-9f3e1a2b", n)), Data: make([]byte, 300)}
			for i := range p.Query.Keys {
				p.Query.Keys[i].Text += strconv.Itoa(n)
			}
			return p
		},
		"long": func(n int) *Parcel {
			return &Parcel{Query: byRequest("order-" + strconv.Itoa(n)), Data: make([]byte, 20_000)}
		},
	} {
		before := heapBytes()
		count := 0
		for c.Stats.Released[CauseMaxHeldBytes].Load() == 0 {
			p := parcel(count)
			p.Records, p.Deadline = 1, now.Add(time.Minute)
			if name == "short" {
				binary.BigEndian.PutUint64(p.Query.Trace[:], uint64(count)+1) // of none that is known
			}
			c.Hold(now, p)
			count++
		}
		held := heapBytes() - before
		t.Logf("%s: %d parcels count %d bytes and take %d", name, count, c.Stats.HeldBytes.Load(), held)
		assert.LessOrEqual(t, held, cfg.MaxHeldBytes*9/8)
		c.Drain(now, nil)
		c.Stats.Released[CauseMaxHeldBytes].Store(0)
	}
	c.Advance(now.Add(time.Hour))
	left := heapBytes() - before
	t.Logf("empty again: %d bytes", left)
	runtime.KeepAlive(c)
}

// Scenario: spans, records, decisions and time on eight goroutines at once.
// Guarantees: each record leaves once, and nothing is left; the race detector finds nothing.
func TestAtOnce(t *testing.T) {
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxHeldPerTrace, cfg.MaxHeldBytes, cfg.WaitForSampled = 200, 20, 200_000, true
	cfg.TTL, cfg.SampledAfter = time.Second, 200*ms
	cfg.Sampling = func() bool { return true }
	r := &rig{New(cfg), t, time.Unix(1e9, 0)}
	var in, out atomic.Int64
	took := func(released []*Parcel) {
		for _, p := range released {
			if p.Left.IsZero() || p.Owner.(*atomic.Int32).Add(1) != 1 {
				t.Error("it left twice")
			}
			out.Add(1)
		}
	}
	var all sync.WaitGroup
	for worker := range uint64(8) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(worker, 3))
			q := newRequest()
			for i := range 3000 {
				now := r.now.Add(time.Duration(i) * ms)
				n := uint64(random.IntN(500))
				q.as(n)
				switch random.IntN(6) {
				case 0:
					took(r.Add(now, q.spans[:2], nil, nil))
				case 1:
					took(r.Add(now, q.spans[2:], q.names, [][16]byte{q.spans[0].TraceID}))
				case 2:
					took(r.Sample(now, [][16]byte{q.spans[0].TraceID}))
				case 3:
					took(r.Advance(now))
					_ = r.Stats.HeldBytes.Load() + r.Stats.HeldRecords.Load()
				default:
					p := &Parcel{Query: Query{Trace: q.spans[0].TraceID}, Records: 1, Data: make([]byte, 300), Owner: new(atomic.Int32), Deadline: now.Add(300 * ms)}
					if i%2 == 0 {
						p.Query = Query{Keys: q.names[0].Keys}
					}
					if a := r.Look(&p.Query); a.Facts != nil {
						_ = *a.Facts // read without a lock
					}
					in.Add(1)
					took(r.Hold(now, p))
				}
			}
		})
	}
	all.Wait()
	r.consistent()
	took(r.advance(time.Hour))
	assert.Equal(t, in.Load(), out.Load())
	r.empty()
}

// Scenario: thousands of traces whose request ids have a cut form in common, or are the same.
// Guarantees: what cannot be told apart is ambiguous; the index is empty when they are forgotten.
func TestManyOfOneRequestID(t *testing.T) {
	for name, id := range map[string]func(n uint64) string{
		"cut":  func(n uint64) string { return fmt.Sprintf("cmpl-job-%d", n) },
		"same": func(uint64) string { return "job" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(c *Config) { c.MaxTraces = 1000 })
			q := newRequest()
			job := byRequest("job")
			p := r.held(job)
			for n := range uint64(2000) {
				q.as(n + 1)
				q.names[0].Keys = requestKeys(id(n))
				if out := r.Add(r.now, q.spans, q.names, nil); n == 0 {
					require.Equal(t, []*Parcel{p}, out)
				} else {
					require.Empty(t, out)
					require.Equal(t, StateAmbiguous, r.Look(&job).State)
				}
			}
			r.advance(time.Hour)
			r.empty()
		})
	}
}

// Scenario: the 200 spans of an agent's trace come one by one, 20 ms apart, with and without a
// record of each call that waits for it.
// Guarantees: each gets the numbers of its own call, half a second after it at the latest; the
// trace is not built anew for each span.
func TestLongTrace(t *testing.T) {
	for _, ask := range []bool{false, true} {
		r := &rig{New(testConfig()), t, time.Unix(1e9, 0)}
		spans := []casetest.Span{agent(1, 0)}
		for id := byte(2); id < 200; id += 2 {
			spans = append(spans, client(id, 1), engine(id+1, id, fmt.Sprintf("cmpl-%d", id), int(id)))
		}
		read, _ := dialect.Read(nil, traceOf(1, spans...), nil)
		names, _ := namesIn(traceOf(1, spans...))
		var spent time.Duration
		joined := 0
		step := func(do func() []*Parcel) {
			began := time.Now()
			out := do()
			spent += time.Since(began)
			for _, p := range out {
				require.EqualValues(t, p.Query.Span[7]-1, p.Answer.Facts.OutputTokens.N())
				require.LessOrEqual(t, p.Left.Sub(p.Arrived), 2*rebuildEvery)
				joined++
			}
		}
		for i := range slices.Backward(read) {
			r.now = r.now.Add(20 * ms)
			var name []SpanName
			if i%2 == 0 && i > 0 {
				name = names[i/2-1 : i/2]
				if q := (Query{Trace: read[0].TraceID, Span: read[i].SpanID}); ask {
					step(func() []*Parcel {
						return r.Hold(r.now, &Parcel{Query: q, Records: 1, Arrived: r.now, Deadline: r.now.Add(time.Minute)})
					})
				}
			}
			step(func() []*Parcel { return r.Add(r.now, read[i:i+1], name, nil) })
			step(func() []*Parcel { return r.Advance(r.now) })
		}
		for range 50 {
			r.now = r.now.Add(20 * ms)
			step(func() []*Parcel { return r.Advance(r.now) })
		}
		t.Logf("asked about: %v, %v for %d spans, %d records", ask, spent, len(read), joined)
		if ask {
			assert.Equal(t, 99, joined)
		}
		r.consistent()
	}
}

// Scenario: one batch has the spans of 1000 requests, and a record waits for each.
// Guarantees: all leave, in the order in which they came, though the lock is let go in between.
func TestLargeBatch(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxTraces, c.MaxHeldBytes = 1000, 1<<30 })
	var spans []dialect.Span
	q := newRequest()
	var held []*Parcel
	for n := range uint64(1000) {
		q.as(n + 1)
		spans = append(spans, q.spans...)
		p := &Parcel{Query: Query{Trace: q.spans[0].TraceID}, Records: 1, Deadline: r.now.Add(time.Minute)}
		require.Empty(t, r.Hold(r.now, p))
		held = append(held, p)
	}
	slices.Reverse(spans)
	require.Equal(t, held, r.Add(r.now, spans, nil, nil))
	r.consistent()
}
