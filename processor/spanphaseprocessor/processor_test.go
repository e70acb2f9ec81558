package spanphaseprocessor

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/customdialect"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
	"github.com/otelcol-inference/otelcol-inference/processor/spanphaseprocessor/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/processor/spanphaseprocessor/internal/metadatatest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run passes td through a processor made by its factory and returns what came
// out, and the processor's own telemetry.
func run(t *testing.T, change func(*Config), td ptrace.Traces) (ptrace.Traces, *componenttest.Telemetry) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	sink := &consumertest.TracesSink{}
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	require.Len(t, sink.AllTraces(), 1, "a batch is never delayed")
	return sink.AllTraces()[0], telemetry
}

const ms = time.Millisecond

func vllmBehindGateway() ptrace.Traces {
	return casetest.Trace(1, map[string]any{"service.name": "s"},
		casetest.Span{
			ID: 1, Name: "POST /v1/chat/completions", Kind: ptrace.SpanKindServer, End: 300 * ms,
			Attrs: map[string]any{"gen_ai.request.model": "qwen3-8b"},
		},
		casetest.Span{ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 20 * ms, End: 286 * ms, Attrs: casetest.VLLM()},
		casetest.Span{ID: 3, Parent: 1, Name: "auth", End: 10 * ms},
	)
}

func TestGolden(t *testing.T) {
	fixture, err := os.ReadFile("../../tests/fixtures/otlp/vllm_v1.json")
	require.NoError(t, err)
	unrelated := casetest.Trace(9, nil, casetest.Span{ID: 1, Name: "GET /", Kind: ptrace.SpanKindServer, End: ms})
	for name, td := range map[string]ptrace.Traces{
		"stages":          casetest.Trace(1, map[string]any{"service.name": "s"}, casetest.Stages("m-7b")...),
		"vllm_unexported": casetest.Unmarshal(t, fixture),
		"vllm_gateway":    vllmBehindGateway(),
		"unrelated":       unrelated,
		// The parent of these is in another batch: only calls are certain.
		"part_of_stages": casetest.Trace(1, map[string]any{"service.name": "s"}, casetest.Stages("m-7b")[3:5]...),
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := run(t, nil, td)
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				require.NoError(t, golden.WriteTracesToFile(file, got))
			}
			want, err := golden.ReadTraces(file)
			require.NoError(t, err)
			require.NoError(t, ptracetest.CompareTraces(want, got))
		})
	}
}

// Scenario: any batch.
// Guarantees: every span comes out, and what it came with is as it was.
func TestNothingIsChanged(t *testing.T) {
	before, after := vllmBehindGateway(), vllmBehindGateway()
	out, _ := run(t, nil, after)
	require.Equal(t, before.SpanCount(), out.SpanCount())
	for i := range before.ResourceSpans().Len() {
		was := before.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		is := out.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		for key, value := range was.Attributes().All() {
			got, ok := is.Attributes().Get(key)
			assert.True(t, ok && value.Equal(got), key)
		}
	}
}

// Scenario: two tiers annotate the same spans.
// Guarantees: the second changes nothing.
func TestTwice(t *testing.T) {
	once, _ := run(t, nil, vllmBehindGateway())
	copied := ptrace.NewTraces()
	once.CopyTo(copied)
	twice, _ := run(t, nil, copied)
	require.NoError(t, ptracetest.CompareTraces(once, twice))
}

// Scenario: somebody else writes attributes in our namespace.
// Guarantees: the span goes on as it came, and is counted.
func TestForeignAttributes(t *testing.T) {
	td := vllmBehindGateway()
	call := td.ResourceSpans().At(1).ScopeSpans().At(0).Spans().At(0)
	call.Attributes().PutStr("inference.engine", "mine")
	want := call.Attributes().Len()
	out, telemetry := run(t, nil, td)
	got := out.ResourceSpans().At(1).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, want, got.Attributes().Len())
	metadatatest.AssertEqualProcessorSpanPhaseSkippedSpans(t, telemetry, []metricdata.DataPoint[int64]{{
		Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "foreign_attributes")),
	}}, metricdatatest.IgnoreTimestamp())
}

func TestMaxSpansPerTrace(t *testing.T) {
	out, _ := run(t, func(c *Config) { c.MaxSpansPerTrace = 2 }, vllmBehindGateway())
	for _, rs := range out.ResourceSpans().All() {
		_, ok := rs.ScopeSpans().At(0).Spans().At(0).Attributes().Get(inference.AttrAnnotationVersion)
		assert.False(t, ok)
	}
}

func TestConfig(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, cfg.Validate())
	cfg.MaxSpansPerTrace = 0
	cfg.Dialects.Custom = make([]customdialect.Dialect, 1)
	for _, part := range []string{"max_spans_per_trace: must be at least 1", "dialects::custom::0::name: must be a word", "dialects::custom::0::match: must be"} {
		require.ErrorContains(t, cfg.Validate(), part)
	}
}

// Scenario: an engine that no built-in dialect knows, with the dialect that the page of dialects shows
// and without.
// Guarantees: its call and its request are annotated; without it nothing is.
func TestCustomDialect(t *testing.T) {
	fixture := func() ptrace.Traces { return casetest.LoadFixture(t, "../../tests/fixtures/otlp", "acme_custom") }
	got, _ := run(t, func(cfg *Config) {
		require.NoError(t, casetest.Example(t, "../../docs/dialects.md", "custom:", "processors::span_phase").Unmarshal(cfg))
	}, fixture())
	file := filepath.Join("testdata", "acme_custom.yaml")
	if *update {
		require.NoError(t, golden.WriteTracesToFile(file, got))
	}
	want, err := golden.ReadTraces(file)
	require.NoError(t, err)
	require.NoError(t, ptracetest.CompareTraces(want, got))

	without, _ := run(t, nil, fixture())
	require.NoError(t, ptracetest.CompareTraces(fixture(), without))
}

func call(id byte, start time.Duration) casetest.Span {
	return casetest.Span{
		ID: id, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer,
		Start: start, End: start + 270*ms, Attrs: casetest.VLLM(),
	}
}

// attrsAt returns the attributes of a batch's i-th span.
func attrsAt(td ptrace.Traces, i int) map[string]any {
	return td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
}

// Scenario: a batch holds a call twice, as a twin, or several calls side by side.
// Guarantees: the request span says what its user waited for, or nothing.
func TestRequestWithSeveralCalls(t *testing.T) {
	post := casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 900 * ms}
	key := inference.PhaseDurationAttr(inference.PhaseInference)
	for name, test := range map[string]struct {
		calls []casetest.Span
		want  any
	}{
		"twice":         {[]casetest.Span{call(2, 0), call(2, 0)}, 0.24},
		"twins":         {[]casetest.Span{call(2, 0), call(3, 0)}, 0.24},
		"in turn":       {[]casetest.Span{call(2, 0), call(3, 300*ms)}, 0.48},
		"side by side":  {[]casetest.Span{call(2, 0), call(3, ms)}, nil},
		"out of order":  {[]casetest.Span{call(3, 300*ms), call(2, 0)}, 0.48},
		"three at once": {[]casetest.Span{call(2, 0), call(3, ms), call(4, 2*ms)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := run(t, nil, casetest.Trace(1, nil, append([]casetest.Span{post}, test.calls...)...))
			assert.Equal(t, test.want, attrsAt(out, 0)[key])
			assert.Contains(t, attrsAt(out, 1), key)
		})
	}
}

// Scenario: an unrelated span has the id of a call.
// Guarantees: it is left as it came.
func TestSharedID(t *testing.T) {
	out, _ := run(t, nil, casetest.Trace(1, nil, casetest.Span{ID: 2, Parent: 9, Name: "unrelated", End: ms}, call(2, 0)))
	assert.Empty(t, attrsAt(out, 0))
	assert.Contains(t, attrsAt(out, 1), inference.AttrAnnotationVersion)
}

// Scenario: the next tier gets annotated spans from which the engines' own
// attributes were removed, and without the spans that were beside them.
// Guarantees: it comes to the same phases, times, model and engine.
func TestNextTier(t *testing.T) {
	for name, f := range casetest.Fixtures {
		if f.Role == inference.RoleClient || f.Calls != 1 || name == "llmd_pd" {
			continue // has no phases, or is more than one span
		}
		t.Run(name, func(t *testing.T) {
			out, _ := run(t, nil, casetest.LoadFixture(t, "../../tests/fixtures/otlp", name))
			alone := ptrace.NewTraces()
			for _, rs := range out.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						if _, isCall := s.Attributes().Get(inference.AttrRole); !isCall {
							continue
						}
						to := alone.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
						s.CopyTo(to)
						to.SetName("anything")
						to.Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
						to.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return !strings.HasPrefix(key, "inference.") })
					}
				}
			}
			var builder assembly.Builder
			spans, _ := dialect.Read(nil, alone, nil)
			require.Len(t, spans, 1)
			c := builder.Build(spans[0].TraceID, []dialect.Facts{spans[0].Facts})[0].Calls[0]
			assert.Equal(t, f.Engine, c.Identity.Engine)
			assert.InDelta(t, f.TTFT, c.TTFT.Seconds, 1e-9)
			assert.InDelta(t, f.TPOT, c.TPOT.Seconds, 1e-9)
			assert.InDelta(t, f.Queue, c.Phases[inference.PhaseQueue].Seconds, 1e-9)
			assert.InDelta(t, f.Inference, c.Phases[inference.PhaseInference].Seconds, 1e-9)
			assert.Equal(t, f.Model, c.Identity.Model)
		})
	}
}
