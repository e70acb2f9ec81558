package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// tensorRT is trtllm-serve (tensorrt_llm/metrics/collector.py) since its names have a prefix. They
// are at /prometheus/metrics; /metrics is JSON there.
var tensorRT = Engine{
	Name: "tensorrt_llm", Role: server, Prefixes: []string{"trtllm_"}, Model: []string{"model_name"},
	Rows: append([]Row{
		{From: "num_requests_running", To: of(inference.ServerRequestsRunning)},
		{From: "num_requests_waiting", To: of(inference.ServerRequestsWaiting)},
		{From: "request_error", To: of(inference.ServerRequestsFinished), Set: failed},
		{From: "request_prefill_time_seconds", To: of(inference.ServerPrefillDuration)},
		{From: "request_decode_time_seconds", To: of(inference.ServerDecodeDuration)},
		{From: "kv_cache_utilization", To: of(inference.ServerKVCacheUsage)},
		{From: "prompt_tokens", To: of(inference.ServerTokens), Set: input},
		{From: "generation_tokens", To: of(inference.ServerTokens), Set: output},
		{From: "num_scheduled_requests", To: of(inference.ServerBatchSize)},
	}, tensorRTRows...),
}

// oldTensorRT is trtllm-serve before that: the names are those that NIM and others have, too.
var oldTensorRT = Engine{
	Name: "tensorrt_llm", Role: server, Prefixes: []string{""}, Model: []string{"model_name"},
	Requires: []string{"request_queue_time_seconds", "time_per_output_token_seconds", "e2e_request_latency_seconds"},
	Lacks:    []string{"num_requests_running", "gpu_cache_usage_perc"},
	Rows:     tensorRTRows,
}

var tensorRTRows = []Row{
	{From: "request_success", To: of(inference.ServerRequestsFinished), Outcome: finishedBy},
	{From: "e2e_request_latency_seconds", To: of(inference.ServerRequestDuration)},
	{From: "time_to_first_token_seconds", To: of(inference.ServerTTFT)},
	{From: "time_per_output_token_seconds", To: of(inference.ServerTPOT)},
	{From: "request_queue_time_seconds", To: of(inference.ServerQueueDuration)},
}

// nim is NVIDIA NIM for LLMs, whose names have no prefix, at /v1/metrics.
var nim = Engine{
	Name: "nim", Role: server, Prefixes: []string{""}, Model: []string{"model_name"},
	Requires: []string{"num_requests_running", "num_requests_waiting", "gpu_cache_usage_perc"},
	Rows: []Row{
		{From: "num_requests_running", To: of(inference.ServerRequestsRunning)},
		{From: "num_requests_waiting", To: of(inference.ServerRequestsWaiting)},
		{From: "request_finish", To: of(inference.ServerRequestsFinished), Outcome: finishedBy},
		{From: "request_success", To: of(inference.ServerRequestsFinished), Outcome: finishedBy},
		{From: "request_failure", To: of(inference.ServerRequestsFinished), Set: failed},
		{From: "e2e_request_latency_seconds", To: of(inference.ServerRequestDuration)},
		{From: "time_to_first_token_seconds", To: of(inference.ServerTTFT)},
		{From: "time_per_output_token_seconds", To: of(inference.ServerTPOT)},
		{From: "gpu_cache_usage_perc", To: of(inference.ServerKVCacheUsage)},
		{From: "prompt_tokens", To: of(inference.ServerTokens), Set: input},
		{From: "generation_tokens", To: of(inference.ServerTokens), Set: output},
		{From: "request_prompt_tokens", To: of(inference.ServerRequestTokens), Set: input},
		{From: "request_generation_tokens", To: of(inference.ServerRequestTokens), Set: output},
	},
}
