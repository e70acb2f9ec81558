package entry

import (
	"slices"
	"strings"
)

// Why a name is no label.
const (
	identifies = "identifies one thing, so that every value would be a stream of its own"
	measures   = "is a measurement, so that nearly every record would be a stream of its own"
	says       = "is free text, so that nearly every record would be a stream of its own"
	personal   = "is about a user, so that every user would be a stream"
)

// refusal is a kind of names with too many values.
type refusal struct {
	why      string
	names    []string
	suffixes []string
	prefixes []string
	parts    []string
}

// refusals are matched against sanitised names in lower case.
var refusals = []refusal{
	{
		why: identifies,
		names: []string{
			"id", "uid", "uuid", "guid", "tid", "rid", "pid", "trace", "span", "traceid", "spanid", "requestid", "reqid",
			"sessionid", "traceparent", "tracestate", "b3", "x_request_id", "otel_trace_id", "otel_span_id", "oteltraceid", "otelspanid",
			"k8s_pod_name", "pod", "pod_name", "instance", "pod_uid", "ip", "host_ip", "process_pid", "session", "conversation",
		},
		suffixes: []string{
			"_id", "_ids", "_uid", "_uuid", "_guid", "_pid", "_tid", "_address", "_addr", "_ip", "_port", "_hash", "_digest",
			"_checksum", "_token", "_key", "_nonce", "_traceid", "_spanid", "_requestid",
		},
		parts: []string{"trace_id", "span_id", "request_id", "correlation_id", "session_id"},
	},
	{
		why: measures,
		names: []string{
			"duration", "latency", "elapsed", "took", "ttft", "tpot", "itl", "tokens", "bytes", "size", "time", "timestamp", "ts", "date",
			"observed_timestamp", "count", "flags", "lineno", "code_lineno", "code_line_number", "seed", "temperature", "offset",
		},
		suffixes: []string{
			"_ms", "_us", "_ns", "_s", "_sec", "_secs", "_seconds", "_millis", "_micros", "_nanos", "_minutes", "_duration",
			"_latency", "_elapsed", "_time", "_timestamp", "_tokens", "_token_count", "_bytes", "_size", "_count", "_total",
			"_length", "_offset", "_lineno", "_unix_nano", "_at", "_ttft",
		},
		prefixes: []string{"gen_ai_usage_", "gen_ai_latency_"},
	},
	{
		why: says,
		names: []string{
			"prompt", "prompts", "completion", "body", "message", "messages", "msg", "line", "log", "text", "content", "input", "output",
			"query", "url", "uri", "path", "referer", "referrer", "event", "exception", "stacktrace", "stack", "traceback",
			"description", "reason", "error", "error_message", "log_original", "log_record_original", "log_file_path",
		},
		suffixes: []string{
			"_prompt", "_body", "_message", "_messages", "_msg", "_text", "_content", "_url", "_uri", "_url_full", "_url_path",
			"_url_query", "_stacktrace", "_stack", "_traceback", "_description", "_query", "_target", "_file_path", "_command_line",
			"_command_args",
		},
		prefixes: []string{"url_", "http_url", "http_target", "gen_ai_input_", "gen_ai_output_", "gen_ai_prompt", "gen_ai_completion", "http_request_header_", "http_response_header_"},
	},
	{
		why:      personal,
		names:    []string{"email", "login", "username", "customer", "account", "client_address"},
		suffixes: []string{"_email", "_username", "_user"},
		prefixes: []string{"user", "enduser", "end_user", "customer_", "client_"},
	},
}

// refused says why a name should be no label; empty where nothing speaks against it.
func refused(name string) string {
	if name == "" {
		return ""
	}
	low := strings.ToLower(sanitise(name))
	for i := range refusals {
		r := &refusals[i]
		if slices.Contains(r.names, low) ||
			slices.ContainsFunc(r.suffixes, func(s string) bool { return strings.HasSuffix(low, s) }) ||
			slices.ContainsFunc(r.prefixes, func(s string) bool { return strings.HasPrefix(low, s) }) ||
			slices.ContainsFunc(r.parts, func(s string) bool { return strings.Contains(low, s) }) {
			return r.why
		}
	}
	return ""
}
