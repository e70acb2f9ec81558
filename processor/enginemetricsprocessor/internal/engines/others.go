package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// llamaCPP is llama-server (tools/server/README.md). It names no model.
var llamaCPP = Engine{
	Name: "llama_cpp", Role: server, Prefixes: []string{"llamacpp:", "llamacpp_"},
	Rows: []Row{
		{From: "requests_processing", To: of(inference.ServerRequestsRunning)},
		{From: "requests_deferred", To: of(inference.ServerRequestsWaiting)},
		{From: "prompt_seconds", To: of(inference.ServerPrefillTime)},
		{From: "tokens_predicted_seconds", To: of(inference.ServerDecodeTime)},
		{From: "prompt_tokens", To: of(inference.ServerTokens), Set: input},
		{From: "tokens_predicted", To: of(inference.ServerTokens), Set: output},
		{From: "kv_cache_usage_ratio", To: of(inference.ServerKVCacheUsage)},
		{From: "n_busy_slots_per_decode", To: of(inference.ServerBatchSize)},
	},
}

// torchServe is TorchServe with metrics_mode: prometheus. Its times are counters of microseconds.
var torchServe = Engine{
	Name: "torchserve", Role: server, Prefixes: []string{"ts_"}, Model: []string{"model_name"}, Version: []string{"model_version"},
	Rows: []Row{
		{From: "inference_requests", To: of(inference.ServerRequestsFinished), Set: ok},
		{From: "inference_latency_microseconds", To: of(inference.ServerRequestTime), Per: micro},
		{From: "queue_latency_microseconds", To: of(inference.ServerQueueTime), Per: micro},
	},
}

// kserve is KServe's server for models in Python. Its names have no prefix.
var kserve = Engine{
	Name: "kserve", Role: server, Prefixes: []string{""}, Model: []string{"model_name"},
	Requires: []string{"request_preprocess_seconds", "request_predict_seconds", "request_postprocess_seconds"},
	Rows: []Row{
		{From: "request_preprocess_seconds", To: of(inference.ServerPreprocessDuration)},
		{From: "request_predict_seconds", To: of(inference.ServerInferenceDuration)},
		{From: "request_postprocess_seconds", To: of(inference.ServerPostprocessDuration)},
	},
}

// rayServe is Ray Serve, which stands before an engine.
var rayServe = Engine{
	Name: "ray_serve", Prefixes: []string{"ray_serve_"},
	Labels: []Attribute{{"application", "application"}, {"deployment", "deployment"}},
	Rows: []Row{
		{From: "replica_processing_queries", To: of(inference.ServerRequestsRunning)},
		{From: "deployment_queued_queries", To: of(inference.ServerRequestsWaiting)},
		{From: "http_request_latency_ms", To: of(inference.ServerRequestDuration), Per: milli},
		{From: "deployment_processing_latency_ms", To: of(inference.ServerInferenceDuration), Per: milli},
		{From: "deployment_error_counter", To: of(inference.ServerRequestsFinished), Set: failed},
	},
}

// liteLLM is LiteLLM's proxy (litellm/types/integrations/prometheus.py).
var liteLLM = Engine{
	Name: "litellm", Role: client, Prefixes: []string{"litellm_"}, Model: []string{"requested_model", "model", "model_id"},
	Rows: []Row{
		{From: "request_total_latency_metric", To: of(inference.ServerRequestDuration)},
		{From: "llm_api_time_to_first_token_metric", To: of(inference.ServerTTFT)},
		{From: "deployment_latency_per_output_token", To: of(inference.ServerTPOT)},
		{From: "request_queue_time_seconds", To: of(inference.ServerQueueDuration)},
		{From: "input_tokens_metric", To: of(inference.ServerTokens), Set: input},
		{From: "output_tokens_metric", To: of(inference.ServerTokens), Set: output},
		{From: "deployment_success_responses", To: of(inference.ServerRequestsFinished), Set: ok},
		{From: "proxy_failed_requests_metric", To: of(inference.ServerRequestsFinished), Outcome: byStatus("exception_status")},
	},
}

// envoyAI is Envoy AI Gateway, which writes the metrics of the semantic conventions of generative
// AI. Its token types can have a total.
var envoyAI = Engine{
	Name: "envoy_ai_gateway", Role: client, Prefixes: []string{"gen_ai_", "gen_ai."},
	Model: []string{"gen_ai_response_model", "gen_ai.response.model", "gen_ai_request_model", "gen_ai.request.model"},
	Rows: []Row{
		{From: "server_request_duration_seconds", To: of(inference.ServerRequestDuration)},
		{From: "server_request_duration", To: of(inference.ServerRequestDuration)},
		{From: "server.request.duration", To: of(inference.ServerRequestDuration)},
		{From: "server_time_to_first_token_seconds", To: of(inference.ServerTTFT)},
		{From: "server_time_to_first_token", To: of(inference.ServerTTFT)},
		{From: "server.time_to_first_token", To: of(inference.ServerTTFT)},
		{From: "server_time_per_output_token_seconds", To: of(inference.ServerTPOT)},
		{From: "server_time_per_output_token", To: of(inference.ServerTPOT)},
		{From: "server.time_per_output_token", To: of(inference.ServerTPOT)},
		{From: "client_token_usage_token", To: of(inference.ServerRequestTokens), Only: set("gen_ai_token_type", "input"), Set: input},
		{From: "client_token_usage_token", To: of(inference.ServerRequestTokens), Only: set("gen_ai_token_type", "output"), Set: output},
		{From: "client_token_usage", To: of(inference.ServerRequestTokens), Only: set("gen_ai_token_type", "input"), Set: input},
		{From: "client_token_usage", To: of(inference.ServerRequestTokens), Only: set("gen_ai_token_type", "output"), Set: output},
		{From: "client.token.usage", To: of(inference.ServerRequestTokens), Only: set("gen_ai.token.type", "input"), Set: input},
		{From: "client.token.usage", To: of(inference.ServerRequestTokens), Only: set("gen_ai.token.type", "output"), Set: output},
	},
}

// istio is Istio and its Envoys. Of the two sides that count a request the server's is taken.
var istio = Engine{
	Name: "istio", Prefixes: []string{"istio_"},
	Labels: []Attribute{{"destination_workload", "destination_workload"}, {"destination_workload_namespace", "destination_workload_namespace"}},
	Rows: []Row{
		{From: "request_duration_milliseconds", To: of(inference.ServerRequestDuration), Per: milli, Only: set("reporter", "destination")},
		{From: "requests", To: of(inference.ServerRequestsFinished), Only: set("reporter", "destination"), Outcome: byStatus("response_code")},
	},
}
