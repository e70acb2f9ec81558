package dialect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

func tenants() ptrace.Traces {
	return casetest.Trace(1, map[string]any{"service.name": "s", "region": "eu"},
		casetest.Span{ID: 1, Name: "POST", End: time.Second, Attrs: map[string]any{"tenant.id": "a", "http.route": "/v1"}},
		casetest.Span{ID: 2, Parent: 1, Name: "work", End: time.Second, Attrs: map[string]any{"tenant": " ", "tenant.id": "a", "tier": 1000}},
		casetest.Span{ID: 3, Parent: 1, Name: "work", End: time.Second, Attrs: map[string]any{"other": "a"}},
	)
}

func tenantOptions() *Options {
	return &Options{Dimensions: []inference.Dimension{
		{Name: "tenant", Attributes: []string{"tenant", "tenant.id"}},
		{Name: "region", Attributes: []string{"region"}, From: inference.FromResource},
		{Name: "tier", Attributes: []string{"tier"}, From: inference.FromSpan},
	}}
}

// Guarantees: values are found where they may be, and spans that say the same share them, from batch to
// batch, without an allocation.
func TestDimensions(t *testing.T) {
	opts, td := tenantOptions(), tenants()
	first, _ := Read(nil, td, opts)
	again, _ := Read(nil, td, opts)
	assert.Equal(t, inference.Dimensions("a"), first[0].Details.Extra.Dimensions)
	assert.Equal(t, inference.Dimensions("a\xff\xff1000"), first[1].Details.Extra.Dimensions)
	assert.Nil(t, first[2].Details)
	assert.Equal(t, inference.Dimensions("\xffeu"), first[0].Origin.Value().Dimensions)
	assert.Equal(t, first[1].Details.Extra.Dimensions, again[1].Details.Extra.Dimensions)
	none, _ := Read(nil, td, nil)
	assert.Nil(t, none[0].Details)
	assert.Empty(t, none[0].Origin.Value().Dimensions)

	var spans []Span
	allocs := func(opts *Options) float64 {
		return testing.AllocsPerRun(100, func() { spans, _ = Read(spans[:0], td, opts) })
	}
	assert.InDelta(t, allocs(nil), allocs(opts), 0)
}

// BenchmarkDimensions measures what four dimensions cost on a span with twelve attributes.
func BenchmarkDimensions(b *testing.B) {
	attrs := map[string]any{}
	for _, key := range []string{"a", "url.path", "http.request.method", "server.address", "user_agent.original", "network.protocol.version", "thread.id", "code.function.name"} {
		attrs[key] = "some text"
	}
	for _, key := range []string{"tenant.id", "region", "tier", "http.route"} {
		attrs[key] = "one of " + key
	}
	td := casetest.Trace(1, map[string]any{"service.name": "s"}, casetest.Span{ID: 1, Name: "POST", End: time.Second, Attrs: attrs})
	to := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for range 99 {
		to.At(0).CopyTo(to.AppendEmpty())
	}
	for name, opts := range map[string]*Options{
		"none": {},
		"four": {Dimensions: []inference.Dimension{
			{Attributes: []string{"tenant.id"}}, {Attributes: []string{"region"}}, {Attributes: []string{"tier"}}, {Attributes: []string{"http.route"}},
		}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				With(td, opts, func([]Span, int) {})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/span")
		})
	}
}
