package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// triton is Triton Inference Server (core/src/metrics.cc). Its times are counters of microseconds:
// means, and no quantiles. A model on several GPUs has a series for each.
var triton = Engine{
	Name: "triton", Role: server, Prefixes: []string{"nv_"}, Model: []string{"model"}, Version: []string{"version"},
	Rows: []Row{
		{From: "inference_pending_request_count", To: of(inference.ServerRequestsWaiting)},
		{From: "inference_request_success", To: of(inference.ServerRequestsFinished), Set: ok},
		{From: "inference_request_failure", To: of(inference.ServerRequestsFinished), Outcome: reasons("reason", map[string]inference.Outcome{
			"REJECTED": inference.OutcomeRejected, "CANCELED": inference.OutcomeAborted,
		})},
		{From: "inference_request_duration_us", To: of(inference.ServerRequestTime), Per: micro},
		{From: "inference_queue_duration_us", To: of(inference.ServerQueueTime), Per: micro},
		{From: "inference_compute_input_duration_us", To: of(inference.ServerPreprocessTime), Per: micro},
		{From: "inference_compute_infer_duration_us", To: of(inference.ServerInferenceTime), Per: micro},
		{From: "inference_compute_output_duration_us", To: of(inference.ServerPostprocessTime), Per: micro},
		{From: "inference_first_response_histogram_ms", To: of(inference.ServerTTFT), Per: milli},
		{From: "inference_count", To: of(inference.ServerBatchItems)},
		{From: "inference_exec_count", To: of(inference.ServerBatchExecutions)},
		{From: "model_load_duration_secs", To: of(inference.ServerModelLoadDuration)},
		// Of the TensorRT-LLM backend.
		{From: "trt_llm_request_metrics", To: of(inference.ServerRequestsRunning), Only: set("request_type", "scheduled")},
		{From: "trt_llm_request_metrics", To: of(inference.ServerRequestsWaiting), Only: set("request_type", "waiting")},
		{From: "trt_llm_kv_cache_block_metrics", To: of(inference.ServerKVCacheUsage), Only: set("kv_cache_block_type", "fraction")},
	},
}
