package entry

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// workload is a batch as it comes from log_correlation: records of few resources, enriched.
func workload(records, models int, mapBody bool) plog.Logs {
	ld := plog.NewLogs()
	for r := range 4 {
		rl := ld.ResourceLogs().AppendEmpty()
		for _, key := range []string{
			"service.name", "service.namespace", "deployment.environment.name", "k8s.cluster.name", "k8s.namespace.name", "k8s.container.name",
			"k8s.pod.name", "k8s.pod.uid", "k8s.node.name", "service.instance.id", "service.version", "telemetry.sdk.name", "telemetry.sdk.language",
		} {
			rl.Resource().Attributes().PutStr(key, fmt.Sprintf("%s-%d", key, r))
		}
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName("app.requests")
		for i := range records / 4 {
			rec := sl.LogRecords().AppendEmpty()
			rec.SetTimestamp(pcommon.NewTimestampFromTime(now.Add(time.Duration(i) * time.Millisecond)))
			rec.SetObservedTimestamp(pcommon.NewTimestampFromTime(now.Add(time.Duration(i)*time.Millisecond + time.Microsecond)))
			rec.SetSeverityNumber(plog.SeverityNumberInfo)
			rec.SetSeverityText("INFO")
			rec.SetTraceID(pcommon.TraceID{1, byte(i), byte(i >> 8)})
			rec.SetSpanID(pcommon.SpanID{2, byte(i)})
			rec.Body().SetStr("request finished: POST /v1/chat/completions 200 OK in 2803.5 ms")
			if mapBody {
				m := rec.Body().SetEmptyMap()
				m.PutStr("message", "request finished")
				m.PutStr("path", "/v1/chat/completions")
				m.PutInt("status", 200)
			}
			a := rec.Attributes()
			a.PutStr("request_id", fmt.Sprintf("chatcmpl-%08d", i))
			a.PutStr("model_name", fmt.Sprintf("model-%d", i%models))
			a.PutInt("input_tokens", int64(100+i))
			a.PutInt("output_tokens", 271)
			for j, key := range []string{"preprocess_time_ms", "queue_time_ms", "inference_time_ms", "postprocess_time_ms", "total_time_ms", "ttft_ms"} {
				a.PutDouble(key, float64(i*j)+0.125)
			}
			a.PutStr("trace.sampled", "true")
			a.PutStr("correlation.state", "joined")
			a.PutStr("http.route", "/v1/chat/completions")
		}
	}
	return ld
}

func BenchmarkConvert(b *testing.B) {
	const records = 1024
	for _, row := range []struct {
		name    string
		models  int
		mapBody bool
		change  func(*Config)
	}{
		{"body", 1, false, func(*Config) {}},
		{"body_50_models", 50, false, func(*Config) {}},
		{"body_300_models", 300, false, func(*Config) {}},
		{"map_body", 1, true, func(*Config) {}},
		{"json", 1, false, func(cfg *Config) { cfg.Format = FormatJSON }},
		{"logfmt", 1, false, func(cfg *Config) { cfg.Format = FormatLogfmt }},
		{"request", 1, false, func(cfg *Config) { cfg.Format = FormatRequest }},
		{"template", 1, false, func(cfg *Config) {
			cfg.Format, cfg.Template = FormatTemplate, "{{.level}} {{.body}} model={{.model_name}} total={{.total_time_ms}}"
		}},
	} {
		b.Run(row.name, func(b *testing.B) {
			c, ld := newConverter(b, row.change), workload(records, row.models, row.mapBody)
			b.ReportAllocs()
			for b.Loop() {
				c.Convert(ld, "")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
			b.ReportMetric(testing.AllocsPerRun(5, func() { c.Convert(ld, "") })/records, "allocs/record")
		})
	}
}

func TestAllocations(t *testing.T) {
	const records = 256
	for _, format := range []string{FormatBody, FormatJSON, FormatLogfmt, FormatRequest} {
		for _, mapBody := range []bool{false, true} {
			c, ld := newConverter(t, func(cfg *Config) { cfg.Format = format }), workload(records, 20, mapBody)
			c.Convert(ld, "")
			assert.Less(t, testing.AllocsPerRun(20, func() { c.Convert(ld, "") })/records, 1.0, "%s %v", format, mapBody)
		}
	}
}
