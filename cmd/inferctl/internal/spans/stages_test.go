package spans

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// byTrace groups spans by trace, and spans of a trace by name.
func byTrace(spans tracetest.SpanStubs) map[trace.TraceID]map[string]tracetest.SpanStub {
	traces := map[trace.TraceID]map[string]tracetest.SpanStub{}
	for _, s := range spans {
		id := s.SpanContext.TraceID()
		if traces[id] == nil {
			traces[id] = map[string]tracetest.SpanStub{}
		}
		traces[id][s.Name] = s
	}
	return traces
}

func seconds(s tracetest.SpanStub) float64 { return s.EndTime.Sub(s.StartTime).Seconds() }

func TestStagesAbut(t *testing.T) {
	spans, _ := written(t, StyleStages, troubled())
	traces := byTrace(spans)
	require.Len(t, traces, 600)
	for _, spans := range traces {
		root := spans["request"]
		require.Equal(t, trace.SpanKindServer, root.SpanKind)
		require.False(t, root.Parent.IsValid())
		at := root.StartTime
		for _, name := range []string{"receive", "preprocess", "queue", "inference", "postprocess"} {
			s, ok := spans[name]
			if !ok {
				continue
			}
			require.Equal(t, trace.SpanKindInternal, s.SpanKind)
			require.Equal(t, root.SpanContext.SpanID(), s.Parent.SpanID())
			require.Equal(t, at, s.StartTime, name)
			at = s.EndTime
		}
		require.False(t, root.EndTime.Before(at))
	}
}

func TestStagesEqualTheTruth(t *testing.T) {
	spans, models := written(t, StyleStages, troubled())
	durations := map[string]map[string][]float64{}
	traces := byTrace(spans)
	for _, spans := range traces {
		model := attributesOf(spans["request"])["gen_ai.request.model"].AsString()
		if durations[model] == nil {
			durations[model] = map[string][]float64{}
		}
		d := durations[model]
		for name, s := range spans {
			d[name] = append(d[name], seconds(s))
		}
		call, ok := spans["inference"]
		if !ok || len(call.Events) == 0 {
			continue
		}
		first := call.Events[0].Time.Sub(call.StartTime).Seconds()
		d["ttft"] = append(d["ttft"], first)
		if call.Status.Code == codes.Unset {
			d["request ttft"] = append(d["request ttft"], call.Events[0].Time.Sub(spans["request"].StartTime).Seconds())
		}
		if n := attributesOf(call)["gen_ai.usage.output_tokens"].AsInt64(); n > 1 {
			d["tpot"] = append(d["tpot"], (seconds(call)-first)/float64(n-1))
		}
	}
	require.Len(t, durations, 2)
	for name, d := range durations {
		m := models[name]
		for _, phase := range []string{"receive", "preprocess", "queue", "inference", "postprocess"} {
			requireSummary(t, d[phase], m.Phases[phase], name+" "+phase)
		}
		requireSummary(t, d["request"], m.RequestDuration, name+" request")
		requireSummary(t, d["inference"], m.CallDuration, name+" call")
		requireSummary(t, d["ttft"], m.CallTTFT, name+" ttft")
		requireSummary(t, d["request ttft"], m.RequestTTFT, name+" request ttft")
		requireSummary(t, d["tpot"], m.TPOT, name+" tpot")
		assert.Equal(t, len(d["inference"]), m.Calls)
		assert.Equal(t, m.Requests, m.RequestsWithoutCall+m.Calls)
	}
}

func TestStagesTellErrors(t *testing.T) {
	spans, models := written(t, StyleStages, troubled())
	types := map[string]int{}
	for _, spans := range byTrace(spans) {
		root, call := spans["request"], spans["inference"]
		kind := attributesOf(root)["error.type"].AsString()
		types[kind]++
		if kind == "" {
			require.Equal(t, codes.Unset, root.Status.Code)
			require.Equal(t, []string{"stop"}, finishReasons(call, "length"))
			continue
		}
		require.Equal(t, codes.Error, root.Status.Code)
		require.NotContains(t, spans, "postprocess")
		if _, called := spans["inference"]; called {
			require.Equal(t, codes.Error, call.Status.Code)
			require.Equal(t, kind, attributesOf(call)["error.type"].AsString())
		}
	}
	for _, kind := range []string{"", "client_disconnected", "429", "timeout", "engine_error", "out_of_memory"} {
		assert.Positive(t, types[kind], "%q", kind)
		counted := 0
		for _, m := range models {
			counted += m.ErrorTypes[kind]
		}
		if kind != "" {
			assert.Equal(t, types[kind], counted, "%q", kind)
		}
	}
}

// finishReasons reads the reasons of a span, with one of them taken for "stop".
func finishReasons(s tracetest.SpanStub, alike string) []string {
	reasons := attributesOf(s)["gen_ai.response.finish_reasons"].AsStringSlice()
	for i := range reasons {
		if reasons[i] == alike {
			reasons[i] = "stop"
		}
	}
	return reasons
}

func TestStagesAttributes(t *testing.T) {
	cfg := troubled()
	cfg.ErrorRate, cfg.AbortRate, cfg.Requests = 0, 0, 1
	spans, _ := written(t, StyleStages, cfg)
	one := byTrace(spans)[spans[0].SpanContext.TraceID()]
	request, call := attributesOf(one["request"]), attributesOf(one["inference"])
	assert.Equal(t, "chatcmpl-run-000000", request["gen_ai.request.id"].AsString())
	assert.True(t, request["gen_ai.request.stream"].AsBool())
	assert.NotEmpty(t, request["model.version"].AsString())
	for _, key := range []attribute.Key{"gen_ai.request.model", "gen_ai.response.model", "model.version", "gen_ai.response.finish_reasons"} {
		assert.Contains(t, call, key)
	}
	for _, key := range []attribute.Key{"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "batch_size"} {
		assert.Positive(t, call[key].AsInt64(), key)
	}
	require.Len(t, one["inference"].Events, 1)
	assert.Equal(t, "first_token", one["inference"].Events[0].Name)
	environment, _ := one["request"].Resource.Set().Value("deployment.environment.name")
	assert.Equal(t, "test", environment.AsString())
}
