package spanphaseconnector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/connector/connectortest"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// requestOfAll is a request of which everything is known.
func requestOfAll() *inference.Request {
	second := inference.NewMeasure(1, inference.Measured)
	who := inference.Identity{ServiceName: "chat", Model: "m", ModelVersion: "1", Engine: "vllm", Dimensions: "a\xffb"}
	c := inference.Call{
		SpanID: [8]byte{2}, Identity: who, Duration: second, TTFT: second, TPOT: second, Buffered: true, BatchSize: inference.NewCount(2),
		InputTokens: inference.NewCount(100), OutputTokens: inference.NewCount(20), Semconv: "chat\xffvllm\xffm\xff\xffhost\xff80",
	}
	for p := range inference.NumPhases {
		c.Phases[p] = second
	}
	for s := range inference.NumSubphases {
		c.Subphases[s] = second
	}
	client := c
	client.Role, client.SpanID = inference.RoleClient, [8]byte{3}
	return &inference.Request{
		TraceID: [16]byte{1}, SpanID: [8]byte{1}, Seen: true, Identity: who, Duration: second, TTFT: second, Calls: []inference.Call{c, client},
		Hops: []inference.Hop{{Identity: who, Duration: second}}, Retries: 1, FinishReason: inference.FinishStop,
		InputTokens: inference.NewCount(100), OutputTokens: inference.NewCount(20), CachedTokens: inference.NewCount(10),
		SiteMeasures: []inference.SiteMeasure{{SpanID: [8]byte{1}, Identity: who, Value: 0.5}},
	}
}

// Scenario: a request of which everything is known, with everything configured, again and again.
// Guarantees: once its series are there, observing it allocates nothing: not a byte for a span.
func TestObserveSteadyState(t *testing.T) {
	for _, kind := range []string{histogramExplicit, histogramExponential} {
		for _, temporality := range []string{temporalityCumulative, temporalityDelta} {
			cfg := createDefaultConfig().(*Config)
			cfg.Histogram, cfg.Temporality, cfg.SemconvMetrics, cfg.InputLengthBands = kind, temporality, true, true
			cfg.Dimensions = []DimensionConfig{{Name: "first"}, {Name: "second"}}
			cfg.Measures = []MeasureConfig{{Name: "confidence", Value: `span.attributes["confidence"]`, Unit: "1"}}
			require.NoError(t, cfg.Validate())
			set := connectortest.NewNopSettings(metadata.Type)
			store := newStore(cfg, &set)
			r, now := requestOfAll(), time.Now()
			observe(store, now, r)
			series := store.Stats.Series.Load()
			assert.Zero(t, testing.AllocsPerRun(100, func() { observe(store, now, r) }), "%s, %s", kind, temporality)
			assert.Equal(t, series, store.Stats.Series.Load())
			assert.Greater(t, series, int64(30), "all of it was observed")
		}
	}
}
