package assembly

import (
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// sevenSpans are a request of five stages below a gateway's span, read anew as
// it is for each trace.
func sevenSpans() []dialect.Span {
	stages := casetest.Stages("m")
	for i := range stages {
		if stages[i].Parent == 0 {
			stages[i].Parent = 7
		}
	}
	stages = append(stages, casetest.Span{ID: 7, Name: "POST /v1/chat/completions", End: time.Second})
	return read(casetest.Trace(1, map[string]any{"service.name": "s"}, stages...))
}

func rename(spans []dialect.Span, id uint64) {
	for i := range spans {
		binary.BigEndian.PutUint64(spans[i].TraceID[:], id)
	}
}

// BenchmarkOpenTrace measures what an open trace of seven spans holds.
func BenchmarkOpenTrace(b *testing.B) {
	const traces = 50_000
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxTombstones, cfg.MaxSpans = 2*traces, 2*traces, 20*traces
	now := time.Unix(1e9, 0)
	for b.Loop() {
		a := New(cfg, func(*inference.Request) {})
		before := heapBytes()
		for id := range uint64(traces) {
			spans := sevenSpans()
			rename(spans, id+1)
			a.Add(now, spans)
		}
		b.ReportMetric(float64(heapBytes()-before)/traces, "B/trace")
		a.Drain(now)
		runtime.KeepAlive(a)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkAssemble measures a span from its facts to its closed request.
func BenchmarkAssemble(b *testing.B) {
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxSpans = 100_000, 1_000_000
	spans := sevenSpans()
	a := New(cfg, func(*inference.Request) {})
	now := time.Unix(1e9, 0)
	b.ReportAllocs()
	id := uint64(0)
	for b.Loop() {
		id++
		rename(spans, id)
		a.Add(now, spans)
		if id%1000 == 0 {
			now = now.Add(20 * time.Second)
			a.Advance(now)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(spans)), "ns/span")
}
