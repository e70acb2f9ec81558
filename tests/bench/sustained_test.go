package bench

import (
	"runtime"
	"testing"
)

// BenchmarkSustained is 50 000 open traces with two records each. Half of the records come
// before the spans of their trace and half after; of both kinds some are always under way.
func BenchmarkSustained(b *testing.B) {
	const (
		traces  = 50_000
		records = 2 * traces
		step    = 5_000 // traces
	)
	c := newCorrelation(b, map[string]any{"max_held_bytes": 256 << 20, "max_traces": traces})
	var costs []cost
	var heap uint64
	for b.Loop() {
		first := c.take(traces)
		total, held := cost{}, uint64(0)
		add := func(part cost) { total = total.plus(part, float64(step)/traces) }
		c.out.states = map[string]int{}
		c.out.expect(records)
		for i := uint64(0); i < traces; i += step {
			early := logBatches(b, first+i, step, native)
			add(measure(b, 2*step, func() { c.log(early) }))
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		held = m.HeapAlloc
		for i := uint64(0); i < traces; i += step {
			spans := engine.traceBatches(b, first+i, step)
			late := logBatches(b, first+i, step, native)
			add(measure(b, 2*step, func() {
				c.trace(spans)
				c.log(late)
			}))
		}
		c.out.wait(b)
		if c.out.states["joined"] != records {
			b.Fatalf("not all were joined: %v", c.out.states)
		}
		costs, heap = append(costs, total), max(heap, held)
	}
	score(b, "record, spans included", 0, costs)
	b.ReportMetric(float64(heap)/(1<<20), "heap-MiB")
}
