package spanphaseconnector

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

var callDuration = inference.Registry(inference.MetricCallDuration).Name

// valuesOf returns the values of an attribute on the points of a histogram, with the observations
// of each; empty for those without it.
func (r *rig) valuesOf(t *testing.T, metric, attribute string) map[string]uint64 {
	t.Helper()
	counts := make(map[string]uint64)
	for _, p := range points(r.last(t), metric) {
		value := ""
		if v, ok := p.Attributes().Get(attribute); ok {
			require.Equal(t, pcommon.ValueTypeStr, v.Type())
			value = v.Str()
		}
		counts[value] += p.Count()
	}
	return counts
}

// Scenario: a gateway's request span above a client span above an engine's, each with its resource, and
// a dimension stated by some of them.
// Guarantees: who takes whose value.
func TestDimensionSources(t *testing.T) {
	const gateway, client, call = 0, 1, 2
	for name, c := range map[string]struct {
		from          string
		spans         map[int]any
		resources     map[int]any
		request, call string
	}{
		"own before request":         {spans: map[int]any{gateway: "g", call: "c"}, request: "g", call: "c"},
		"request for its call":       {spans: map[int]any{gateway: "g"}, request: "g", call: "g"},
		"call for its request":       {spans: map[int]any{call: "c"}, request: "c", call: "c"},
		"parent":                     {spans: map[int]any{client: "p"}, request: "p", call: "p"},
		"span before parent":         {spans: map[int]any{client: "p", gateway: "g"}, request: "g", call: "g"},
		"resource":                   {resources: map[int]any{gateway: "rg", call: "rc"}, request: "rg", call: "rc"},
		"resource for its call":      {resources: map[int]any{gateway: "rg"}, request: "rg", call: "rg"},
		"span before resource":       {spans: map[int]any{gateway: "g"}, resources: map[int]any{call: "rc"}, request: "g", call: "g"},
		"nowhere":                    {request: "none", call: "none"},
		"from span":                  {from: "span", spans: map[int]any{client: "p"}, resources: map[int]any{call: "rc"}, request: "none", call: "none"},
		"from parent":                {from: "parent", spans: map[int]any{client: "p", call: "c"}, request: "p", call: "p"},
		"from resource":              {from: "resource", spans: map[int]any{call: "c"}, resources: map[int]any{call: "rc"}, request: "rc", call: "rc"},
		"a number":                   {spans: map[int]any{gateway: 42}, request: "42", call: "42"},
		"a truth":                    {spans: map[int]any{gateway: true}, request: "true", call: "true"},
		"a list":                     {spans: map[int]any{gateway: []any{"a", "b"}}, request: `["a","b"]`, call: `["a","b"]`},
		"nothing":                    {spans: map[int]any{gateway: "  "}, resources: map[int]any{gateway: "rg"}, request: "rg", call: "rg"},
		"invalid text":               {spans: map[int]any{gateway: "a\xffb"}, request: "a\uFFFDb", call: "a\uFFFDb"},
		"another name of the source": {spans: map[int]any{gateway: nil}, resources: map[int]any{gateway: "rg"}, request: "rg", call: "rg"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) {
					cfg.Dimensions = []DimensionConfig{
						{Name: "first", Attributes: []string{"not.there"}},
						{Name: "tenant", Attributes: []string{"not.there.either", "tenant.id"}, From: c.from, Default: "none"},
						{Name: "last"},
					}
				})
				spans := []casetest.Span{
					{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second},
					{ID: 2, Parent: 1, Name: "call", Kind: ptrace.SpanKindInternal, End: 900 * time.Millisecond},
					{ID: 3, Parent: 2, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: casetest.VLLM()},
				}
				for i := range spans {
					if spans[i].Attrs == nil {
						spans[i].Attrs = map[string]any{}
					}
					if v, ok := c.spans[i]; ok {
						spans[i].Attrs["tenant.id"] = v
					}
					spans[i].Resource = map[string]any{"service.name": fmt.Sprint("s", i)}
					if v, ok := c.resources[i]; ok {
						spans[i].Resource["tenant.id"] = v
					}
				}
				td := casetest.Trace(1, nil, spans...)
				r.send(t, td)
				r.send(t, td) // again
				r.stop(t)
				assert.Equal(t, map[string]uint64{c.request: 1}, r.valuesOf(t, requestDuration, "tenant"), "request")
				assert.Equal(t, map[string]uint64{c.call: 1}, r.valuesOf(t, callDuration, "tenant"), "call")
				assert.Equal(t, map[string]uint64{"": 1}, r.valuesOf(t, requestDuration, "first"))
				assert.Equal(t, map[string]uint64{"": 1}, r.valuesOf(t, requestDuration, "last"))
			})
		})
	}
}

// Scenario: more values of a dimension than max_values, beside one that has room.
// Guarantees: the surplus is observed under "other" and counted; the other dimension keeps its own; values
// that expired make room.
func TestDimensionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := 3
		r := newRig(t, func(cfg *Config) {
			cfg.Dimensions = []DimensionConfig{{Name: "tenant", MaxValues: &limit}, {Name: "region"}}
		})
		send := func(id byte) {
			spans := casetest.Stages("m")
			spans[0].Attrs["tenant"], spans[0].Attrs["region"] = fmt.Sprint("t", id), fmt.Sprint("r", id%2)
			r.send(t, casetest.Trace(id, engine, spans...))
		}
		for id := range byte(10) {
			send(id)
			time.Sleep(20 * time.Second)
		}
		time.Sleep(time.Minute)
		assert.Equal(t, map[string]uint64{"t0": 1, "t1": 1, "t2": 1, "other": 7}, r.valuesOf(t, requestDuration, "tenant"))
		assert.Equal(t, map[string]uint64{"r0": 5, "r1": 5}, r.valuesOf(t, requestDuration, "region"))
		assert.Positive(t, r.value(t, "limited_observations", "max_values"))
		time.Sleep(time.Hour)
		send(11)
		time.Sleep(time.Minute)
		assert.Equal(t, uint64(1), r.valuesOf(t, requestDuration, "tenant")["t11"])
		r.stop(t)
	})
}

// Scenario: a call comes after its request, whose span alone states the dimension, was closed.
// Guarantees: it is observed under the request's value.
func TestDimensionOfALateCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.Dimensions = []DimensionConfig{{Name: "tenant", Default: "nobody"}} })
		spans := casetest.Stages("m")
		spans[0].Attrs["tenant"] = "a"
		queue := slices.Index([]string{spans[0].Name, spans[1].Name, spans[2].Name, spans[3].Name}, "queue")
		r.send(t, casetest.Trace(1, engine, slices.Delete(slices.Clone(spans), queue, queue+1)...))
		time.Sleep(time.Minute)
		r.send(t, casetest.Trace(1, engine, spans[queue]))
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"a"}, sortedKeys(r.valuesOf(t, inference.Registry(inference.MetricPhaseDuration).Name, "tenant")))
		r.requireCount(t, "phase.queue", 1)
		r.stop(t)
	})
}

func sortedKeys(m map[string]uint64) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// Scenario: inputs of many lengths, and a request of which none is known.
// Guarantees: each in its band; a bound belongs to the band below it.
func TestInputLengthBands(t *testing.T) {
	for name, c := range map[string]struct {
		setting any
		want    map[string]uint64
	}{
		"usual":   {true, map[string]uint64{"0-1k": 3, "1k-4k": 1, "4k-16k": 1, "16k-64k": 1, "64k+": 1, "unknown": 1}},
		"own":     {[]any{1000, 8192}, map[string]uint64{"0-1000": 2, "1000-8k": 2, "8k+": 3, "unknown": 1}},
		"off":     {false, map[string]uint64{"": 8}},
		"not set": {nil, map[string]uint64{"": 8}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) { cfg.InputLengthBands = c.setting })
				for i, tokens := range []any{0, 1, 1024, 1025, 16000, 65536, 65537, nil} {
					spans := casetest.Stages("m")
					if spans[4].Attrs["gen_ai.usage.input_tokens"] = tokens; tokens == nil {
						delete(spans[4].Attrs, "gen_ai.usage.input_tokens")
					}
					r.send(t, casetest.Trace(byte(i+1), engine, spans...))
				}
				r.stop(t)
				assert.Equal(t, c.want, r.valuesOf(t, requestDuration, inference.AttrInputLengthBand))
				assert.Equal(t, c.want, r.valuesOf(t, callDuration, inference.AttrInputLengthBand))
			})
		})
	}
}

// Scenario: dimensions that have a value for each request or user, and some that have few.
// Guarantees: one warning for each of the former at the start.
func TestDimensionWarnings(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	set := connectortest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"dimensions": []any{
		map[string]any{"name": "request_id"},
		map[string]any{"name": "tenant", "attributes": []any{"tenant.id"}},
		map[string]any{"name": "who", "attributes": []any{"tier", "user.id"}},
		map[string]any{"name": "asked", "attributes": []any{"gen_ai.prompt.0.content"}},
		map[string]any{"name": "trace", "attributes": []any{"x.trace_id"}},
		map[string]any{"name": "region"},
		map[string]any{"name": "service.tier"},
	}}).Unmarshal(cfg))
	c, err := NewFactory().CreateTracesToMetrics(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, c.Shutdown(t.Context()))
	var warned []string
	for _, entry := range logs.All() {
		warned = append(warned, entry.ContextMap()["dimension"].(string))
	}
	assert.Equal(t, []string{"request_id", "who", "asked", "trace"}, warned)
}

// Scenario: the spans of a request come one by one, in every order.
// Guarantees: the same values.
func TestDimensionOrder(t *testing.T) {
	spans := []casetest.Span{
		{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second, Attrs: map[string]any{"tenant": "a"}},
		{ID: 2, Parent: 1, Name: "call", End: 900 * time.Millisecond, Attrs: map[string]any{"tenant": "b", "route": "r"}},
		{ID: 3, Parent: 2, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: casetest.VLLM()},
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) {
					cfg.Dimensions = []DimensionConfig{{Name: "tenant"}, {Name: "route", From: "parent"}}
				})
				for _, i := range order {
					r.send(t, casetest.Trace(1, engine, spans[i]))
					time.Sleep(time.Second)
				}
				r.stop(t)
				assert.Equal(t, map[string]uint64{"a": 1}, r.valuesOf(t, requestDuration, "tenant"))
				assert.Equal(t, map[string]uint64{"a": 1}, r.valuesOf(t, callDuration, "tenant"))
				assert.Equal(t, map[string]uint64{"r": 1}, r.valuesOf(t, callDuration, "route"))
			})
		})
	}
}
