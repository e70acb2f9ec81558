package bench

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
)

const (
	joinTarget  = 3000  // ns
	joinSection = 4_000 // records: to make their spans takes longer than to measure
)

// BenchmarkJoinInPlace is a record whose trace is complete when it comes.
func BenchmarkJoinInPlace(b *testing.B) {
	for _, kind := range []struct {
		name string
		fill func(plog.LogRecord, uint64)
	}{{"native", native}, {"vllm_text", vllmLine}, {"json_1KiB", jsonBody}} {
		b.Run(kind.name, func(b *testing.B) {
			c := newCorrelation(b, nil)
			batches := func() []plog.Logs {
				first := c.take(joinSection)
				c.trace(engine.traceBatches(b, first, joinSection))
				return logBatches(b, first, joinSection, kind.fill)
			}
			c.looked(joinSection, "joined", func() { c.log(batches()) })
			var costs []cost
			for b.Loop() {
				in := batches()
				c.out.expect(joinSection)
				costs = append(costs, measure(b, joinSection, func() { c.log(in) }))
			}
			score(b, "record", joinTarget, costs)
		})
	}
}

// BenchmarkJoinAfterWait is a record that comes before its trace: it is held, let go by the
// trace and delivered. The cost of the spans themselves is measured beside it, and subtracted.
func BenchmarkJoinAfterWait(b *testing.B) {
	for _, kind := range []struct {
		name string
		per  uint64 // records of one trace, in one batch
	}{{"1_per_trace", 1}, {"10_per_trace", 10}} {
		b.Run(kind.name, func(b *testing.B) {
			c := newCorrelation(b, nil)
			traces := joinSection / int(kind.per)
			batches := func(first uint64) []plog.Logs {
				return logBatches(b, 0, joinSection, func(rec plog.LogRecord, n uint64) { native(rec, first+n/kind.per) })
			}
			c.looked(joinSection, "joined", func() {
				first := c.take(traces)
				c.log(batches(first))
				c.trace(engine.traceBatches(b, first, traces))
			})
			var costs []cost
			for b.Loop() {
				spans := engine.traceBatches(b, c.take(traces), traces)
				alone := measure(b, joinSection, func() { c.trace(spans) })
				first := c.take(traces)
				in := batches(first)
				spans = engine.traceBatches(b, first, traces)
				c.out.expect(joinSection)
				costs = append(costs, measure(b, joinSection, func() {
					c.log(in)
					c.trace(spans)
					c.out.wait(b)
				}).minus(alone))
			}
			score(b, "record", joinTarget, costs)
		})
	}
}
