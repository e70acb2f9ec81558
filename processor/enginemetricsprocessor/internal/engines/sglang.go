package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// sglang is SGLang (python/sglang/srt/observability/metrics_collector.py). Its schedulers count
// once for each rank of tensor and pipeline parallelism, all the same.
var sglang = Engine{
	Name: "sglang", Role: server, Prefixes: []string{"sglang:", "sglang_"},
	Model: []string{"model_name"}, Ranks: []string{"dp_rank"}, Copies: []string{"tp_rank", "pp_rank"},
	Rows: []Row{
		{From: "num_running_reqs", To: of(inference.ServerRequestsRunning)},
		{From: "num_queue_reqs", To: of(inference.ServerRequestsWaiting)},
		{From: "num_requests", To: of(inference.ServerRequestsFinished), Set: ok},
		{From: "num_aborted_requests", To: of(inference.ServerRequestsFinished), Set: aborted},
		{From: "e2e_request_latency_seconds", To: of(inference.ServerRequestDuration)},
		{From: "time_to_first_token_seconds", To: of(inference.ServerTTFT)},
		{From: "inter_token_latency_seconds", To: of(inference.ServerITL)},
		// Until 0.5 the gaps between tokens were called time per output token.
		{From: "time_per_output_token_seconds", To: of(inference.ServerITL)},
		{From: "queue_time_seconds", To: of(inference.ServerQueueDuration)},
		{From: "per_stage_req_latency_seconds", To: of(inference.ServerPrefillDuration), Only: set("stage", "prefill_forward")},
		{From: "token_usage", To: of(inference.ServerKVCacheUsage)},
		{From: "prompt_tokens", To: of(inference.ServerPrefixCacheQueries)},
		{From: "cached_tokens", To: of(inference.ServerPrefixCacheHits), Not: set("cache_source", "total")},
		{From: "num_retracted_requests", To: of(inference.ServerPreemptions)},
		{From: "prompt_tokens", To: of(inference.ServerTokens), Set: input},
		{From: "generation_tokens", To: of(inference.ServerTokens), Set: output},
		{From: "prompt_tokens_histogram", To: of(inference.ServerRequestTokens), Set: input},
		{From: "generation_tokens_histogram", To: of(inference.ServerRequestTokens), Set: output},
	},
}
