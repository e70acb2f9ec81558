package extract

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// check extracts from a body and looks for what must never be.
func check(t *testing.T, x *Extractor, body string) {
	t.Helper()
	var f Found
	rec := plog.NewLogRecord()
	rec.Body().SetStr(body)
	began := time.Now()
	x.Extract(pcommon.NewMap(), rec, &f)
	if took := time.Since(began); took > time.Second+time.Duration(len(body))*time.Microsecond {
		t.Errorf("%v for %d bytes", took, len(body))
	}
	checkIDs(t, &f, body)
	for field := range NumFields {
		if f.Fields.Known(field) && !field.IsText() && !validNumber(field, f.Fields.Number(field)) {
			t.Errorf("%v = %v", field, f.Fields.Number(field))
		}
	}
	Promote(rec, &f, true)
	Standardise(rec, &f, true)
	if rec.Body().Str() != body {
		t.Error("the body has changed")
	}

	// The record's own ids are never replaced.
	rec = plog.NewLogRecord()
	rec.Body().SetStr(body)
	rec.SetTraceID(traceID)
	rec.SetSpanID(spanID)
	x.Extract(pcommon.NewMap(), rec, &f)
	if Promote(rec, &f, true); f.Trace != traceID || rec.TraceID() != traceID || rec.SpanID() != spanID {
		t.Errorf("own ids became %v %v", rec.TraceID(), rec.SpanID())
	}
}

// checkIDs checks that an id was not made up: its digits are in the body.
func checkIDs(t *testing.T, f *Found, body string) {
	t.Helper()
	plain := strings.ToLower(strings.NewReplacer("-", "", "\\/", "/").Replace(body))
	if !f.Trace.IsEmpty() && !spelled(plain, f.Trace[:]) {
		t.Errorf("trace id %v of %q", f.Trace, body)
	}
	if !f.Span.IsEmpty() && !spelled(plain, f.Span[:]) {
		t.Errorf("span id %v of %q", f.Span, body)
	}
	for i := range f.Requests() {
		if n := len(f.Request(i).Key(0)); n == 0 || n > ids.MaxRequestID {
			t.Errorf("request id of %d bytes", n)
		}
	}
}

// spelled reports whether an id stands in a text, as digits of base 16 or 10,
// or as digits of its digits. Escapes of JSON may hide it.
func spelled(text string, id []byte) bool {
	digits := strings.TrimLeft(hex.EncodeToString(id), "0")
	low, _ := strconv.ParseUint(hex.EncodeToString(id[len(id)-8:]), 16, 64)
	return strings.Contains(text, digits) || strings.Contains(text, strconv.FormatUint(low, 10)) ||
		strings.Contains(text, hex.EncodeToString([]byte(digits))) || strings.Contains(text, `\u`) ||
		strings.ContainsFunc(text, unicode.IsControl)
}

// FuzzText reads anything as a body, by all parsers of text.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"(APIServer pid=12) INFO 08-21 12:00:00 [logger.py:42] Received request cmpl-a1-0: prompt: 'trace_id=" + traceHex + "'",
		"[2026-05-09 12:00:00 TP0] Finish: obj=GenerateReqInput(rid='f3aa11', text=\"it's\" ... 'x'), out={'meta_info': {'id': 'f3', 'e2e_latency': 1.25}}",
		`2026-01-15T10:00:00Z  INFO generate{parameters=P { a: ["\"}"] } total_time="1.23s" queue_time="43.2µs"}: text_generation_router::server: Success`,
		`I0821 12:00:00.123456 1 infer_request.cc:905] "[request id: my-7] prepared"`,
		"INFO 2026-08-21 12:00:00,123 default_LLM 4x7k2abc " + uuidText + " -- GET /v1 200 3.5ms",
		"requestId: a1, preprocess_ms: 0.2, explain_ms: 0, predict_ms: 12.5, postprocess_ms: 0.1",
		"2026-08-21T12:00:00+0000 [INFO] [svc:1] 1 (scheme=http) 12.345ms (trace=" + traceHex + ",span=" + spanHex + ",sampled=1)",
		"2026-08-21 12:00:00,123 INFO [app] [trace_id=" + traceHex + " span_id=" + spanHex + " trace_sampled=True] - x",
		`[2026-08-21T12:00:00.000Z] "POST / HTTP/1.1" 200 - 1 2 3 4 "-" "curl/8" "` + uuidText + `" "llm" "10.0.0.2:8000"`,
		`INFO:     127.0.0.1:5000 - "POST /v1 HTTP/1.1" 200 OK`,
		"2026-08-21 12:00:00.123  INFO [orders," + traceHex + "," + spanHex + "] 1 --- [main] c.e.Api : x",
		`level=info msg="a \" b" trace_id=` + traceHex + ` dd.trace_id=123 uber-trace-id=1:2:0:1 queue_ms=12.5 ttft=PT1S`,
		"\x1b[31mx\x1b[0m \xff", "",
	} {
		f.Add(seed)
	}
	x := newExtractor(f)
	f.Fuzz(func(t *testing.T, body string) { check(t, x, body) })
}

// FuzzJSON reads anything behind a brace as JSON.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		jsonLine[1:],
		`"trace":{"id":"` + traceHex + `"},"a":[1,{"b":"}"}],"c":"\"","span_id":"` + spanHex + `"}`,
		`"event":"request.finished","rid":"a1","out":{"meta_info":{"id":"a1","e2e_latency":1.25}}}`,
		`"trace_id":"x","litellm_call_id":"a1","startTime":1,"endTime":2,"completionStartTime":1.5}`,
		`"dd":{"trace_id":123},"queue_time":"1m2s","ttft_ms":NaN}`,
		`"a":"\\\"`, `}`, ``,
	} {
		f.Add(seed)
	}
	x := newExtractor(f)
	f.Fuzz(func(t *testing.T, body string) { check(t, x, "{"+body) })
}

// FuzzPython reads anything as objects of Python.
func FuzzPython(f *testing.F) {
	f.Add(`GenerateReqInput(rid='f3aa11', text='a' ... 'b', p={'x': [1, (2)]}), headers={'a': 'b'}, out={'meta_info': {'id': "f3"}}`)
	f.Add(`{'request_id': 'a\'1', 'n': None, 'm': -1.5e+3}`)
	f.Add(`(((`)
	x := newExtractor(f)
	f.Fuzz(func(t *testing.T, body string) { check(t, x, "Finish: obj="+body) })
}

// FuzzTime reads anything as a time.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"1.5s", "350.1µs", "PT1M2.5S", "1h2m", "-5ms", "1e5", "NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, hasUnit, ok := parseTime(s, noUnit); hasUnit && !ok {
			t.Error("a unit of no number")
		}
	})
}

// TestLongLinesTakeLinearTime reads bodies of 1 MiB that are made to be slow.
func TestLongLinesTakeLinearTime(t *testing.T) {
	const size = 1 << 20
	for _, limit := range []int{defaultMaxBody, size} {
		x := newExtractor(t, func(c *Config) { c.MaxBody = limit })
		for _, parts := range [][2]string{
			{"", `a="`},
			{"", `\"`},
			{"", " '"},
			{"", "trace_id="},
			{"", "[a,"},
			{"", "="},
			{"", "\x1b["},
			{"", "\xff"},
			{"{", `"a":{`},
			{"{", `"extra":{`},
			{`{"a":`, "["},
			{`{"a":"`, `\\`},
			{`{"a":"`, `\"`},
			{"{", `"a":1,`},
			{`{"a":[`, `"",`},
			{"Finish: obj=", "A("},
			{"Finish: obj=", "'a' "},
			{"Finish: obj=", "obj={"},
			{"Finish: obj=", `'\`},
			{"I0821 12:00:00.1 1 a.cc:1] [request id: ", "x"},
			{"2026 [", "a,"},
			{`[2026] "`, `" `},
			{"Received request 1", "1"},
			{"2026-08-21 INFO ", "1 "},
		} {
			check(t, x, parts[0]+strings.Repeat(parts[1], size/len(parts[1])))
		}
		check(t, x, "x {"+strings.Repeat(`a="b"`, size/5)+"text_generation_router Success")
		check(t, x, "1 [a] [b] "+strings.Repeat("(trace=", size/7)+")")
	}
}
