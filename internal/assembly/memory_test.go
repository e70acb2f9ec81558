package assembly

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: 200 000 traces of seven spans are open at once.
// Guarantees: their heap is below 256 MiB.
func TestMemory(t *testing.T) {
	const traces = 200_000
	cfg := testConfig()
	cfg.MaxTraces, cfg.MaxTombstones, cfg.MaxSpans = 2*traces, 2*traces, 20*traces
	closed := 0
	a := New(cfg, func(*inference.Request) { closed++ })
	spans := sevenSpans()
	before := heapBytes()
	for id := range uint64(traces) {
		rename(spans, id+1)
		for i := range spans {
			if d := spans[i].Details; d != nil {
				own := *d // as if read anew for each trace
				spans[i].Details = &own
			}
		}
		a.Add(time.Unix(1e9, 0), spans)
	}
	held := heapBytes() - before
	require.EqualValues(t, traces, a.Stats().OpenTraces.Load())
	assert.Less(t, held, uint64(256<<20))
	t.Logf("%d bytes a trace", held/traces)
	a.Drain(time.Unix(1e9, 0))
	assert.Equal(t, traces, closed)
	runtime.KeepAlive(spans)
}
