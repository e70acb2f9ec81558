package main

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// example is a question and the query that answers it.
type example struct{ Question, Query string }

// examples stand below their metric on the page. In a query, $m is the
// metric's name on the Prometheus page.
var examples = [inference.NumMetrics][]example{
	inference.MetricRequestDuration: {
		{"How long do the slowest 5 % of the users of each model wait?", `
histogram_quantile(0.95, sum by (le, inference_model_name) (
  rate($m_bucket{inference_outcome="ok"}[5m])))`},
		{"Which share of the requests fails?", `
  sum by (inference_model_name) (rate($m_count{inference_outcome!="ok"}[5m]))
/ sum by (inference_model_name) (rate($m_count[5m]))`},
	},
	inference.MetricRequestTTFT: {{"Which share of the requests has its first token within 500 ms?", `
  sum by (inference_model_name) (rate($m_bucket{inference_outcome="ok", le="0.5"}[5m]))
/ sum by (inference_model_name) (rate($m_count{inference_outcome="ok"}[5m]))`}},
	inference.MetricRequestCalls: {{"How many calls does a request make on average?", `
  sum by (service_name) (rate($m_sum[5m]))
/ sum by (service_name) (rate($m_count[5m]))`}},
	inference.MetricRequestRetries: {{"How many retries come with each request? No series: there was none.", `
  sum by (inference_model_name) (rate($m[5m]))
/ sum by (inference_model_name) (rate(inference_request_duration_seconds_count[5m]))`}},
	inference.MetricRequestFinished: {{"Which share of the answers is cut off at the length limit?", `
  sum by (inference_model_name) (rate($m{inference_finish_reason="length"}[5m]))
/ sum by (inference_model_name) (rate($m[5m]))`}},
	inference.MetricStreamBuffered: {{"Behind which services is the stream held back? No series: behind none.", `
sum by (service_name, inference_model_name) (rate($m[5m]))`}},
	inference.MetricCallDuration: {{"How long are the calls, as engines and as their callers see them?", `
histogram_quantile(0.95, sum by (le, inference_model_name, inference_role) (
  rate($m_bucket[5m])))`}},
	inference.MetricCallTTFT: {{"When does each engine have its first token?", `
histogram_quantile(0.95, sum by (le, inference_model_name, inference_engine) (
  rate($m_bucket{inference_role="server", inference_outcome="ok"}[5m])))`}},
	inference.MetricCallTPOT: {{"How many tokens per second does a user of each model see?", `
1 / histogram_quantile(0.5, sum by (le, inference_model_name) (
  rate($m_bucket{inference_role="server", inference_outcome="ok"}[5m])))`}},
	inference.MetricPhaseDuration: {
		{"How long is each phase at the 95th percentile?", `
histogram_quantile(0.95, sum by (le, inference_model_name, inference_phase) (
  rate($m_bucket{inference_role="server"}[5m])))`},
		{"Which share of the time is spent in which phase?", `
  sum by (inference_model_name, inference_phase) (rate($m_sum{inference_role="server"}[5m]))
/ ignoring (inference_phase) group_left
  sum by (inference_model_name) (rate($m_sum{inference_role="server"}[5m]))`},
	},
	inference.MetricSubphaseDuration: {{"Is it the prefill or the decode that is slow?", `
histogram_quantile(0.95, sum by (le, inference_model_name, inference_subphase) (
  rate($m_bucket[5m])))`}},
	inference.MetricHopDuration: {{"How much time does each gateway add on average?", `
  sum by (service_name, inference_hop) (rate($m_sum[5m]))
/ sum by (service_name, inference_hop) (rate($m_count[5m]))`}},
	inference.MetricTokenUsage: {{"How many tokens per second go in and out?", `
sum by (inference_model_name, gen_ai_token_type) (rate($m_sum[5m]))`}},
	inference.MetricBatchSize: {{"How well are the batches filled?", `
  sum by (inference_model_name) (rate($m_sum[5m]))
/ sum by (inference_model_name) (rate($m_count[5m]))`}},
}
