package extract

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// jsonLine is a line of a request log of about 1 KiB.
var jsonLine = fmt.Sprintf(`{"timestamp":"2026-08-21T12:00:00.123Z","level":"INFO","logger_name":"app.requests",`+
	`"message":"request finished","request_id":"chatcmpl-%s","model_name":"llama-3-70b","model_version":"2026-08-01",`+
	`"input_tokens":128,"output_tokens":271,"preprocess_time_ms":1.25,"queue_time_ms":20.5,"inference_time_ms":2780.125,`+
	`"postprocess_time_ms":0.75,"total_time_ms":2803.5,"ttft_ms":100.25,"status":"ok","http":{"method":"POST",`+
	`"url":"/v1/chat/completions","user_agent":"OpenAI/Python 1.40.0"},"user":{"id":"u-1234","tier":"gold"},`+
	`"prompt":"%s","tags":["a","b","c"],"trace_id":"%s","span_id":"%s"}`,
	strings.ReplaceAll(uuidText, "-", ""), strings.Repeat("Say \\\"hello\\\" to the world. ", 11), traceHex, spanHex)

func BenchmarkExtract(b *testing.B) {
	native := func(tb testing.TB, body string, attrs map[string]any) plog.LogRecord {
		tb.Helper()
		rec := record(tb, body, attrs)
		rec.SetTraceID(traceID)
		rec.SetSpanID(spanID)
		return rec
	}
	for name, rec := range map[string]plog.LogRecord{
		"native":          native(b, "", nil),
		"native_text":     native(b, "decode step 12 of 40 finished", nil),
		"native_10_attrs": native(b, "", map[string]any{"code.filepath": "a.go", "code.lineno": 12, "code.function": "f", "thread.id": 7, "thread.name": "main", "http.route": "/v1", "user.tier": "gold", "queue_time_ms": 12.5, "model": "m", "feature": true}),
		"attributes_ids":  record(b, "", map[string]any{"trace_id": traceHex, "span_id": spanHex, "request_id": "chatcmpl-1"}),
		"json_1KiB":       record(b, jsonLine, nil),
		"vllm":            record(b, "(APIServer pid=12) INFO 08-21 12:00:00 [logger.py:42] Received request chatcmpl-8f2e1a3c5b6d4e7f8a9b0c1d2e3f4a5b: params: SamplingParams(n=1, temperature=0.7, max_tokens=512), lora_request: None.", nil),
		"unmatched":       record(b, "INFO 08-21 12:00:10 [loggers.py:123] Engine 000: Avg prompt throughput: 120.5 tokens/s, Avg generation throughput: 80.1 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 5.1%", nil),
		"unmatched_16KiB": record(b, strings.Repeat("the quick brown fox jumps over ", 530), nil),
		"unmatched_1MiB":  record(b, strings.Repeat("the quick brown fox jumps over ", 33825), nil),
		"pairs_16KiB":     record(b, strings.Repeat("word=1 other: 2 ", 1024), nil),
		"logfmt":          record(b, `level=info ts=2026-08-21T12:00:00Z caller=server.go:12 msg="request done" trace_id=`+traceHex+` span_id=`+spanHex+` queue_ms=12.5 status=200`, nil),
		"otel_python":     record(b, "2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id="+traceHex+" span_id="+spanHex+" resource.service.name=app trace_sampled=True] - done", nil),
		"envoy":           record(b, `[2026-08-21T12:00:00.000Z] "POST /v1/completions HTTP/1.1" 200 - 123 456 789 780 "-" "curl/8" "`+uuidText+`" "llm" "10.0.0.2:8000"`, nil),
	} {
		b.Run(name, func(b *testing.B) {
			x, f, resource := newExtractor(b), &Found{}, pcommon.NewMap()
			b.SetBytes(int64(len(rec.Body().AsString())))
			b.ReportAllocs()
			for b.Loop() {
				x.Extract(resource, rec, f)
			}
		})
	}
}

func BenchmarkPromoteAndStandardise(b *testing.B) {
	x, f, resource := newExtractor(b), &Found{}, pcommon.NewMap()
	from := record(b, "", map[string]any{"trace_id": traceHex, "span_id": spanHex, "queue_ms": 12.5, "model": "m"})
	rec := plog.NewLogRecord()
	b.ReportAllocs()
	for b.Loop() {
		from.CopyTo(rec)
		x.Extract(resource, rec, f)
		Promote(rec, f, true)
		Standardise(rec, f, false)
	}
}
