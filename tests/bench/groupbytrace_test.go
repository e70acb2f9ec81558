package bench

import (
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/groupbytraceprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
)

// newGroupByTrace starts the one component of others that remembers spans by trace and does
// nothing else. It waits less than by default, which costs the same and takes less time.
func newGroupByTrace(tb testing.TB) (processor.Traces, *sink) {
	tb.Helper()
	f, out := groupbytraceprocessor.NewFactory(), &sink{}
	cfg := configured(tb, f, map[string]any{"wait_duration": "200ms"})
	p, err := f.CreateTraces(tb.Context(), settings(tb, f.Type()), cfg, out)
	require.NoError(tb, err)
	start(tb, p)
	return p, out
}

// BenchmarkTap is a span at the tap of log_correlation, and the same span at groupbytrace
// until it leaves it.
func BenchmarkTap(b *testing.B) {
	for _, kind := range []struct {
		name string
		shape
	}{{"engine", engine}, {"stages", stages}} {
		b.Run(kind.name, func(b *testing.B) {
			const traces = 2_000
			spans := traces * kind.spans
			c := newCorrelation(b, nil)
			peer, out := newGroupByTrace(b)
			var ours, theirs []cost
			for b.Loop() {
				in := kind.traceBatches(b, c.take(traces), traces)
				ours = append(ours, measure(b, spans, func() { c.trace(in) }))
				out.expect(spans)
				theirs = append(theirs, measure(b, spans, func() {
					consume(b, peer, in)
					out.wait(b)
				}))
			}
			score(b, "span", 0, ours)
			mid, allocs := median(theirs, cpuOf), median(theirs, allocsOf)
			tabulate(rowOf(b.Name()+", groupbytrace", "span", 0, theirs))
			b.ReportMetric(mid, "groupbytrace-ns/op")
			b.ReportMetric(allocs, "groupbytrace-allocs/op")
			b.ReportMetric(mid/median(ours, cpuOf), "groupbytrace/ours")
		})
	}
}

func consume(tb testing.TB, p processor.Traces, batches []ptrace.Traces) {
	tb.Helper()
	for _, td := range batches {
		if err := p.ConsumeTraces(tb.Context(), td); err != nil {
			require.NoError(tb, err)
		}
	}
}
