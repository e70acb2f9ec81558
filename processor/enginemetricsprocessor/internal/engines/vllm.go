package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// vllm is vLLM from V0 on (vllm/v1/metrics/loggers.py), also within Ray, which writes an
// underscore for the colon. A metric that was renamed has its new name first: for two versions
// both are on the page.
var vllm = Engine{
	Name: "vllm", Role: server, Prefixes: []string{"vllm:", "vllm_", "ray_vllm_", "ray_vllm:"},
	Model: []string{"model_name"}, Ranks: []string{"engine"},
	Rows: []Row{
		{From: "num_requests_running", To: of(inference.ServerRequestsRunning)},
		{From: "num_requests_waiting", To: of(inference.ServerRequestsWaiting)},
		{From: "request_success", To: of(inference.ServerRequestsFinished), Outcome: finishedBy},
		{From: "e2e_request_latency_seconds", To: of(inference.ServerRequestDuration)},
		{From: "time_to_first_token_seconds", To: of(inference.ServerTTFT)},
		{From: "inter_token_latency_seconds", To: of(inference.ServerITL)},
		// Until 0.12 the gaps between tokens were called time per output token.
		{From: "time_per_output_token_seconds", To: of(inference.ServerITL)},
		{From: "request_time_per_output_token_seconds", To: of(inference.ServerTPOT)},
		{From: "request_queue_time_seconds", To: of(inference.ServerQueueDuration)},
		{From: "time_in_queue_requests", To: of(inference.ServerQueueDuration)},
		{From: "request_inference_time_seconds", To: of(inference.ServerInferenceDuration)},
		{From: "request_prefill_time_seconds", To: of(inference.ServerPrefillDuration)},
		{From: "request_decode_time_seconds", To: of(inference.ServerDecodeDuration)},
		// 0 to 1, whatever their names say.
		{From: "kv_cache_usage_perc", To: of(inference.ServerKVCacheUsage)},
		{From: "gpu_cache_usage_perc", To: of(inference.ServerKVCacheUsage)},
		{From: "prefix_cache_queries", To: of(inference.ServerPrefixCacheQueries)},
		{From: "gpu_prefix_cache_queries", To: of(inference.ServerPrefixCacheQueries)},
		{From: "prefix_cache_hits", To: of(inference.ServerPrefixCacheHits)},
		{From: "gpu_prefix_cache_hits", To: of(inference.ServerPrefixCacheHits)},
		{From: "num_preemptions", To: of(inference.ServerPreemptions)},
		{From: "prompt_tokens", To: of(inference.ServerTokens), Set: input},
		{From: "generation_tokens", To: of(inference.ServerTokens), Set: output},
		{From: "request_prompt_tokens", To: of(inference.ServerRequestTokens), Set: input},
		{From: "request_generation_tokens", To: of(inference.ServerRequestTokens), Set: output},
	},
}
