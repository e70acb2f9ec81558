package spans

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

const (
	gatewaySpan = "POST /v1/chat/completions"
	engineSpan  = "llm_request"
)

func TestVLLMTimingsAddUp(t *testing.T) {
	spans, _ := written(t, StyleVLLM, troubled())
	for _, s := range spans {
		if s.Name != engineSpan {
			continue
		}
		a := attributesOf(s)
		latency := func(name string) float64 { return a[attribute.Key("gen_ai.latency."+name)].AsFloat64() }
		require.InDelta(t, latency("time_in_model_inference"), latency("time_in_model_prefill")+latency("time_in_model_decode"), 1e-9)
		require.Greater(t, latency("time_to_first_token"), latency("time_in_queue")+latency("time_in_model_prefill"))
		require.Greater(t, latency("e2e"), latency("time_to_first_token")+latency("time_in_model_decode"))
		require.InDelta(t, seconds(s), latency("e2e"), 1e-9)
		require.NotContains(t, a, attribute.Key("gen_ai.request.model"))
		require.NotContains(t, a, attribute.Key("gen_ai.response.model"))
		require.Equal(t, "vllm.tracing.otel", s.InstrumentationScope.Name)
		require.Equal(t, trace.SpanKindServer, s.SpanKind)
	}
}

func TestVLLMEqualsTheTruth(t *testing.T) {
	spans, models := written(t, StyleVLLM, troubled())
	durations := map[string]map[string][]float64{}
	for _, spans := range byTrace(spans) {
		gateway := spans[gatewaySpan]
		model := attributesOf(gateway)["gen_ai.request.model"].AsString()
		if durations[model] == nil {
			durations[model] = map[string][]float64{}
		}
		call, ok := spans[engineSpan]
		if !ok {
			continue
		}
		d, a := durations[model], attributesOf(call)
		latency := func(name string) float64 { return a[attribute.Key("gen_ai.latency."+name)].AsFloat64() }
		first, queue, prefill, decode := latency("time_to_first_token"), latency("time_in_queue"), latency("time_in_model_prefill"), latency("time_in_model_decode")
		d["request"] = append(d["request"], seconds(gateway))
		d["request ttft"] = append(d["request ttft"], call.StartTime.Sub(gateway.StartTime).Seconds()+first)
		d["ttft"] = append(d["ttft"], first)
		d["preprocess"] = append(d["preprocess"], first-queue-prefill)
		d["queue"] = append(d["queue"], queue)
		d["inference"] = append(d["inference"], latency("time_in_model_inference"))
		d["postprocess"] = append(d["postprocess"], latency("e2e")-first-decode)
		if n := a["gen_ai.usage.completion_tokens"].AsInt64(); n > 1 {
			d["tpot"] = append(d["tpot"], decode/float64(n-1))
		}
	}
	for name, d := range durations {
		m := models[name]
		for _, phase := range []string{"preprocess", "queue", "inference", "postprocess"} {
			requireSummary(t, d[phase], m.Phases[phase], name+" "+phase)
		}
		requireSummary(t, d["request"], m.RequestDuration, name+" request")
		requireSummary(t, d["request ttft"], m.RequestTTFT, name+" request ttft")
		requireSummary(t, d["ttft"], m.CallTTFT, name+" ttft")
		requireSummary(t, d["tpot"], m.TPOT, name+" tpot")
		assert.Equal(t, len(d["ttft"]), m.Calls)
		assert.Equal(t, m.Requests-m.Calls, m.RequestsWithoutCall)
		assert.Empty(t, m.Version, "the spans do not bear it")
		assert.NotContains(t, m.Phases, "receive")
	}
}

func TestVLLMWritesNoEngineSpanForWhatItDidNotFinish(t *testing.T) {
	spans, models := written(t, StyleVLLM, troubled())
	statuses := map[int64]int{}
	for _, spans := range byTrace(spans) {
		gateway := spans[gatewaySpan]
		status := attributesOf(gateway)["http.response.status_code"].AsInt64()
		statuses[status]++
		_, called := spans[engineSpan]
		require.Equal(t, status == 200, called)
		require.Equal(t, status >= 500, gateway.Status.Code == codes.Error)
	}
	outcomes := map[string]int{}
	for _, m := range models {
		for name, n := range m.Outcomes {
			outcomes[name] += n
		}
	}
	assert.Equal(t, map[string]int{
		"ok": statuses[200], "aborted": statuses[499], "rejected": statuses[429], "timeout": statuses[504], "error": statuses[500],
	}, outcomes)
}

func TestVLLMComesFromTwoServices(t *testing.T) {
	spans, _ := written(t, StyleVLLM, troubled())
	services := map[string]string{}
	for _, s := range spans {
		name, _ := s.Resource.Set().Value("service.name")
		services[s.Name] = name.AsString()
	}
	assert.Equal(t, map[string]string{gatewaySpan: "gateway", engineSpan: "vllm"}, services)
}
