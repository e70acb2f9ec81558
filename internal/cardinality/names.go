// Package cardinality knows by its name which attribute has too many values to be a label of a
// stream or of a series.
package cardinality

import (
	"slices"
	"strings"
)

// Kind is why an attribute has too many values.
type Kind uint8

// The kinds.
const (
	Few        Kind = iota // nothing speaks against it
	Identifies             // it identifies one thing
	Measures               // it is a measurement
	Says                   // it is free text
	Personal               // it is about a user
)

// names is how attributes of one kind are called.
type names struct {
	kind     Kind
	exact    []string
	suffixes []string
	prefixes []string
	parts    []string
}

// kinds are matched against names in lower case with underscores, the first that fits.
var kinds = []names{
	{
		kind: Identifies,
		exact: []string{
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
		kind: Measures,
		exact: []string{
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
		kind: Says,
		exact: []string{
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
		kind:     Personal,
		exact:    []string{"email", "login", "username", "customer", "account", "client_address"},
		suffixes: []string{"_email", "_username", "_user"},
		prefixes: []string{"user", "enduser", "end_user", "customer_", "client_"},
	},
}

// Of returns the kind of an attribute with a name in lower case, with underscores for all but
// letters and digits.
func Of(name string) Kind {
	for i := range kinds {
		k := &kinds[i]
		if slices.Contains(k.exact, name) ||
			slices.ContainsFunc(k.suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) ||
			slices.ContainsFunc(k.prefixes, func(s string) bool { return strings.HasPrefix(name, s) }) ||
			slices.ContainsFunc(k.parts, func(s string) bool { return strings.Contains(name, s) }) {
			return k.kind
		}
	}
	return Few
}
