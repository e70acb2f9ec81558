package logcorrelationprocessor

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// traceOf and spanOf make ids of numbers, of which the lower halves differ, too.
func traceOf(n int) (id pcommon.TraceID) {
	id[0] = 1
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

func spanOf(n int) (id pcommon.SpanID) {
	n += 1 << 40 // 0 is none
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

// requestOf is the request id of trace n, as clients write it.
func requestOf(n int) string { return fmt.Sprintf("job-%d-of-clients", n) }

// call is trace n, an engine's span that has all there is to know: 20 ms of queue, 380 ms of
// inference, 128 and 31 tokens.
func call(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "engine")
	putCall(rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty(), n)
	return td
}

func putCall(span ptrace.Span, n int) {
	span.SetTraceID(traceOf(n))
	span.SetSpanID(spanOf(n))
	span.SetName("llm_request")
	span.SetKind(ptrace.SpanKindServer)
	span.SetStartTimestamp(1_768_471_200_000_000_000)
	span.SetEndTimestamp(1_768_471_200_400_000_000)
	attrs := span.Attributes()
	attrs.PutStr("gen_ai.request.id", "cmpl-"+requestOf(n))
	attrs.PutStr("gen_ai.response.model", "llama-3-8b")
	attrs.PutInt("gen_ai.usage.prompt_tokens", 128)
	attrs.PutInt("gen_ai.usage.completion_tokens", 31)
	attrs.PutDouble("gen_ai.latency.time_to_first_token", 0.1)
	attrs.PutDouble("gen_ai.latency.e2e", 0.4)
	attrs.PutDouble("gen_ai.latency.time_in_queue", 0.02)
	attrs.PutDouble("gen_ai.latency.time_in_model_prefill", 0.08)
	attrs.PutDouble("gen_ai.latency.time_in_model_decode", 0.3)
	attrs.PutDouble("gen_ai.latency.time_in_model_inference", 0.38)
}

// calls are the traces from one number to before another, in one batch.
func calls(from, to int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for n := from; n < to; n++ {
		putCall(spans.AppendEmpty(), n)
	}
	return td
}

// stage is a part of trace n without its request: half a trace.
func stage(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(traceOf(n))
	span.SetSpanID(spanOf(n))
	span.SetParentSpanID(spanOf(n + 1<<32))
	span.SetName("queue")
	span.SetStartTimestamp(1_768_471_200_000_000_000)
	span.SetEndTimestamp(1_768_471_200_020_000_000)
	return td
}

// batch is records of one service, each written by one of write.
func batch(service string, write ...func(plog.LogRecord)) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", service)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("app")
	for _, w := range write {
		w(sl.LogRecords().AppendEmpty())
	}
	return ld
}

// about writes a record of trace n.
func about(n int) func(plog.LogRecord) {
	return func(rec plog.LogRecord) {
		rec.SetTraceID(traceOf(n))
		rec.Body().SetStr("about trace " + strconv.Itoa(n))
	}
}

// naming writes a record with the request id of trace n.
func naming(n int) func(plog.LogRecord) {
	return func(rec plog.LogRecord) {
		rec.Attributes().PutStr("request_id", requestOf(n))
		rec.Body().SetStr("naming trace " + strconv.Itoa(n))
	}
}

// saying writes a record of a body alone.
func saying(body string) func(plog.LogRecord) {
	return func(rec plog.LogRecord) { rec.Body().SetStr(body) }
}

// with adds attributes to a record.
func with(t *testing.T, write func(plog.LogRecord), attrs map[string]any) func(plog.LogRecord) {
	t.Helper()
	return func(rec plog.LogRecord) {
		write(rec)
		for key, value := range attrs {
			v, _ := rec.Attributes().GetOrPutEmpty(key)
			assert.NoError(t, v.FromRaw(value))
		}
	}
}

// attr is an attribute as text, "" if it is not there.
func attr(rec plog.LogRecord, key string) string {
	v, ok := rec.Attributes().Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

// states counts records by correlation.state.
func states(records []plog.LogRecord) map[string]int {
	n := map[string]int{}
	for _, rec := range records {
		n[attr(rec, attrState)]++
	}
	return n
}

// requireStates waits for what is on its way and checks all that left so far.
func (r *rig) requireStates(want map[string]int) {
	r.t.Helper()
	time.Sleep(time.Millisecond)
	require.Equal(r.t, want, states(r.out.all()))
}

// numbers reads a metric of the processor by one of its attributes, or "" if it has none.
func (r *rig) numbers(name, key string) map[string]int64 {
	r.t.Helper()
	return metricOf(r.t, r.tel, "otelcol_processor_log_correlation_"+name, key)
}

func metricOf(t *testing.T, tel *componenttest.Telemetry, name, key string) map[string]int64 {
	t.Helper()
	got := map[string]int64{}
	m, err := tel.GetMetric(name)
	if err != nil {
		return got // nothing was counted yet
	}
	var points []metricdata.DataPoint[int64]
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	for _, p := range points {
		value, _ := p.Attributes.Value(attribute.Key(key))
		if p.Value != 0 {
			got[value.AsString()] += p.Value
		}
	}
	return got
}
