package bench

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	batchSize = 100 // records
	begin     = 1_780_000_000_000_000_000
	ms        = 1_000_000
)

// traceID and spanID number traces. Tails are not zero: those of 64 bits are a case of their own.
func traceID(n uint64) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], n*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func spanID(n uint64, span byte) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n<<8)
	id[7] = span
	return id
}

func requestID(n uint64) string { return fmt.Sprintf("cmpl-%016x%016x", n*0x9e3779b97f4a7c15, n) }

func fillResource(r pcommon.Resource) {
	a := r.Attributes()
	a.PutStr("service.name", "llm-gateway")
	a.PutStr("service.namespace", "inference")
	a.PutStr("service.instance.id", "8f14e45f-ceea-467f-a9d1-5e0d2b3c0001")
	a.PutStr("host.name", "gpu-node-01")
	a.PutStr("k8s.pod.name", "llm-gateway-7d9c5b6f4-x2xkl")
}

// logBatches returns records from a number on, in batches off the wire.
func logBatches(tb testing.TB, from uint64, records int, fill func(rec plog.LogRecord, n uint64)) (batches []plog.Logs) {
	tb.Helper()
	for first := 0; first < records; first += batchSize {
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		fillResource(rl.Resource())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName("app.requests")
		for i := first; i < min(first+batchSize, records); i++ {
			rec := sl.LogRecords().AppendEmpty()
			rec.SetTimestamp(begin)
			rec.SetObservedTimestamp(begin + ms)
			rec.SetSeverityNumber(plog.SeverityNumberInfo)
			rec.SetSeverityText("INFO")
			// What SDKs add by themselves.
			a := rec.Attributes()
			a.PutStr("code.file.path", "/app/server/handlers.py")
			a.PutStr("code.function.name", "handle")
			a.PutInt("code.line.number", 127)
			a.PutStr("thread.name", "MainThread")
			a.PutInt("thread.id", 140_352_117)
			fill(rec, from+uint64(i))
		}
		wire, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
		require.NoError(tb, err)
		ld, err = (&plog.ProtoUnmarshaler{}).UnmarshalLogs(wire)
		require.NoError(tb, err)
		batches = append(batches, ld)
	}
	return batches
}

// shape is how the spans of one trace look.
type shape struct {
	spans int
	write func(to ptrace.SpanSlice, n uint64)
}

var (
	// engine is a call of vLLM below a gateway: all about a request is on one span.
	engine = shape{2, func(to ptrace.SpanSlice, n uint64) {
		gateway(to.AppendEmpty(), n)
		s := to.AppendEmpty()
		fillSpan(s, n, 2, 1, "llm_request", ptrace.SpanKindServer, 10, 990)
		a := s.Attributes()
		a.PutDouble("gen_ai.latency.time_to_first_token", 0.1)
		a.PutDouble("gen_ai.latency.e2e", 0.98)
		a.PutDouble("gen_ai.latency.time_in_queue", 0.02)
		a.PutDouble("gen_ai.latency.time_in_model_prefill", 0.08)
		a.PutDouble("gen_ai.latency.time_in_model_decode", 0.86)
		a.PutDouble("gen_ai.latency.time_in_model_inference", 0.94)
		a.PutInt("gen_ai.usage.prompt_tokens", 128)
		a.PutInt("gen_ai.usage.completion_tokens", 271)
		a.PutStr("gen_ai.request.id", requestID(n))
	}}
	// stages is a request of seven spans with twelve attributes each.
	stages = shape{7, func(to ptrace.SpanSlice, n uint64) {
		gateway(to.AppendEmpty(), n)
		from := 10
		fillSpan(to.AppendEmpty(), n, 2, 1, "request", ptrace.SpanKindServer, from, 980)
		for i, stage := range []struct {
			name string
			took int
		}{{"receive", 10}, {"preprocess", 50}, {"queue", 200}, {"inference", 650}, {"postprocess", 30}} {
			fillSpan(to.AppendEmpty(), n, byte(3+i), 2, stage.name, ptrace.SpanKindInternal, from, from+stage.took)
			from += stage.took
		}
		for i := to.Len() - 6; i < to.Len(); i++ {
			a := to.At(i).Attributes()
			a.PutStr("gen_ai.provider.name", "triton")
			a.PutStr("request.id", requestID(n))
			a.PutInt("gpu.index", int64(n%8))
			a.PutInt("batch.size", 1+int64(n%32))
			a.PutStr("tenant.id", "acme")
			a.PutStr("server.address", "triton.prod.svc.cluster.local")
			a.PutInt("server.port", 8001)
		}
	}}
)

func gateway(s ptrace.Span, n uint64) {
	fillSpan(s, n, 1, 0, "POST /v1/completions", ptrace.SpanKindServer, 0, 1000)
	a := s.Attributes()
	a.PutStr("http.request.method", "POST")
	a.PutStr("url.path", "/v1/completions")
	a.PutStr("url.scheme", "https")
	a.PutStr("server.address", "llm.example.com")
	a.PutInt("http.response.status_code", 200)
	a.PutStr("user_agent.original", "OpenAI/Python 1.40.0")
	a.PutStr("network.protocol.version", "1.1")
}

func fillSpan(s ptrace.Span, n uint64, id, parent byte, name string, kind ptrace.SpanKind, from, to int) {
	s.SetTraceID(traceID(n))
	s.SetSpanID(spanID(n, id))
	if parent != 0 {
		s.SetParentSpanID(spanID(n, parent))
	}
	s.SetName(name)
	s.SetKind(kind)
	s.SetStartTimestamp(begin + pcommon.Timestamp(from)*ms)
	s.SetEndTimestamp(begin + pcommon.Timestamp(to)*ms)
	a := s.Attributes()
	a.PutStr("gen_ai.request.model", "llama-3.1-8b-instruct")
	a.PutStr("gen_ai.operation.name", "text_completion")
	a.PutStr("model.version", "2026-08-01")
	a.PutStr("deployment.environment.name", "production")
	a.PutStr("cloud.region", "eu-central-1")
}

// traceBatches returns traces from a number on, whole, in batches of about 1000 spans off the
// wire.
func (s shape) traceBatches(tb testing.TB, from uint64, traces int) (batches []ptrace.Traces) {
	tb.Helper()
	per := 1000 / s.spans
	for first := 0; first < traces; first += per {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		fillResource(rs.Resource())
		to := rs.ScopeSpans().AppendEmpty().Spans()
		for i := first; i < min(first+per, traces); i++ {
			s.write(to, from+uint64(i))
		}
		wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(tb, err)
		td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
		require.NoError(tb, err)
		batches = append(batches, td)
	}
	return batches
}
