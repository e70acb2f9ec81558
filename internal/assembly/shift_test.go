package assembly

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// shift moves all times of td.
func shift(td ptrace.Traces, by time.Duration) ptrace.Traces {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				s.SetStartTimestamp(s.StartTimestamp() + pcommon.Timestamp(by))
				s.SetEndTimestamp(s.EndTimestamp() + pcommon.Timestamp(by))
				for _, e := range s.Events().All() {
					e.SetTimestamp(e.Timestamp() + pcommon.Timestamp(by))
				}
			}
		}
	}
	return td
}

// unplaced returns a request as text without its place in time.
func unplaced(r *inference.Request) string {
	own := *r
	own.Start = 0
	own.Calls = append([]inference.Call(nil), r.Calls...)
	for i := range own.Calls {
		own.Calls[i].Start = 0
	}
	return fmt.Sprintf("%+v", own)
}

// Scenario: the fixtures an hour, a year and a nanosecond later, and among
// spans of their trace that have nothing to do with them.
// Guarantees: the same requests; and the phases inside a server call, with
// other, add up to it.
func TestFixturesShiftedAndAccompanied(t *testing.T) {
	for name := range casetest.Fixtures {
		t.Run(name, func(t *testing.T) {
			load := func() ptrace.Traces { return casetest.LoadFixture(t, fixturesDir, name) }
			want := requestsOf(t, read(load()))[0]
			for _, by := range []time.Duration{time.Nanosecond, time.Hour, 365 * 24 * time.Hour} {
				got := requestsOf(t, read(shift(load(), by)))
				require.Len(t, got, 1)
				require.Equal(t, unplaced(want), unplaced(got[0]))
			}
			spans := read(load())
			for i := range byte(5) {
				unrelated := read(casetest.Trace(1, nil, casetest.Span{ID: 200 + i, Parent: 150, Name: fmt.Sprint("db", i), End: time.Second}))[0]
				unrelated.TraceID = want.TraceID
				spans = append(spans, unrelated)
			}
			got := requestsOf(t, spans)
			require.Len(t, got, 1)
			require.Equal(t, unplaced(want), unplaced(got[0]))
			for i := range want.Calls {
				if c := &want.Calls[i]; c.Role == inference.RoleServer {
					total := 0.0
					for _, m := range c.Phases {
						total += m.Seconds
					}
					require.InDelta(t, c.Duration.Seconds, total, 1e-6)
				}
			}
		})
	}
}
