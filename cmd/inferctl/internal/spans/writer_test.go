package spans

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// troubled is a load in which requests end in every way there is.
func troubled() engine.Config {
	cfg := engine.DefaultConfig()
	cfg.Requests, cfg.Rate, cfg.Timeout = 600, 14, 14*time.Second
	cfg.ErrorRate, cfg.AbortRate, cfg.QueueLimit = 0.05, 0.05, 60
	return cfg
}

// written plays a load and returns the spans and the truth about them.
func written(t *testing.T, style string, cfg engine.Config) (tracetest.SpanStubs, map[string]truth.Model) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	book := truth.NewBook()
	origin := time.Unix(1_700_000_000, 123)
	w, err := NewWriter(Setup{
		Style: style, Identity: Identity{Service: "demo", Environment: "test", Instance: "i", Host: "h"},
		IDs: NewIDs("run", 1), Book: book, Processor: sdktrace.NewSimpleSpanProcessor(exporter),
		Timestamp: origin.Add,
	})
	require.NoError(t, err)
	sim, err := engine.New(cfg)
	require.NoError(t, err)
	sim.Run(nil, func(m engine.Moment) { require.True(t, w.Observe(m).IsValid()) })

	models := map[string]truth.Model{}
	for _, m := range book.Models() {
		models[m.Name] = m
	}
	return exporter.GetSpans(), models
}

func attributesOf(s tracetest.SpanStub) map[attribute.Key]attribute.Value {
	values := map[attribute.Key]attribute.Value{}
	for _, a := range s.Attributes {
		values[a.Key] = a.Value
	}
	return values
}

// requireSummary compares a summary with values computed apart from the book.
func requireSummary(t *testing.T, want []float64, got truth.Summary, what string) {
	t.Helper()
	want = slices.DeleteFunc(slices.Clone(want), func(x float64) bool { return x <= 0 })
	slices.Sort(want)
	require.Len(t, want, got.Count, what)
	if len(want) == 0 {
		return
	}
	rank := func(q float64) float64 { return want[int(math.Ceil(q*float64(len(want))))-1] }
	assert.InDelta(t, rank(0.5), got.P50, 1e-12, what)
	assert.InDelta(t, rank(0.95), got.P95, 1e-12, what)
	assert.InDelta(t, rank(0.99), got.P99, 1e-12, what)
}

func TestUnknownStyleIsRefused(t *testing.T) {
	_, err := NewWriter(Setup{Style: "jaeger"})
	assert.ErrorContains(t, err, "stages or vllm")
}

func TestSameRunGivesTheSameIDs(t *testing.T) {
	cfg := troubled()
	first, _ := written(t, StyleStages, cfg)
	again, _ := written(t, StyleStages, cfg)
	require.Len(t, again, len(first))
	seen := map[trace.SpanID]bool{}
	for i := range first {
		require.Equal(t, first[i].SpanContext.TraceID(), again[i].SpanContext.TraceID())
		require.Equal(t, first[i].SpanContext.SpanID(), again[i].SpanContext.SpanID())
		require.False(t, seen[first[i].SpanContext.SpanID()], "a span id comes once")
		seen[first[i].SpanContext.SpanID()] = true
	}
	a, b := NewIDs("one", 1), NewIDs("two", 1)
	one, _ := a.NewIDs(t.Context())
	two, _ := b.NewIDs(t.Context())
	assert.NotEqual(t, one, two, "two runs of one seed do not collide")
	assert.NotEqual(t, a.Request(1), b.Request(1))
}
