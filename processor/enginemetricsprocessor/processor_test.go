package enginemetricsprocessor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/metadatatest"
)

// run passes metrics through a processor made by its factory, and returns what came out and the
// processor's own telemetry.
func run(t *testing.T, change func(*Config), md pmetric.Metrics) (pmetric.Metrics, *componenttest.Telemetry) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	sink := &consumertest.MetricsSink{}
	p, err := NewFactory().CreateMetrics(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	require.NoError(t, p.Shutdown(t.Context()))
	require.Len(t, sink.AllMetrics(), 1)
	return sink.AllMetrics()[0], telemetry
}

// scrape is a page in the making.
type scrape struct{ pmetric.Metrics }

func newScrape() scrape {
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	return scrape{md}
}

func (s scrape) metrics() pmetric.MetricSlice {
	return s.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
}

func labelled(m pcommon.Map, labels []string) {
	for i := 0; i < len(labels); i += 2 {
		m.PutStr(labels[i], labels[i+1])
	}
}

func (s scrape) named(name string) pmetric.Metric {
	for _, m := range s.metrics().All() {
		if m.Name() == name {
			return m
		}
	}
	m := s.metrics().AppendEmpty()
	m.SetName(name)
	return m
}

func (s scrape) gauge(name string, value float64, labels ...string) pmetric.NumberDataPoint {
	m := s.named(name)
	if m.Type() == pmetric.MetricTypeEmpty {
		m.SetEmptyGauge()
	}
	p := m.Gauge().DataPoints().AppendEmpty()
	p.SetDoubleValue(value)
	labelled(p.Attributes(), labels)
	return p
}

func (s scrape) counter(name string, value float64, labels ...string) pmetric.NumberDataPoint {
	m := s.named(name)
	if m.Type() == pmetric.MetricTypeEmpty {
		m.SetEmptySum().SetIsMonotonic(true)
		m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	}
	p := m.Sum().DataPoints().AppendEmpty()
	p.SetDoubleValue(value)
	labelled(p.Attributes(), labels)
	return p
}

func (s scrape) histogram(name string, bounds []float64, counts []uint64, sum float64, labels ...string) pmetric.HistogramDataPoint {
	m := s.named(name)
	if m.Type() == pmetric.MetricTypeEmpty {
		m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	}
	p := m.Histogram().DataPoints().AppendEmpty()
	p.ExplicitBounds().FromRaw(bounds)
	p.BucketCounts().FromRaw(counts)
	for _, n := range counts {
		p.SetCount(p.Count() + n)
	}
	p.SetSum(sum)
	labelled(p.Attributes(), labels)
	return p
}

// told writes the vocabulary down, a line for each point.
func told(md pmetric.Metrics) string {
	var lines []string
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			if sm.Scope().Name() != metadata.ScopeName {
				continue
			}
			for _, m := range sm.Metrics().All() {
				lines = append(lines, pointsOf(m)...)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func pointsOf(m pmetric.Metric) (lines []string) {
	var numbers pmetric.NumberDataPointSlice
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		numbers = m.Gauge().DataPoints()
	case pmetric.MetricTypeSum:
		numbers = m.Sum().DataPoints()
	default:
		for _, p := range m.Histogram().DataPoints().All() {
			lines = append(lines, fmt.Sprintf("%s%s %v %v sum=%v count=%d%s", m.Name(), attrsOf(p.Attributes()),
				p.ExplicitBounds().AsRaw(), p.BucketCounts().AsRaw(), p.Sum(), p.Count(), staleness(p.Flags())))
		}
		return lines
	}
	for _, p := range numbers.All() {
		lines = append(lines, fmt.Sprintf("%s%s %v%s", m.Name(), attrsOf(p.Attributes()), p.DoubleValue(), staleness(p.Flags())))
	}
	return lines
}

func staleness(f pmetric.DataPointFlags) string {
	if f.NoRecordedValue() {
		return " stale"
	}
	return ""
}

// attrsOf leaves out what all points of a test have.
func attrsOf(m pcommon.Map) string {
	var list []string
	for k, v := range m.All() {
		if k != "inference.role" && k != "inference.engine" {
			list = append(list, strings.TrimPrefix(k, "inference.")+"="+v.AsString())
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

var (
	rank0 = []string{"model_name", "m", "engine", "0"}
	rank1 = []string{"model_name", "m", "engine", "1"}
)

func TestRanks(t *testing.T) {
	s := newScrape()
	s.gauge("vllm:num_requests_running", 3, rank0...)
	s.gauge("vllm:num_requests_running", 4, rank1...)
	s.gauge("vllm:kv_cache_usage_perc", 0.4, rank0...)
	s.gauge("vllm:kv_cache_usage_perc", 0.3, rank1...)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1, 2}, []uint64{1, 2, 3}, 9, rank0...).SetMax(5)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1, 2}, []uint64{4, 0, 1}, 5, rank1...).SetMax(3)
	twin := pmetric.NewMetrics()
	s.CopyTo(twin)
	md, _ := run(t, nil, s.Metrics)
	assert.Equal(t, `inference.server.kv_cache.usage{model.name=m} 0.4
inference.server.request.duration{model.name=m} [1 2] [5 2 4] sum=14 count=11
inference.server.requests.running{model.name=m} 7`, told(md))

	md, _ = run(t, func(cfg *Config) { cfg.Ranks = Keep }, twin)
	assert.Equal(t, `inference.server.kv_cache.usage{model.name=m,server.rank=0} 0.4
inference.server.kv_cache.usage{model.name=m,server.rank=1} 0.3
inference.server.request.duration{model.name=m,server.rank=0} [1 2] [1 2 3] sum=9 count=6
inference.server.request.duration{model.name=m,server.rank=1} [1 2] [4 0 1] sum=5 count=5
inference.server.requests.running{model.name=m,server.rank=0} 3
inference.server.requests.running{model.name=m,server.rank=1} 4`, told(md))
}

// Histograms of different bounds are never one.
func TestDifferentBounds(t *testing.T) {
	s := newScrape()
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1}, []uint64{1, 2}, 9, rank0...)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{2}, []uint64{3, 4}, 5, rank1...)
	// And what no label tells apart.
	s.histogram("tgi_request_duration", []float64{1}, []uint64{1, 2}, 9)
	s.histogram("tgi_request_duration", []float64{2}, []uint64{3, 4}, 5, "pod", "b")
	md, telemetry := run(t, nil, s.Metrics)
	assert.Equal(t, `inference.server.request.duration{model.name=m,server.rank=1} [2] [3 4] sum=5 count=7
inference.server.request.duration{model.name=m} [1] [1 2] sum=9 count=3
inference.server.request.duration{model.name=unknown} [1] [1 2] sum=9 count=3`, told(md))
	metadatatest.AssertEqualProcessorEngineMetricsSkippedPoints(t, telemetry, []metricdata.DataPoint[int64]{
		{Value: 1, Attributes: attribute.NewSet(attribute.String("engine", "tgi"), attribute.String("reason", differentBounds))},
	}, metricdatatest.IgnoreTimestamp())
	assert.Equal(t, 2, md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().Len(), "originals stay")
}

// The new name counts where both are there, whatever stands first; an old one alone counts, too.
func TestRenamed(t *testing.T) {
	s := newScrape()
	s.counter("vllm:gpu_prefix_cache_hits_total", 5, "model_name", "a")
	s.counter("vllm:gpu_prefix_cache_hits_total", 7, "model_name", "b")
	s.counter("vllm:prefix_cache_hits_total", 6, "model_name", "a")
	md, _ := run(t, nil, s.Metrics)
	assert.Equal(t, `inference.server.prefix_cache.hits{model.name=a} 6
inference.server.prefix_cache.hits{model.name=b} 7`, told(md))
}

func TestStaleMarkers(t *testing.T) {
	stale := pmetric.DefaultDataPointFlags.WithNoRecordedValue(true)
	s := newScrape()
	s.gauge("vllm:num_requests_running", 0, rank0...).SetFlags(stale)
	s.gauge("vllm:num_requests_running", 4, rank1...)
	s.gauge("vllm:num_requests_waiting", 4, rank0...)
	s.gauge("vllm:num_requests_waiting", 0, rank1...).SetFlags(stale)
	s.counter("vllm:num_preemptions_total", 0, rank0...).SetFlags(stale)
	s.histogram("vllm:e2e_request_latency_seconds", nil, nil, 0, rank0...).SetFlags(stale)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1}, []uint64{3, 4}, 5, rank1...)
	s.histogram("vllm:time_to_first_token_seconds", []float64{1}, []uint64{3, 4}, 5, rank1...)
	s.histogram("vllm:time_to_first_token_seconds", nil, nil, 0, rank0...).SetFlags(stale)
	md, telemetry := run(t, nil, s.Metrics)
	assert.Equal(t, `inference.server.preemptions{model.name=m} 0 stale
inference.server.request.duration{model.name=m} [1] [3 4] sum=5 count=7
inference.server.requests.running{model.name=m} 4
inference.server.requests.waiting{model.name=m} 4
inference.server.time_to_first_token{model.name=m} [1] [3 4] sum=5 count=7`, told(md))
	metadatatest.AssertEqualProcessorEngineMetricsReadPoints(t, telemetry, []metricdata.DataPoint[int64]{
		{Value: 9, Attributes: attribute.NewSet(attribute.String("engine", "vllm"))},
	}, metricdatatest.IgnoreTimestamp())
}

// The prometheus exporter leaves out what comes behind a point without a value.
func TestLiveFirst(t *testing.T) {
	stale := pmetric.DefaultDataPointFlags.WithNoRecordedValue(true)
	s := newScrape()
	s.gauge("vllm:num_requests_running", 0, "model_name", "gone").SetFlags(stale)
	s.gauge("vllm:num_requests_running", 4, "model_name", "here")
	s.histogram("vllm:e2e_request_latency_seconds", nil, nil, 0, "model_name", "gone").SetFlags(stale)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1}, []uint64{3, 4}, 5, "model_name", "here")
	md, _ := run(t, nil, s.Metrics)
	list := md.ResourceMetrics().At(0).ScopeMetrics().At(1).Metrics()
	assert.False(t, list.At(0).Gauge().DataPoints().At(0).Flags().NoRecordedValue())
	assert.False(t, list.At(1).Histogram().DataPoints().At(0).Flags().NoRecordedValue())
}

func TestInvalid(t *testing.T) {
	s := newScrape()
	for _, v := range []float64{math.NaN(), math.Inf(1), -1} {
		s.gauge("vllm:num_requests_running", v, "model_name", fmt.Sprint(v))
	}
	s.gauge("vllm:num_requests_running", 1, "model_name", "good \xff")
	s.counter("vllm:kv_cache_usage_perc", 1) // a gauge may be told as a counter
	s.gauge("vllm:prompt_tokens_total", 1)   // a counter may not be a gauge: rate() would be wrong
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1}, []uint64{1, 0}, math.NaN())
	s.named("vllm:time_to_first_token_seconds").SetEmptySummary().DataPoints().AppendEmpty()
	s.named("vllm:inter_token_latency_seconds").SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	s.named("vllm:num_preemptions_total") // no data at all
	md, telemetry := run(t, nil, s.Metrics)
	assert.Equal(t, "inference.server.kv_cache.usage{model.name=unknown} 1\ninference.server.requests.running{model.name=good \uFFFD} 1", told(md))
	skipped := func(reason string, n int64) metricdata.DataPoint[int64] {
		return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attribute.String("engine", "vllm"), attribute.String("reason", reason))}
	}
	metadatatest.AssertEqualProcessorEngineMetricsSkippedPoints(t, telemetry, []metricdata.DataPoint[int64]{
		skipped(invalidValue, 4), skipped(differentType, 2), skipped(nativeHistogram, 1),
	}, metricdatatest.IgnoreTimestamp())
	assert.Equal(t, 7, md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().Len(), "originals stay")
}

func TestOriginals(t *testing.T) {
	s := newScrape()
	s.gauge("vllm:num_requests_running", 1)
	s.gauge("vllm:cache_config_info", 1)
	s.gauge("up", 1)
	md, _ := run(t, func(cfg *Config) { cfg.Originals = Drop }, s.Metrics)
	left := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	require.Equal(t, 2, left.Len(), "what is not in the vocabulary stays")
	assert.Equal(t, "inference.server.requests.running{model.name=unknown} 1", told(md))
}

func TestEngines(t *testing.T) {
	s := newScrape()
	s.gauge("vllm:num_requests_running", 1)
	s.gauge("tgi_queue_size", 1)
	md, _ := run(t, func(cfg *Config) { cfg.Engines = []string{"tgi"} }, s.Metrics)
	assert.Equal(t, "inference.server.requests.waiting{model.name=unknown} 1", told(md))
}

// The model of an engine that names none: the scrape job, the resource, the configuration.
func TestModel(t *testing.T) {
	byDefault := func(cfg *Config) { cfg.DefaultModel = "default" }
	s := newScrape()
	s.gauge("tgi_queue_size", 1)
	md, _ := run(t, byDefault, s.Metrics)
	assert.Contains(t, told(md), "model.name=default")
	s = newScrape()
	s.gauge("tgi_queue_size", 1)
	s.ResourceMetrics().At(0).Resource().Attributes().PutStr("model_name", "resource")
	md, _ = run(t, byDefault, s.Metrics)
	assert.Contains(t, told(md), "model.name=resource")
	s = newScrape()
	s.gauge("tgi_queue_size", 1, "model", "job")
	s.ResourceMetrics().At(0).Resource().Attributes().PutStr("model_name", "resource")
	md, _ = run(t, byDefault, s.Metrics)
	assert.Contains(t, told(md), "model.name=job")
}

// What was here before is not read again, as with two tiers that both have the processor.
func TestTwice(t *testing.T) {
	s := newScrape()
	s.gauge("vllm:num_requests_running", 3, rank0...)
	once, _ := run(t, nil, s.Metrics)
	want := told(once)
	s = newScrape()
	s.gauge("http_requests", 1)
	once.ResourceMetrics().At(0).ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool { return sm.Scope().Name() == "" })
	twice, _ := run(t, nil, once)
	assert.Equal(t, want, told(twice))
}

func TestConfigMistakes(t *testing.T) {
	err := confmap.NewFromStringMap(map[string]any{
		"engines": []string{"vllm", "vlm"}, "originals": "yes", "ranks": "sum", "mode": "x",
	}).Unmarshal(createDefaultConfig())
	require.Error(t, err)
	for _, want := range []string{"engines::1", "vllm", "originals: must be keep or drop", "ranks: must be merge or keep", "mode: there is no such key"} {
		assert.ErrorContains(t, err, want)
	}
}

// FuzzProcess: nothing panics, and originals are passed on.
func FuzzProcess(f *testing.F) {
	s := newScrape()
	s.gauge("vllm:num_requests_running", 3, rank0...)
	s.counter("nv_inference_queue_duration_us", 3, "model", "m", "version", "1")
	s.histogram("vllm:e2e_request_latency_seconds", []float64{1}, []uint64{1, 2}, 9, rank0...)
	s.histogram("vllm:e2e_request_latency_seconds", []float64{2}, []uint64{1, 2}, 9, rank1...)
	s.histogram("istio_request_duration_milliseconds", []float64{1}, []uint64{1, 2}, 9, "reporter", "destination").Exemplars().AppendEmpty().SetIntValue(7)
	seed, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(s.Metrics)
	require.NoError(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		points := md.DataPointCount()
		out, _ := run(t, nil, md)
		assert.GreaterOrEqual(t, out.DataPointCount(), points)
	})
}
