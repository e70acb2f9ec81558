package customdialect

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

const page = "../../docs/dialects.md"

var nop = componenttest.NewNopTelemetrySettings()

// parse reads the section dialects, written in YAML.
func parse(t testing.TB, text string) (c Config) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	require.NoError(t, conf.Unmarshal(&c))
	return c
}

// requests reads spans with dialects and puts their requests together.
func requests(t *testing.T, text string, spans ...casetest.Span) []*inference.Request {
	t.Helper()
	c := parse(t, text)
	require.NoError(t, c.Check(nop))
	custom, err := c.Compile(nop)
	require.NoError(t, err)
	read, _ := dialect.Read(nil, casetest.Trace(1, map[string]any{"service.name": "s"}, spans...), &dialect.Options{Custom: custom})
	var facts []dialect.Facts
	for i := range read {
		facts = append(facts, read[i].Facts)
	}
	return (&assembly.Builder{}).Build(read[0].TraceID, facts)
}

// Scenario: a configuration with every mistake.
// Guarantees: one error names every key, with what to do; and nothing else.
func TestMistakes(t *testing.T) {
	c := parse(t, `
custom:
  - {name: My-Engine, match: 'span.nam == 1', role: engine, duration: {event: x, attribute: a, unit: m}, tpot: {unit: s, event: y}}
  - name: b
    role: server
    ttft: {attribute: a, unit: s, event: first}
    phases: [{phase: receive, attribute: a, unit: ms}, {phase: queue}, {phase: queue, span: q, attribute: w, unit: ms}, {phase: decode, span: q}, {phase: queue, attribute: v, unit: ms}]
  - {name: c, match: 'true', role: request, duration: {attribute: a, unit: s}, tpot: {attribute: a, unit: s}, phases: [{phase: queue, span: q}]}
  - {name: d, match: 'true', role: stage, duration: {attribute: a, unit: s}, phases: [{phase: prefill, span: p}, {phase: queue, attribute: a, unit: s}]}
  - {name: e, match: 'true', role: stage}
`)
	err := c.Check(nop)
	require.Error(t, err)
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if strings.HasPrefix(line, "dialects::") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	want := []string{
		"0::name: must be a word", "0::match: must be an OTTL condition on spans", "0::role: must be server, client, request or stage (got \"engine\")",
		"0::duration: has an attribute and an event", "0::duration::unit: must be ns, us, ms or s (got \"m\")", "0::tpot::unit: is that of an attribute",
		"0::duration::event: only ttft has one", "0::tpot::event: only ttft has one",
		"1::match: must be an OTTL condition on the engine's spans", "1::ttft: has an attribute and an event",
		"1::phases::0::phase: must be preprocess, queue", "1::phases::1: must have either an attribute with its unit, or the name of a span",
		"1::phases::2: must have either", "1::phases::3: says again what phases::2 says, decode q", "1::phases::4: says again what phases::2 says, queue",
		"2::duration: role request has none", "2::tpot: role request has none", "2::phases: role request has none",
		"3::duration: role stage has none", "3::phases::0::phase: must be receive, preprocess, queue, inference or postprocess with role stage (got \"prefill\")",
		"3::phases::1::attribute: role stage has its phases in spans",
		"4::phases: role stage must have some",
	}
	require.Len(t, lines, len(want), "%s", strings.Join(lines, "\n"))
	for i := range want {
		assert.True(t, strings.HasPrefix(lines[i], "dialects::custom::"+want[i]), "%q is not\n%q", lines[i], want[i])
	}

	c = Config{Custom: make([]Dialect, 33)}
	require.ErrorContains(t, c.Check(nop), "dialects::custom: must be at most 32 (got 33)")
	require.NoError(t, (&Config{}).Check(nop))
}

// The page has a row that names every key, and its example is right.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	for f := range reflect.TypeFor[Dialect]().Fields() {
		if tag := f.Tag.Get("mapstructure"); tag != "" {
			assert.Contains(t, string(data), fmt.Sprintf("%#q", tag))
		}
	}
	for name := range parts {
		assert.Contains(t, string(data), "`"+name+"`")
	}
	for _, section := range []string{"connectors::span_phase::dialects", "processors::span_phase::dialects", "processors::log_correlation::dialects"} {
		var c Config
		require.NoError(t, casetest.Example(t, page, "custom:", section).Unmarshal(&c))
		require.NoError(t, c.Check(nop), section)
		assert.Len(t, c.Custom, 1)
	}
}

const ms = time.Millisecond

func measured(seconds float64) inference.Measure {
	return inference.NewMeasure(seconds, inference.Measured)
}

// Scenario: a service that calls its phases by names of its own.
// Guarantees: they lie beside each other, as those of the dialect stages; time to first token is from
// the event; a span that is none of them is read as without the dialect.
func TestStage(t *testing.T) {
	r := requests(t, `
custom:
  - name: recommender
    match: resource.attributes["service.name"] == "s"
    role: stage
    ttft: {event: item}
    model: m
    phases: [{phase: preprocess, span: features}, {phase: queue, span: batching}, {phase: inference, span: score}]
`,
		casetest.Span{ID: 1, Name: "GET /feed", Kind: ptrace.SpanKindServer, End: 100 * ms},
		casetest.Span{ID: 2, Parent: 1, Name: "features", End: 20 * ms},
		casetest.Span{ID: 3, Parent: 1, Name: "batching", Start: 20 * ms, End: 30 * ms},
		casetest.Span{ID: 4, Parent: 1, Name: "score", Start: 30 * ms, End: 90 * ms, Attrs: map[string]any{"m": "deepfm"}, Events: map[string]time.Duration{"item": 50 * ms}},
		casetest.Span{ID: 5, Parent: 1, Name: "chat m", Start: 90 * ms, End: 95 * ms, Attrs: map[string]any{"gen_ai.operation.name": "chat"}},
	)
	require.Len(t, r, 1)
	require.Len(t, r[0].Calls, 2)
	c := r[0].Calls[0]
	assert.Equal(t, "recommender", c.Identity.Engine)
	assert.Equal(t, "deepfm", c.Identity.Model)
	assert.Equal(t, inference.Yes, c.Result.Streaming)
	assert.Equal(t, measured(0.02), c.Phases[inference.PhasePreprocess])
	assert.Equal(t, measured(0.01), c.Phases[inference.PhaseQueue])
	assert.InDelta(t, 0.06, c.Phases[inference.PhaseInference].Seconds, 1e-9)
	assert.InDelta(t, 0.02, c.TTFT.Seconds, 1e-9)
	assert.Equal(t, "gen_ai", r[0].Calls[1].Identity.Engine)
}

// Scenario: a front end says of itself that it is the request, its call lost or not.
// Guarantees: there is a request in any case, with the model that it names and its own time to first
// token where there is a call.
func TestRequest(t *testing.T) {
	const text = `
custom:
  - {name: edge, match: span.name == "edge", role: request, model: asked, ttft: {attribute: first, unit: ns}, request_id: ticket}
`
	edge := casetest.Span{ID: 1, Name: "edge", End: 500 * ms, Attrs: map[string]any{"asked": "m", "first": 90_000_000, "ticket": "t-1"}}
	r := requests(t, text, edge)
	require.Len(t, r, 1)
	assert.True(t, r[0].Seen)
	assert.Equal(t, "m", r[0].Identity.Model)
	assert.Equal(t, "t-1", r[0].RequestID)
	assert.Equal(t, measured(0.5), r[0].Duration)
	r = requests(t, text, edge, casetest.Span{ID: 2, Parent: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: 10 * ms, End: 280 * ms, Attrs: casetest.VLLM()})
	require.Len(t, r, 1)
	assert.InDelta(t, 0.09, r[0].TTFT.Seconds, 1e-9)
	assert.Equal(t, "vllm", r[0].Identity.Engine)
}

// Scenario: a site corrects a built-in dialect, and has two entries for two versions of one engine.
// Guarantees: the first entry that matches reads the span, before the built-in one; one whose
// condition fails on it does not.
func TestOrder(t *testing.T) {
	const text = `
custom:
  - {name: fails, match: 'Int(attributes["text"]) > 0 and ToUpperCase(attributes["version"]) == "2"', role: server}
  - {name: vllm_fork, match: 'attributes["version"] == 2', role: client, duration: {attribute: took, unit: s}}
  - {name: vllm_fork, match: 'span.name == "llm_request"', role: server, phases: [{phase: queue, attribute: wait, unit: ms}]}
`
	call := func(version int) casetest.Span {
		attrs := casetest.VLLM()
		attrs["version"], attrs["text"], attrs["took"], attrs["wait"] = version, "x", 0.2, 30
		return casetest.Span{ID: 1, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * ms, Attrs: attrs}
	}
	r := requests(t, text, call(2))
	require.Len(t, r, 1)
	assert.Equal(t, "vllm_fork", r[0].Identity.Engine)
	assert.Equal(t, inference.RoleClient, r[0].Calls[0].Role)
	assert.Equal(t, measured(0.2), r[0].Duration)
	r = requests(t, text, call(1))
	assert.Equal(t, measured(0.03), r[0].Calls[0].Phases[inference.PhaseQueue])
	assert.Equal(t, inference.NewCount(100), r[0].InputTokens, "from the usual key")
	assert.False(t, r[0].TTFT.Known(), "durations are read where they are named")
}

// Scenario: attributes of impossible values and types.
// Guarantees: they are dropped and counted; the rest is read.
func TestAbsurdValues(t *testing.T) {
	r := requests(t, `
custom:
  - name: odd
    match: span.name == "odd"
    role: server
    ttft: {attribute: ttft, unit: ms}
    model: model
    input_tokens: in
    output_tokens: out
    phases: [{phase: queue, attribute: queue, unit: ms}, {phase: preprocess, attribute: pre, unit: ms}, {phase: inference, attribute: run, unit: us}]
`, casetest.Span{ID: 1, Name: "odd", End: 100 * ms, Attrs: map[string]any{
		"ttft": -1, "queue": "soon", "pre": 900, "run": 50_000, "model": true, "in": "12", "out": -3,
	}})
	require.Len(t, r, 1)
	c := r[0].Calls[0]
	assert.False(t, c.TTFT.Known() || c.Phases[inference.PhaseQueue].Known() || c.Phases[inference.PhasePreprocess].Known())
	assert.InDelta(t, 0.05, c.Phases[inference.PhaseInference].Seconds, 1e-9)
	assert.Equal(t, "unknown", c.Identity.Model)
	assert.Equal(t, inference.NewCount(12), c.InputTokens)
	assert.False(t, c.OutputTokens.Known())
}

// BenchmarkCustomDialect measures what one more condition costs a span that it is not true of.
func BenchmarkCustomDialect(b *testing.B) {
	td := casetest.Trace(1, map[string]any{"service.name": "s"}, casetest.Stages("m")...)
	c := parse(b, "custom: [{name: acme, match: 'instrumentation_scope.name == \"acme.serve\"', role: server}]")
	custom, err := c.Compile(nop)
	require.NoError(b, err)
	for name, opts := range map[string]*dialect.Options{"none": {}, "one": {Custom: custom}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dialect.With(td, opts, func([]dialect.Span, int) {})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(td.SpanCount()), "ns/span")
		})
	}
}
