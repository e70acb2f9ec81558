package bench

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkOpenTraces is the memory of a trace of seven spans that waits in span_phase.
func BenchmarkOpenTraces(b *testing.B) {
	const traces = 7 * sectionTraces
	for b.Loop() {
		c := newSpanPhase(b, map[string]any{"assembly": map[string]any{"max_traces": 10 * traces, "max_spans": 10 * traces * stages.spans, "linger": "10m", "idle_timeout": "10m"}})
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for first := uint64(0); first < traces; first += sectionTraces {
			consumeAll(b, c, stages.traceBatches(b, first, sectionTraces))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/traces, "B/trace")
		require.NoError(b, c.Shutdown(b.Context()))
	}
}
