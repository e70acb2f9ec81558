package casetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Fixture is what a trace of one engine or SDK says of its request and of its
// first call, in seconds; 0 is absent.
type Fixture struct {
	Engine, Model                             string
	Request, RequestTTFT                      float64
	Role                                      inference.Role
	Duration, TTFT, TPOT                      float64
	Preprocess, Queue, Inference, Postprocess float64
	Prefill, Decode                           float64
	Input, Output, Cached                     int64
	Finish                                    string
	Streaming                                 inference.Tristate
	Gateway                                   float64
	Calls                                     int // of the request
}

// LoadFixture reads the trace of a fixture below dir.
func LoadFixture(tb testing.TB, dir, name string) ptrace.Traces {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	require.NoError(tb, err)
	return Unmarshal(tb, data)
}

// Fixtures are those of tests/fixtures/otlp, by name, with the values that their
// expect.md calculates by hand.
var Fixtures = map[string]Fixture{
	"vllm_v1": {
		Engine: "vllm", Model: "unknown", Request: 2.0508, RequestTTFT: 0.1843, Duration: 2.0508, TTFT: 0.1843, TPOT: 1.865 / 127,
		Preprocess: 0.0130, Queue: 0.0512, Inference: 1.9851, Postprocess: 0.0015, Prefill: 0.1201, Decode: 1.8650, Input: 512, Output: 128, Calls: 1,
	},
	"vllm_v0": {
		Engine: "vllm", Model: "facebook/opt-125m", Request: 3, RequestTTFT: 0.5, Duration: 3, TTFT: 0.5, TPOT: 0.025,
		Queue: 0.2, Inference: 2.8, Prefill: 0.3, Decode: 2.5, Input: 64, Output: 101, Calls: 1,
	},
	"tensorrt_llm": {
		Engine: "tensorrt_llm", Model: "unknown", Request: 1, RequestTTFT: 0.1, Duration: 1, TTFT: 0.1, TPOT: 0.015,
		Queue: 0.02, Inference: 0.98, Prefill: 0.08, Decode: 0.9, Input: 300, Output: 61, Calls: 1,
	},
	"production_stack_vllm": {
		Engine: "vllm", Model: "Qwen/Qwen3-8B", Request: 2.07, RequestTTFT: 0.1943, Duration: 2.0508, TTFT: 0.1843, TPOT: 1.865 / 127,
		Preprocess: 0.0130, Queue: 0.0512, Inference: 1.9851, Postprocess: 0.0015, Prefill: 0.1201, Decode: 1.8650, Input: 512, Output: 128, Calls: 1,
	},
	"sglang": {
		Engine: "sglang", Model: "Qwen/Qwen3-8B", Request: 1.5, RequestTTFT: 0.17, Duration: 1.5, TTFT: 0.17, TPOT: 0.014,
		Preprocess: 0.0135, Queue: 0.051, Inference: 1.427, Postprocess: 0.008, Prefill: 0.1, Decode: 1.327, Input: 1024, Output: 96, Cached: 256, Finish: "stop", Calls: 1,
	},
	"rtp_llm": {
		Engine: "rtp_llm", Model: "qwen", Request: 1, RequestTTFT: 0.19, Duration: 1, TTFT: 0.19, TPOT: 0.02,
		Preprocess: 0.017, Queue: 0.023, Inference: 0.95, Prefill: 0.15, Decode: 0.8, Input: 700, Output: 41, Calls: 1,
	},
	"tgi": {
		Engine: "tgi", Model: "unknown", Request: 0.1240456, RequestTTFT: 0.0640456, Duration: 0.1240456, TTFT: 0.0640456, TPOT: 0.015,
		Preprocess: 0.0032, Queue: 0.0008456, Inference: 0.12, Prefill: 0.06, Decode: 0.06, Output: 5, Calls: 1,
	},
	"triton": {
		Engine: "triton", Model: "resnet50", Request: 0.0152, Duration: 0.0142,
		Preprocess: 0.0005, Queue: 0.005, Inference: 0.008, Postprocess: 0.0005, Calls: 1,
	},
	"triton_ensemble": {
		Engine: "triton", Model: "detector_ensemble", Request: 0.0394, Duration: 0.0078,
		Preprocess: 0.0001, Queue: 0.0005, Inference: 0.007, Postprocess: 0.0001, Calls: 3,
	},
	"llmd_pd": {
		Engine: "vllm", Model: "meta-llama/Llama-3.1-8B-Instruct", Request: 1.31, RequestTTFT: 0.301, Duration: 1.289, TTFT: 0.289, TPOT: 0.00999,
		Preprocess: 0.018, Queue: 0.014, Inference: 1.249, Postprocess: 0.001, Prefill: 0.18, Decode: 0.999, Input: 2000, Output: 101, Gateway: 0.021, Calls: 1,
	},
	"dynamo": {
		Engine: "dynamo", Model: "Qwen/Qwen3-0.6B", Request: 0.9, RequestTTFT: 0.1, Duration: 0.889, TTFT: 0.092, TPOT: 0.0195,
		Input: 128, Output: 41, Finish: "stop", Calls: 1,
	},
	"semconv_client_1_41": {
		Engine: "gen_ai", Model: "gpt-4o-2024-08-06", Request: 3, RequestTTFT: 0.6, Role: inference.RoleClient, Duration: 3, TTFT: 0.6, TPOT: 0.02,
		Input: 100, Output: 121, Cached: 64, Finish: "stop", Streaming: inference.Yes, Calls: 1,
	},
	"semconv_client_legacy": {
		Engine: "gen_ai", Model: "gpt-4o-2024-08-06", Request: 3, Role: inference.RoleClient, Duration: 3, Input: 100, Output: 121, Finish: "stop", Calls: 1,
	},
	"openinference": {
		Engine: "openinference", Model: "gpt-4o-mini-2024-07-18", Request: 1.4, RequestTTFT: 0.4, Role: inference.RoleClient, Duration: 1.4, TTFT: 0.4,
		TPOT: 0.02, Input: 12, Output: 51, Calls: 1,
	},
	"openllmetry": {
		Engine: "openllmetry", Model: "gpt-4o-mini-2024-07-18", Request: 0.7, RequestTTFT: 0.6, Role: inference.RoleClient, Duration: 0.7, TTFT: 0.6,
		TPOT: 0.02, Input: 12, Output: 5, Streaming: inference.Yes, Calls: 1,
	},
	"pydantic_ai": {
		Engine: "pydantic_ai", Model: "gpt-4o-2024-08-06", Request: 1.2, RequestTTFT: 0.4, Role: inference.RoleClient, Duration: 1.2, TTFT: 0.4,
		TPOT: 0.02, Input: 50, Output: 41, Finish: "stop", Calls: 1,
	},
	"vercel_ai_genai": {
		Engine: "vercel_ai", Model: "gpt-4o-2024-08-06", Request: 1.9995, RequestTTFT: 0.50025, Role: inference.RoleClient, Duration: 1.9995,
		TTFT: 0.50025, TPOT: 0.0249875, Input: 30, Output: 61, Finish: "stop", Calls: 1,
	},
	"vercel_ai_legacy": {
		Engine: "vercel_ai", Model: "gpt-4o-2024-08-06", Request: 1.9995, RequestTTFT: 0.50025, Role: inference.RoleClient, Duration: 1.9995,
		TTFT: 0.50025, TPOT: 0.0249875, Input: 30, Output: 61, Finish: "stop", Calls: 1,
	},
	"litellm_v1": {
		Engine: "litellm", Model: "gpt-4o-mini-2024-07-18", Request: 1.812, Role: inference.RoleClient, Duration: 1.79,
		Input: 11, Output: 64, Finish: "length", Streaming: inference.Yes, Gateway: 0.022, Calls: 1,
	},
	"litellm_v2": {
		Engine: "litellm", Model: "gpt-4o-mini-2024-07-18", Request: 1.812, Role: inference.RoleClient, Duration: 1.79,
		Input: 11, Output: 64, Finish: "length", Streaming: inference.Yes, Gateway: 0.022, Calls: 1,
	},
	"envoy_ai_gateway_genai": {
		Engine: "envoy_ai_gateway", Model: "qwen3-8b", Request: 2.5, Role: inference.RoleClient, Duration: 2.5, Input: 40, Output: 81, Finish: "stop", Calls: 1,
	},
}
