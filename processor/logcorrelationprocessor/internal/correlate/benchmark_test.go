package correlate

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// filled returns a Core that knows 50 000 requests, and the last of them.
func filled(b *testing.B) (c *Core, last request, now time.Time) {
	b.Helper()
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxHeldBytes, cfg.MaxHeldPerTrace = 50_000, 64<<20, 1000
	c, now = New(cfg), time.Unix(1e9, 0)
	last = newRequest()
	for n := range uint64(50_000) {
		last.as(n + 1)
		c.Add(now, last.spans, last.names, nil)
	}
	return c, last, now
}

func BenchmarkLookByTrace(b *testing.B) {
	c, last, _ := filled(b)
	q := Query{Trace: last.spans[2].TraceID, Span: last.spans[2].SpanID}
	b.ReportAllocs()
	for b.Loop() {
		if c.Look(&q).State != StateJoined {
			b.Fatal("not joined")
		}
	}
}

func BenchmarkLookByRequest(b *testing.B) {
	c, last, _ := filled(b)
	q := Query{Keys: last.names[0].Keys}
	b.ReportAllocs()
	for b.Loop() {
		if c.Look(&q).State != StateJoined {
			b.Fatal("not joined")
		}
	}
}

// BenchmarkJoin is a record that waits, the three spans of its request, and its leaving.
func BenchmarkJoin(b *testing.B) {
	c, q, now := filled(b)
	data := make([]byte, 300)
	n := uint64(1 << 32)
	b.ReportAllocs()
	for b.Loop() {
		n++
		q.as(n)
		c.Hold(now, &Parcel{Query: Query{Trace: q.spans[0].TraceID}, Data: data, Records: 1, Deadline: now.Add(time.Minute)})
		if len(c.Add(now, q.spans, q.names, nil)) != 1 {
			b.Fatal("not joined")
		}
	}
}

// BenchmarkAdd is the three spans of a request that nothing waits for.
func BenchmarkAdd(b *testing.B) {
	c, q, now := filled(b)
	n := uint64(1 << 32)
	b.ReportAllocs()
	for b.Loop() {
		n++
		q.as(n)
		c.Add(now, q.spans, q.names, nil)
	}
}

// BenchmarkAddOneRequestID is BenchmarkAdd where all have one request id.
func BenchmarkAddOneRequestID(b *testing.B) {
	c, q, now := filled(b)
	n := uint64(1 << 32)
	keys := requestKeys("cmpl-" + x)
	add := func() {
		n++
		q.as(n)
		q.names[0].Keys = keys
		c.Add(now, q.spans, q.names, nil)
	}
	for range 50_000 {
		add()
	}
	b.ReportAllocs()
	for b.Loop() {
		add()
	}
}

// BenchmarkAddNothingOfAModel is a plain span of another service.
func BenchmarkAddNothingOfAModel(b *testing.B) {
	c, _, now := filled(b)
	spans, _ := dialect.Read(nil, traceOf(1, gateway(1, 2, "")), nil)
	n := uint64(1 << 32)
	b.ReportAllocs()
	for b.Loop() {
		n++
		binary.BigEndian.PutUint64(spans[0].TraceID[8:], n)
		c.Add(now, spans, nil, nil)
	}
}

// BenchmarkHold holds records, of which the oldest make room once 64 MiB are held.
func BenchmarkHold(b *testing.B) {
	c, _, now := filled(b)
	data := make([]byte, 300)
	q := Query{Trace: [16]byte{0: 1}}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		q.Trace[1], q.Trace[2], q.Trace[3] = byte(n), byte(n>>8), byte(n>>16)
		c.Hold(now, &Parcel{Query: q, Data: data, Records: 1, Deadline: now.Add(time.Duration(n) * time.Millisecond)})
	}
}

// BenchmarkRelease lets 1000 records go that wait for one trace.
func BenchmarkRelease(b *testing.B) {
	c, q, now := filled(b)
	data := make([]byte, 300)
	parcels := make([]Parcel, 1000)
	n := uint64(1 << 32)
	b.ReportAllocs()
	for b.Loop() {
		n++
		q.as(n)
		b.StopTimer()
		for i := range parcels {
			parcels[i] = Parcel{
				Query: Query{Trace: q.spans[2].TraceID, Span: q.spans[2].SpanID}, Data: data, Records: 1, Deadline: now.Add(time.Minute),
			}
			c.Hold(now, &parcels[i])
		}
		b.StartTimer()
		if len(c.Add(now, q.spans, q.names, nil)) != len(parcels) {
			b.Fatal("not released")
		}
	}
}
