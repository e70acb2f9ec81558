package logcorrelationprocessor

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A: remove_originals
func TestZRemove(t *testing.T) {
	for i, attrs := range []map[string]any{
		{"request_id": "-", "x_request_id": "abc"},
		{"request_id": "N.A.", "correlation_id": "abc"},
		{"model_name": 5, "model": "x"},
		{"model_name": strings.Repeat("m", 300), "model": "x"},
		{"total_time_ms": 5.0, "totalTimeMs": 7.0},
		{"totalTimeMs": 7.0, "total_time_ms": 5.0},
		{"requestId": "b", "request_id": "a"},
		{"input_tokens": 5, "inputTokens": 6},
		{"request_id": map[string]any{"a": 1}, "x_request_id": "abc"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := leaves(t, attrs, func(cfg *Config) { cfg.RemoveOriginals = true })
				for k := range got { if !strings.Contains("request_id model_name total_time_ms totalTimeMs input_tokens inputTokens requestId x_request_id model correlation_id", k) { delete(got, k) } }
				fmt.Println(i, attrs, "=>", got)
			})
		})
	}
}

// B: partial errors on the async path
func TestZPartialAsync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.log(batch("engine", about(1), about(2)))
		rest := batch("engine", about(2))
		r.out.fail(consumererror.NewLogs(errBusy, rest))
		r.send(calls(1, 3))
		time.Sleep(time.Second)
		r.out.fail(nil)
		time.Sleep(10 * time.Second)
		fmt.Println("partial async:", len(r.out.all()), "records after the rest of 1 was refused: 1 expected")
	})
}

// C: raw request id
func TestZRaw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		td := call(1)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("gen_ai.request.id", "abc"+strings.Repeat(".", 10000))
		r.send(td)
		r.log(batch("engine", func(rec plog.LogRecord) { rec.Attributes().PutStr("x_request_id", "abc"+strings.Repeat(".", 20000)) }, about(1)))
		for _, rec := range r.out.all() {
			v, _ := rec.Attributes().Get("request_id")
			fmt.Println("raw:", attr(rec, attrState), len(v.AsString()))
		}
	})
}

// D: sequential reuse
func TestZReuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		wrong := 0
		for n := 1; n < 6; n++ {
			now := time.Now()
			r.log(batch("engine", func(rec plog.LogRecord) {
				rec.SetTimestamp(pcommon.NewTimestampFromTime(now))
				rec.Attributes().PutStr("request_id", "test"); rec.Attributes().PutStr("want", traceOf(n).String()); rec.Body().SetStr("x")
			}))
			time.Sleep(2 * time.Second)
			td := call(n)
			s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			s.Attributes().PutStr("gen_ai.request.id", "test")
			s.SetStartTimestamp(pcommon.NewTimestampFromTime(now)); s.SetEndTimestamp(pcommon.NewTimestampFromTime(now.Add(time.Second)))
			r.send(td)
			time.Sleep(30 * time.Second)
		}
		time.Sleep(30 * time.Second)
		for _, rec := range r.out.all() {
			if !rec.TraceID().IsEmpty() && attr(rec, "want") != rec.TraceID().String() { wrong++ }
		}
		fmt.Println("reuse:", states(r.out.all()), "wrong", wrong)
	})
}

// E: all types
func TestZTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.RemoveOriginals = true; cfg.Precedence = "trace" })
		r.send(call(1))
		n := 0
		for _, key := range []string{"trace_id", "span_id", "traceparent", "b3", "dd.trace_id", "request_id", "x-request-id", "trace_flags", "model", "queue_time_ms", "total_time_ms", "input_tokens", "duration", "latency", "id", "correlation.state", "correlation.added", "correlation.wait_ms", "trace.sampled", "trace.error", "engine", "message", "service.name", "startTime"} {
			for _, v := range []any{nil, "", "x", 1, -1, 0, 1.5, math.NaN(), math.Inf(1), math.Inf(-1), -0.0, 1e300, true, []byte{1, 2}, []any{}, []any{"a"}, []any{1}, []any{[]any{"x"}}, map[string]any{}, map[string]any{"trace_id": "x", "id": map[string]any{"id": 1}}, math.MaxInt64, math.MinInt64, strings.Repeat("9", 10000), "\xff\xfe", "99999999999999999999999", "1e400", "NaN", "-5ms", "P", "1e5s", "."} {
				for _, wr := range []func(plog.LogRecord){about(1), saying("x"), naming(1), about(2)} {
					n++
					r.log(batch("engine", with(t, wr, map[string]any{key: v})))
				}
			}
		}
		time.Sleep(20 * time.Second)
		fmt.Println("types:", n, len(r.out.all()), states(r.out.all()))
		for _, rec := range r.out.all() {
			for k, v := range rec.Attributes().All() {
				if strings.HasSuffix(k, "_ms") && v.Type() == pcommon.ValueTypeDouble && (math.IsNaN(v.Double()) || v.Double() < 0) && rec.TraceID() == traceOf(1) {
					fmt.Println("bad", k, v.AsString())
				}
			}
		}
	})
}

// F: time under weird bodies
func TestZBodies(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.MaxBody = 1 << 20 })
	for name, b := range map[string]string{
		"slashes":  `{"a":"` + strings.Repeat(`\"`, 1<<19) + `"}`,
		"slashrun": `{"a":"` + strings.Repeat(`\`, 1<<20),
		"nested":   strings.Repeat(`{"extra":`, 100000) + "1" + strings.Repeat("}", 100000),
		"nestarr":  `{"extra":` + strings.Repeat(`[`, 500000),
		"members":  `{` + strings.Repeat(`"a":1,`, 170000) + `"b":1}`,
		"reqids":   `{` + strings.Repeat(`"request_id":"a",`, 60000) + `"b":1}`,
		"logfmt":   strings.Repeat("request_id=a ", 80000),
		"quotes":   strings.Repeat(`" `, 500000),
		"eq":       strings.Repeat(`=`, 1<<20),
		"a=":       strings.Repeat(`a=`, 1<<19),
		"d:":       strings.Repeat(`id:`, 350000),
		"esc":      strings.Repeat("\x1b[", 500000),
		"escm":     strings.Repeat("\x1b[1m", 250000),
		"brackets": strings.Repeat("[", 1<<20),
		"generate": "2026-01-15T10:00:00.123456Z  INFO generate{" + strings.Repeat("{", 1<<20),
		"finish":   "[2026-05-09 12:00:00 TP0] Finish: obj=" + strings.Repeat("G(", 500000),
		"finish2":  "[2026-05-09 12:00:00 TP0] Finish: obj=G(" + strings.Repeat("a=1,", 250000),
		"finish3":  "[2026-05-09 12:00:00 TP0] Finish: " + strings.Repeat("out={", 200000),
		"received": "Received request " + strings.Repeat("a: prompt: '", 90000),
		"sq":       "[2026-05-09 12:00:00 TP0] Finish: obj=G(x='" + strings.Repeat(`\'`, 500000),
		"envoy":    "[2026-08-21T12:00:00.000Z] \"" + strings.Repeat(`a" "`, 250000),
		"bento":    strings.Repeat("(trace=", 150000),
		"dots":     "request_id=" + strings.Repeat(".", 1<<20),
		"spaces":   `{"request_id":"` + strings.Repeat(" ", 1<<20) + `"}`,
	} {
		for range 2 {
		t0 := time.Now()
		r.log(batch("engine", saying(b[:min(len(b), 1<<20)])))
		if d := time.Since(t0); d > 15*time.Millisecond { fmt.Println("slow:", name, d) }
		}
	}
	// deep map
	v := map[string]any{"x": 1}
	for range 1000 { v = map[string]any{"extra": v, "trace": v["x"]} }
	r.log(batch("engine", func(rec plog.LogRecord) { _ = rec.Body().FromRaw(v) }))
	// 10k attributes
	t0 := time.Now()
	r.log(batch("engine", func(rec plog.LogRecord) { about(5)(rec); for i := range 10000 { rec.Attributes().PutStr(fmt.Sprintf("request_%d_id", i), "x") } }))
	fmt.Println("10k attrs", time.Since(t0))
	// 100k records one id, and 100k ids
	for _, same := range []bool{true, false} {
		ld := batch("engine")
		recs := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
		for i := range 100000 { rec := recs.AppendEmpty(); id := "one"; if !same { id = fmt.Sprint("id-of-", i) }; rec.Attributes().PutStr("request_id", id); rec.Body().SetStr("body") }
		t0 = time.Now()
		r.log(ld)
		fmt.Println("100k records, same", same, time.Since(t0), r.numbers("held_records", ""), r.numbers("held_bytes", ""))
	}
	// 100k spans in one trace, cycles
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	for i := range 100000 { s := ss.Spans().AppendEmpty(); s.SetTraceID(traceOf(7)); s.SetSpanID(spanOf(i+1)); s.SetParentSpanID(spanOf((i+1)%100000+1)); putCall(s, 7); s.SetTraceID(traceOf(7)); s.SetSpanID(spanOf(i+1)); s.SetParentSpanID(spanOf((i+1)%100000+1)); s.Attributes().PutStr("gen_ai.request.id", fmt.Sprint("cyc-", i)) }
	t0 = time.Now()
	r.send(td)
	fmt.Println("100k spans", time.Since(t0))
	t0 = time.Now()
	for i := range 1000 { r.log(batch("engine", func(rec plog.LogRecord) { rec.SetTraceID(traceOf(7)); rec.SetSpanID(spanOf(i)) })) }
	fmt.Println("1000 records about it", time.Since(t0))
	t0 = time.Now()
	for i := range 1000 { r.log(batch("engine", func(rec plog.LogRecord) { rec.Attributes().PutStr("request_id", fmt.Sprint("cyc-", i%256)) })) }
	fmt.Println("1000 records naming it", time.Since(t0))
	r.stop()
	fmt.Println(states(r.out.all()), len(r.out.all()))
	require.True(t, true)
}
