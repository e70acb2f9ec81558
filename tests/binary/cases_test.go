package binary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// caseWaits are the waits of the connector in these tests.
const caseWaits = `
connectors:
  span_phase:
    flush_interval: 500ms
    first_point_hold: 0s
    assembly:
      linger: 1s
      idle_timeout: 2s
      max_age: 4s
`

// scale pairs the default waits of a component, for which its cases are written, with those
// that it has in these tests.
type scale []struct{ usual, here time.Duration }

// traceScale has those of caseWaits: linger, idle_timeout, max_age.
var traceScale = scale{
	{0, 0},
	{10 * time.Second, time.Second},
	{time.Minute, 2 * time.Second},
	{15 * time.Minute, 4 * time.Second},
}

// compress shortens a gap of a schedule. A gap between two of the usual waits
// comes to lie between the same two waits here, at the same share of the way:
// what was in time for a wait still is, and what came after it still does.
func (s scale) compress(gap time.Duration) time.Duration {
	for i := range s[1:] {
		low, high := s[i], s[i+1]
		if gap <= high.usual {
			share := float64(gap-low.usual) / float64(high.usual-low.usual)
			return low.here + time.Duration(share*float64(high.here-low.here))
		}
	}
	last := s[len(s)-1]
	return gap - last.usual + last.here
}

func TestCompress(t *testing.T) {
	t.Parallel()
	for gap, want := range map[time.Duration]time.Duration{
		0:                0,
		5 * time.Second:  500 * time.Millisecond,
		10 * time.Second: time.Second,
		35 * time.Second: 1500 * time.Millisecond,
		time.Minute:      2 * time.Second,
		8 * time.Minute:  3 * time.Second,
		16 * time.Minute: time.Minute + 4*time.Second,
	} {
		assert.Equal(t, want, traceScale.compress(gap), gap)
	}
}

// counters are what cases that do not say so themselves ask of the collector's
// own metrics; for all others these are zero.
var counters = map[string]map[string]int64{
	"09-missing-parent":              {"incomplete_requests": 1},
	"26-duplicate-batch-after-retry": {"duplicate_spans": 6},
	"41-ttft-sentinel-values":        {"dropped_values": 5}, // two TTFT and two queues below zero, and a TTFT of zero
}

// Scenario: every case arrives over OTLP as its schedule says, waits and schedule shortened alike.
// Guarantees: requests close by themselves with the right numbers, and every span flows on.
func TestCases(t *testing.T) {
	t.Parallel()
	casetest.Each(t, casesDir, func(t *testing.T, c casetest.Case) { //nolint:thelper // the body of a subtest
		t.Parallel()
		sink := otlpsink.Start(t)
		col := collector.Start(t, caseWaits, collector.ToSink(sink.Addr))
		sent := play(t, c, otlpclient.GRPC(t, col.GRPC))
		awaitClosed(t, col, 1)
		checkCounters(t, col, &c)
		// Nothing is open: stopping exports what closed since the last flush, and closes nothing.
		require.Zero(t, col.Stop(t), "exit code")
		casetest.Check(t, c, sink.Metrics())
		assert.Equal(t, sent, sink.SpanCount(), "spans at the traces exporter")
	})
}

// play sends the steps of a case at their shortened times and returns the
// number of spans.
func play(t *testing.T, c casetest.Case, send otlpclient.Send) (spans int) {
	t.Helper()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var before time.Duration
	for _, step := range c.Steps {
		timer.Reset(traceScale.compress(step.At - before))
		<-timer.C
		require.NoError(t, send(t.Context(), step.Traces))
		before, spans = step.At, spans+step.Traces.SpanCount()
	}
	return spans
}

// checkCounters looks for what a case asks for, and that no span came too late:
// the shortened schedule is in time for the waits.
func checkCounters(t *testing.T, col *collector.Collector, c *casetest.Case) {
	t.Helper()
	wants := counters[c.Name]
	if c.Expect.Counters != nil {
		wants = c.Expect.Counters
	}
	p := page.Get(t, col.Own)
	for _, counter := range []string{"incomplete_requests", "duplicate_spans", "late_requests"} {
		assert.InDelta(t, wants[counter], p.Value(own+counter, nil), 0, counter)
	}
	for counter, want := range wants {
		assert.InDelta(t, want, p.Value(own+counter, nil), 0, counter)
	}
}
