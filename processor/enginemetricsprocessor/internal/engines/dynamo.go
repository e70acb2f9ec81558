package engines

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// dynamo is the frontend of NVIDIA Dynamo (lib/runtime/src/metrics/prometheus_names.rs). Its
// queued_requests are those without a first token, and no queue of a scheduler.
var dynamo = Engine{
	Name: "dynamo", Role: server, Prefixes: []string{"dynamo_frontend_"}, Model: []string{"model"},
	Rows: []Row{
		{From: "inflight_requests", To: of(inference.ServerRequestsRunning)},
		{From: "requests", To: of(inference.ServerRequestsFinished), Only: set("status", "success"), Set: ok},
		{From: "requests", To: of(inference.ServerRequestsFinished), Only: set("status", "error"), Outcome: reasons("error_type", map[string]inference.Outcome{
			"cancelled": inference.OutcomeAborted, "canceled": inference.OutcomeAborted, "overload": inference.OutcomeRejected,
		})},
		{From: "request_duration_seconds", To: of(inference.ServerRequestDuration)},
		{From: "time_to_first_token_seconds", To: of(inference.ServerTTFT)},
		{From: "inter_token_latency_seconds", To: of(inference.ServerITL)},
		{From: "output_tokens", To: of(inference.ServerTokens), Set: output},
		{From: "input_sequence_tokens", To: of(inference.ServerRequestTokens), Set: input},
		{From: "output_sequence_tokens", To: of(inference.ServerRequestTokens), Set: output},
	},
}
