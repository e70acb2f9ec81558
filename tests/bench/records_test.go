package bench

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
)

const section = 10_000 // records

// native fills in what the bridges of SDKs do.
func native(rec plog.LogRecord, n uint64) {
	rec.SetTraceID(traceID(n))
	rec.SetSpanID(spanID(n, 2))
	rec.Body().SetStr("decode step 12 of 40 finished")
}

func vllmLine(rec plog.LogRecord, n uint64) {
	rec.Body().SetStr(fmt.Sprintf("(APIServer pid=12) INFO 08-21 12:00:00 [logger.py:42] Received request %s: params: "+
		"SamplingParams(n=1, temperature=0.7, max_tokens=512), lora_request: None.", requestID(n)))
}

// jsonBody is 1 KiB.
func jsonBody(rec plog.LogRecord, n uint64) {
	head := fmt.Sprintf(`{"timestamp":"2026-08-21T12:00:00.123Z","level":"INFO","logger_name":"app.requests",`+
		`"message":"request finished","request_id":"%s","model_name":"llama-3-70b","model_version":"2026-08-01",`+
		`"input_tokens":128,"output_tokens":271,"preprocess_time_ms":1.25,"queue_time_ms":20.5,"inference_time_ms":2780.125,`+
		`"postprocess_time_ms":0.75,"total_time_ms":2803.5,"ttft_ms":100.25,"status":"ok","http":{"method":"POST",`+
		`"url":"/v1/chat/completions","user_agent":"OpenAI/Python 1.40.0"},"user":{"id":"u-1234","tier":"gold"},`+
		`"tags":["a","b","c"],"trace_id":"%s","span_id":"%s","prompt":"`, requestID(n), traceID(n), spanID(n, 2))
	prompt := strings.Repeat(`Say \"hello\" to the world. `, 40)[:1024-len(head)-2]
	rec.Body().SetStr(head + strings.TrimSuffix(prompt, `\`) + `"}`)
}

// otelAttributes is how log pipelines that know no trace context write ids.
func otelAttributes(rec plog.LogRecord, n uint64) {
	a := rec.Attributes()
	a.PutStr("trace_id", traceID(n).String())
	a.PutStr("span_id", spanID(n, 2).String())
	a.PutStr("request_id", requestID(n))
	rec.Body().SetStr("decode step 12 of 40 finished")
}

// BenchmarkPass is a record that does not wait and whose trace is not known.
func BenchmarkPass(b *testing.B) {
	for _, kind := range []struct {
		name   string
		fill   func(plog.LogRecord, uint64)
		target func(body float64) float64 // ns
	}{
		{"native", native, func(float64) float64 { return 500 }},
		{"attributes", otelAttributes, nil},
		{"vllm_text", vllmLine, func(body float64) float64 { return 200 + body/0.3 }},
		{"json_1KiB", jsonBody, func(body float64) float64 { return body / 0.150 }}, // 150 MB/s
	} {
		b.Run(kind.name, func(b *testing.B) {
			c := newCorrelation(b, map[string]any{"hold": []any{map[string]any{"hold": false}}})
			batches := func() []plog.Logs { return logBatches(b, c.take(section), section, kind.fill) }
			sample := batches()
			rec := sample[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
			body := float64(len(rec.Body().Str()))
			c.looked(section, "unmatched", func() { c.log(sample) })
			var costs []cost
			for b.Loop() {
				in := batches()
				c.out.expect(section)
				costs = append(costs, measure(b, section, func() { c.log(in) }))
			}
			target := 0.0
			if kind.target != nil {
				target = kind.target(body)
			}
			score(b, "record", target, costs)
			if strings.Contains(kind.name, "_") { // its body is read
				b.ReportMetric(body/median(costs, cpuOf)*1000, "MB/s")
			}
		})
	}
}
