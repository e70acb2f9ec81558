package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// tgi is Text Generation Inference (router/src/server.rs). It names no model, and has no time to
// first token. Its durations are in seconds.
var tgi = Engine{
	Name: "tgi", Role: server, Prefixes: []string{"tgi_"},
	Rows: []Row{
		{From: "batch_current_size", To: of(inference.ServerRequestsRunning)},
		{From: "queue_size", To: of(inference.ServerRequestsWaiting)},
		{From: "request_success", To: of(inference.ServerRequestsFinished), Set: ok},
		{From: "request_failure", To: of(inference.ServerRequestsFinished), Outcome: reasons("err", map[string]inference.Outcome{
			"overloaded": inference.OutcomeRejected, "dropped": inference.OutcomeAborted,
		})},
		{From: "request_duration", To: of(inference.ServerRequestDuration)},
		{From: "request_mean_time_per_token_duration", To: of(inference.ServerTPOT)},
		{From: "request_queue_duration", To: of(inference.ServerQueueDuration)},
		{From: "request_inference_duration", To: of(inference.ServerInferenceDuration)},
		{From: "request_input_length", To: of(inference.ServerRequestTokens), Set: input},
		{From: "request_generated_tokens", To: of(inference.ServerRequestTokens), Set: output},
		{From: "batch_current_size", To: of(inference.ServerBatchSize)},
		{From: "batch_inference_duration", To: of(inference.ServerBatchDuration), Only: set("method", "prefill"), Set: set(inference.AttrSubphase, "prefill")},
		{From: "batch_inference_duration", To: of(inference.ServerBatchDuration), Only: set("method", "decode"), Set: set(inference.AttrSubphase, "decode")},
	},
}
