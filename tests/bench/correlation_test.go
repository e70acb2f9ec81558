package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor"
)

// correlation is log_correlation in a traces and in a logs pipeline.
type correlation struct {
	tb   testing.TB
	tap  processor.Traces
	join processor.Logs
	out  *sink
	next uint64 // number of a trace that was not there before
}

// newCorrelation starts log_correlation. It remembers as many traces as it ever may: what a
// record costs with a few is of no interest.
func newCorrelation(tb testing.TB, config map[string]any) *correlation {
	tb.Helper()
	c, f := &correlation{tb: tb, out: &sink{}, next: 1}, logcorrelationprocessor.NewFactory()
	cfg, set := configured(tb, f, config), settings(tb, f.Type())
	var err error
	c.tap, err = f.CreateTraces(tb.Context(), set, cfg, consumertest.NewNop())
	require.NoError(tb, err)
	c.join, err = f.CreateLogs(tb.Context(), set, cfg, c.out)
	require.NoError(tb, err)
	start(tb, c.tap)
	start(tb, c.join)
	for range cfg.(*logcorrelationprocessor.Config).MaxTraces / 10_000 {
		c.trace(engine.traceBatches(tb, c.take(10_000), 10_000))
	}
	return c
}

// take returns the first of n numbers for new traces.
func (c *correlation) take(n int) (first uint64) {
	first = c.next
	c.next += uint64(n)
	return first
}

func (c *correlation) trace(batches []ptrace.Traces) {
	c.tb.Helper()
	for _, td := range batches {
		if err := c.tap.ConsumeTraces(c.tb.Context(), td); err != nil {
			require.NoError(c.tb, err)
		}
	}
}

func (c *correlation) log(batches []plog.Logs) {
	c.tb.Helper()
	for _, ld := range batches {
		if err := c.join.ConsumeLogs(c.tb.Context(), ld); err != nil {
			require.NoError(c.tb, err)
		}
	}
}

// looked calls run and asserts in which state all records came out.
func (c *correlation) looked(records int, state string, run func()) {
	c.tb.Helper()
	c.out.states = map[string]int{}
	c.out.expect(records)
	run()
	c.out.wait(c.tb)
	require.Equal(c.tb, map[string]int{state: records}, c.out.states)
	c.out.states = nil
}
