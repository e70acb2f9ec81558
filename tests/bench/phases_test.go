package bench

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/connector/spanmetricsconnector"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector"
)

const (
	// sectionTraces are measured at once, in batches of about 1000 spans.
	sectionTraces = 14_300
	// openTraces is the room of span_phase: requests end while it is measured, each by
	// a new one.
	openTraces = 5_000
)

// newConnector starts a connector from traces to metrics.
func newConnector(tb testing.TB, f connector.Factory, config map[string]any) connector.Traces {
	tb.Helper()
	cfg := f.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(config).Unmarshal(cfg))
	set := connectortest.NewNopSettings(f.Type())
	set.TelemetrySettings = settings(tb, f.Type()).TelemetrySettings
	c, err := f.CreateTracesToMetrics(tb.Context(), set, cfg, consumertest.NewNop())
	require.NoError(tb, err)
	start(tb, c)
	return c
}

// newSpanPhase starts ours, with exemplars, as always.
func newSpanPhase(tb testing.TB, config map[string]any) connector.Traces {
	tb.Helper()
	all := map[string]any{"assembly": map[string]any{"max_traces": openTraces, "max_tombstones": openTraces}}
	maps.Copy(all, config)
	return newConnector(tb, spanphaseconnector.NewFactory(), all)
}

func newSpanMetrics(tb testing.TB, config map[string]any) connector.Traces {
	tb.Helper()
	return newConnector(tb, spanmetricsconnector.NewFactory(), config)
}

// way is one of those that are measured in turn. It prepares for batches, and returns what is
// measured.
type way struct {
	name  string
	take  func(batches []ptrace.Traces) func()
	costs []cost
}

func through(b *testing.B, c consumer.Traces) func([]ptrace.Traces) func() {
	b.Helper()
	return func(batches []ptrace.Traces) func() {
		return func() { consumeAll(b, c, batches) }
	}
}

func consumeAll(tb testing.TB, c consumer.Traces, batches []ptrace.Traces) {
	tb.Helper()
	for _, td := range batches {
		if err := c.ConsumeTraces(tb.Context(), td); err != nil {
			require.NoError(tb, err)
		}
	}
}

func decoding(b *testing.B) func([]ptrace.Traces) func() {
	b.Helper()
	return func(batches []ptrace.Traces) func() {
		wire := make([][]byte, len(batches))
		for i, td := range batches {
			var err error
			wire[i], err = (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(b, err)
		}
		return func() {
			for _, raw := range wire {
				if _, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(raw); err != nil {
					require.NoError(b, err)
				}
			}
		}
	}
}

// inTurn measures ways in turn, and prints the others beside the first one. Rounds before that bring
// all to a steady state.
func inTurn(b *testing.B, ways []way, batchesOf func(from uint64) []ptrace.Traces) {
	b.Helper()
	next := uint64(0)
	round := func(keep bool) {
		batches := batchesOf(next)
		next += sectionTraces
		for i := range ways {
			c := measure(b, sectionTraces*stages.spans, ways[i].take(batches))
			if keep {
				ways[i].costs = append(ways[i].costs, c)
			}
		}
	}
	round(false)
	for b.Loop() {
		round(true)
	}
	score(b, "span", 0, ways[0].costs)
	for _, w := range ways[1:] {
		tabulate(rowOf(b.Name()+", "+w.name, "span", 0, w.costs))
		b.ReportMetric(median(w.costs, cpuOf)/median(ways[0].costs, cpuOf), strings.ReplaceAll(w.name, " ", "-")+"/ours")
	}
}

func whole(b *testing.B) func(uint64) []ptrace.Traces {
	b.Helper()
	return func(from uint64) []ptrace.Traces { return stages.traceBatches(b, from, sectionTraces) }
}

// ofManyResources has each trace below a resource of its own, as from a gateway of many services.
func ofManyResources(b *testing.B) func(uint64) []ptrace.Traces {
	b.Helper()
	return func(from uint64) []ptrace.Traces {
		var list []ptrace.Traces
		for n := uint64(0); n < sectionTraces; {
			td := ptrace.NewTraces()
			for range 1000 / stages.spans {
				rs := td.ResourceSpans().AppendEmpty()
				fillResource(rs.Resource())
				rs.Resource().Attributes().PutStr("service.name", fmt.Sprint("service-", n%3))
				stages.write(rs.ScopeSpans().AppendEmpty().Spans(), from+n)
				n++
			}
			list = append(list, onWire(b, td))
		}
		return list
	}
}

func onWire(tb testing.TB, td ptrace.Traces) ptrace.Traces {
	tb.Helper()
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(tb, err)
	td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(tb, err)
	return td
}

var (
	fourDimensions = []any{
		map[string]any{"name": "gen_ai.request.model"},
		map[string]any{"name": "model.version"},
		map[string]any{"name": "tenant.id"},
		map[string]any{"name": "cloud.region"},
	}
	exemplars = map[string]any{"enabled": true, "max_per_data_point": 5}
)

// BenchmarkPhases is a span of a request of seven, with twelve attributes: at span_phase, at
// span_metrics, and what it costs to decode it.
func BenchmarkPhases(b *testing.B) {
	inTurn(b, []way{
		{name: "span_phase", take: through(b, newSpanPhase(b, nil))},
		{name: "span_metrics", take: through(b, newSpanMetrics(b, nil))},
		{name: "span_metrics 4 dimensions", take: through(b, newSpanMetrics(b, map[string]any{"dimensions": fourDimensions, "exemplars": exemplars}))},
		{name: "decoding", take: decoding(b)},
	}, whole(b))
}

// BenchmarkPhasesManyResources is the same in batches of 143 resources.
func BenchmarkPhasesManyResources(b *testing.B) {
	inTurn(b, []way{
		{name: "span_phase", take: through(b, newSpanPhase(b, nil))},
		{name: "span_metrics", take: through(b, newSpanMetrics(b, nil))},
	}, ofManyResources(b))
}

// BenchmarkPhasesParallel is the same from four goroutines, and from one.
func BenchmarkPhasesParallel(b *testing.B) {
	four := newSpanPhase(b, nil)
	inTurn(b, []way{
		{name: "four", take: func(batches []ptrace.Traces) func() {
			return func() {
				var done sync.WaitGroup
				for i := range 4 {
					done.Go(func() { consumeAll(b, four, batches[len(batches)*i/4:len(batches)*(i+1)/4]) })
				}
				done.Wait()
			}
		}},
		{name: "one", take: through(b, newSpanPhase(b, nil))},
	}, whole(b))
}

// BenchmarkPhasesDimensions is BenchmarkPhases with the same four dimensions at both.
func BenchmarkPhasesDimensions(b *testing.B) {
	inTurn(b, []way{
		{name: "span_phase", take: through(b, newSpanPhase(b, map[string]any{"dimensions": fourDimensions}))},
		{name: "span_metrics", take: through(b, newSpanMetrics(b, map[string]any{"dimensions": fourDimensions, "exemplars": exemplars}))},
		{name: "decoding", take: decoding(b)},
	}, whole(b))
}
