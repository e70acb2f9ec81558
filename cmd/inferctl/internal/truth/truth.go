// Package truth keeps what a simulation knows about the telemetry it sent, so
// that what a collector makes of it can be checked against exact numbers.
//
// Every value is taken as it was written to a span, never from the model behind
// it: what a span does not say, nobody downstream can know.
package truth

import "time"

// Truth is the whole account of one run, and the format of --truth.
type Truth struct {
	// Style is the way the spans were written: stages or vllm.
	Style string `json:"style"`
	// Seed and RunID reproduce the run; RunID decides trace and request ids.
	Seed  uint64 `json:"seed"`
	RunID string `json:"run_id"`
	// Service and Environment are the resource the request spans came from.
	Service     string `json:"service"`
	Environment string `json:"environment"`
	// Start and End are the timestamps of virtual time zero and of the last
	// moment played.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Interrupted tells that arrivals were stopped before their time, by a
	// signal or because the receiver was lost.
	Interrupted bool `json:"interrupted"`
	// Requests is the number of requests that arrived, with or without a call.
	Requests int `json:"requests"`
	// Sent counts what the receiver accepted and what was lost on the way.
	Sent Sent `json:"sent"`
	// Models holds one entry per model and version, by name and version.
	Models []Model `json:"models"`
}

// Sent counts exported telemetry.
type Sent struct {
	Spans       int `json:"spans"`
	SpansFailed int `json:"spans_failed"`
	// LogRecords counts request log lines, to a receiver or to a file.
	LogRecords       int `json:"log_records"`
	LogRecordsFailed int `json:"log_records_failed"`
}

// Model is what was sent for one model. Durations are seconds; quantiles are
// exact (nearest rank); nothing measured is no observation, and a duration of
// zero is nothing measured.
type Model struct {
	Name string `json:"name"`
	// Version is empty in vllm style: its spans do not bear it, so all versions
	// of a model share one entry.
	Version string `json:"version,omitempty"`

	// Requests counts the arrivals, and Outcomes how they ended: ok, error,
	// timeout, rejected, aborted.
	Requests int            `json:"requests"`
	Outcomes map[string]int `json:"outcomes"`
	// RequestsWithoutCall counts requests with no span of a call. In stages
	// style their request span still tells what they are, and RequestDuration
	// holds them. In vllm style only a gateway span is left, which is no
	// inference request to an observer: RequestDuration does not hold them.
	RequestsWithoutCall int `json:"requests_without_call"`
	// Calls counts server calls, and CallOutcomes how they ended.
	Calls        int            `json:"calls"`
	CallOutcomes map[string]int `json:"call_outcomes"`
	// ErrorTypes counts the error.type of calls and of requests without call.
	ErrorTypes map[string]int `json:"error_types"`
	// FinishReasons counts the finish reasons on the spans (stages style only).
	FinishReasons map[string]int `json:"finish_reasons"`
	// InputTokens and OutputTokens are summed over the calls.
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`

	// RequestDuration and CallDuration are of the request span and of the call
	// (stages: the inference span; vllm: gen_ai.latency.e2e).
	RequestDuration Summary `json:"request_duration"`
	CallDuration    Summary `json:"call_duration"`
	// RequestTTFT runs from the start of the request span to the first token
	// of its call, if that ended well. CallTTFT runs from the call's arrival,
	// also for calls that fail later.
	RequestTTFT Summary `json:"request_time_to_first_token"`
	CallTTFT    Summary `json:"call_time_to_first_token"`
	// TPOT is the time per output token after the first, for calls with more
	// than one (stages: call duration without TTFT; vllm: time in decode).
	TPOT Summary `json:"time_per_output_token"`
	// Phases are receive, preprocess, queue, inference and postprocess;
	// Subphases are prefill and decode (vllm style only).
	Phases    map[string]Summary `json:"phases"`
	Subphases map[string]Summary `json:"subphases,omitempty"`
}
