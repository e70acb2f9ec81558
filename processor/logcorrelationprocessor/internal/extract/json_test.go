package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestJSON(t *testing.T) {
	lines(t, [][2]string{
		{`{"trace_id":"<T>","span_id":"<S>","trace_flags":"01"}`, "json trace=T span=S flags=1"},
		{` { "level" : "info" , "traceId" : "<T>" , "spanId" : "<S>" } `, "json trace=T span=S"},
		{`{"otelTraceID":"<T>","otelSpanID":"<S>","otelTraceSampled":true}`, "json trace=T span=S flags=1"},
		{`{"otelTraceID":"0","otelSpanID":"0","otelTraceSampled":false}`, "json flags=0"},
		{`{"traceparent":"00-<T>-<S>-00"}`, "json trace=T span=S flags=0"},
		{`{"logging.googleapis.com/trace":"projects\/p\/traces\/<T>","logging.googleapis.com/spanId":"<S>"}`, "json trace=T span=S"},
		{`{"dd.trace_id":"1234567890123456789","dd.span_id":"42"}`, "json trace=0000000000000000112210f47de98115 low64=true span=000000000000002a"},
		{`{"dd.trace_id":1234567890123456789}`, "json trace=0000000000000000112210f47de98115 low64=true"},
		{`{"dd":{"trace_id":"1234567890123456789"}}`, "json trace=0000000000000000112210f47de98115 low64=true"},
		{`{"trace":{"id":"<T>"},"span":{"id":"<S>"},"transaction":{"id":"ffffffffffffffff"}}`, "json trace=T span=S"},
		{`{"extra":{"trace_id":"<T>","queue_ms":3}}`, "json trace=T queue_time_ms=3"},
		{`{"record":{"extra":{"trace_id":"<T>","request_id":"a1"}}}`, "json trace=T request=a1"},
		{`{"trace_id":"<T>","extra":{"trace_id":"ffffffffffffffffffffffffffffffff"}}`, "json trace=T"},
		{`{"extra":{"trace_id":"ffffffffffffffffffffffffffffffff"},"trace_id":"<T>"}`, "json trace=T"},
		// Of duplicate keys the last counts (llm-d-batch-gateway#534); trace_id
		// comes before traceId and that before traceparent.
		{`{"trace_id":"ffffffffffffffffffffffffffffffff","trace_id":"<T>"}`, "json trace=T"},
		{`{"trace_id":"<T>","traceId":"ffffffffffffffffffffffffffffffff"}`, "json trace=T"},
		{`{"traceparent":"00-ffffffffffffffffffffffffffffffff-<S>-01","traceId":"<T>"}`, "json trace=T span=S flags=1"},
		{`{"trace_id":"none","traceparent":"00-<T>-<S>-01"}`, "json trace=T span=S flags=1"},
		{`{"trace_id":"4bf92f3577b34da6a3ce929d0e0e473","traceparent":"00-<T>-<S>-01"}`, "json trace=T span=S flags=1 invalid=1"},
		{`{"trace_id":"00000000000000000000000000000000","span_id":"0000000000000000"}`, "json"},
		{`{"trace_id":0,"span_id":null}`, "json"},
		{`{"trace_id":{"x":1},"span_id":["<S>"]}`, "json"},

		// The text of messages and what users sent is never looked into
		// (BerriAI/litellm#31864).
		{`{"message":"trace_id=<T> request_id=a1"}`, "json"},
		{`{"message":"{\"trace_id\":\"<T>\"}"}`, "json"},
		{`{"messages":[{"trace_id":"<T>"}],"metadata":{"trace_id":"<T>"},"body":{"request_id":"a1"},"prompt":{"trace_id":"<T>"}}`, "json"},
		{`{"request":{"trace_id":"<T>","id":"a1"}}`, "json request=a1"},
		{`{"prompt":"\"}, \"trace_id\":\"ffffffffffffffffffffffffffffffff\"","trace_id":"<T>"}`, "json trace=T"},
		{`{"prompt":"\\","trace_id":"<T>"}`, "json trace=T"},

		// Requests.
		{`{"message":"Received request cmpl-a1: x"}`, "json class=request_start"},
		{`{"id":"chatcmpl-<U>","object":"chat.completion","model":"m","usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`, "json request=chatcmpl-<U> model_name=m input_tokens=3 output_tokens=4"},
		{`{"id":"u-1234","request_id":"a1","x_request_id":"b2"}`, "json request=a1 request=b2"},
		{`{"a":{"b":{"c":{"trace_id":"<T>"}}},"requestId":"N/A"}`, "json"},
		{`{"model":{"name":"m","version":"3"},"http":{"request_id":"a1"}}`, "json request=a1 model_name=m model_version=3"},
		{`{"model":null,"model_name":"","gen_ai.request.model":"b","gen_ai.response.model":"a"}`, "json model_name=a"},

		// LiteLLM's trace_id is its own, wherever its mark stands.
		{`{"trace_id":"<U>","message":"x","level":"INFO","component":"LiteLLM Proxy","litellm_call_id":"a1"}`, "litellm request=a1"},
		{`{"component":"LiteLLM","trace_id":"my session"}`, "litellm"},
		{`{"id":"chatcmpl-7","trace_id":"<T>","call_type":"acompletion","model_group":"g","model":"m","startTime":100.0,"endTime":102.5,"completionStartTime":100.5,"response_time":0.5,"prompt_tokens":3,"completion_tokens":4}`, "litellm request=chatcmpl-7 class=request_end model_name=m input_tokens=3 output_tokens=4 total_time_ms=2500 ttft_ms=500"},
		{`{"trace_id":"x","traceparent":"00-<T>-<S>-01","litellm_call_id":"a1"}`, "litellm trace=T span=S flags=1 request=a1"},
		{`{"model_group":"g","trace_id":"<T>"}`, "json trace=T model_name=g"},

		// Dynamo.
		{`{"time":"2026-08-21T12:00:00Z","level":"INFO","target":"dynamo_llm::http::service","message":"done","method":"POST","uri":"/v1","span_name":"http-request","trace_id":"<T>","span_id":"<S>","x_request_id":"<U>"}`, "dynamo trace=T span=S request=<U>"},

		// Behind a container runtime's prefix, but not behind a logger's: that
		// is a message.
		{`2026-08-21T12:00:00.123456789Z stdout F {"trace_id":"<T>"}`, "json trace=T"},
		{`2026-08-21 12:00:00 INFO app - {"trace_id":"<T>"}`, ""},

		// Broken behind, or cut off.
		{`{"trace_id":"<T>","x":`, "json trace=T"},
		{`{"trace_id":"<T>","input_tokens":12`, "json trace=T"},
		{`{"trace_id":"<T>`, ""},
		{`{trace_id:"<T>"}`, "logfmt trace=T"},
		{`{'trace_id': '<T>'}`, ""},
		{`{`, ""},
		{`{}`, ""},
		{`[{"trace_id":"<T>"}]`, ""},
		{`{"a":[1,{"b":"}"}],"trace_id":"<T>"}`, "json trace=T"},
	})
}

func TestJSONNumbers(t *testing.T) {
	lines(t, [][2]string{
		{`{"input_tokens":128,"output_tokens":"271","cached_tokens":5.0}`, "json input_tokens=128 output_tokens=271 cached_input_tokens=5"},
		{`{"input_tokens":-1,"output_tokens":1.5,"cached_tokens":"many"}`, "json dropped=3"},
		{`{"queue_time_s":0.25,"queueTimeMs":7}`, "json queue_time_ms=7"},
		{`{"queue_us":1500,"inference_ns":2e6,"preprocess_seconds":"0.5","postprocess_ms":"3 ms","ttft":"1m2.5s"}`, "json preprocess_time_ms=500 queue_time_ms=1.5 inference_time_ms=2 postprocess_time_ms=3 ttft_ms=62500"},
		{`{"queue_time_ms":-1,"ttft_ms":NaN,"total_time_ms":Infinity,"inference_time_ms":1e300}`, "json dropped=4"},
		{`{"queue_time_ms":null,"ttft_ms":"","total_time_ms":"-","inference_time_ms":"N/A"}`, "json"},
		// A number without a unit is no time, and never guessed at.
		{`{"queue_time":12.5,"total":3,"latency":0.25,"output_tokens":3}`, "json output_tokens=3"},
		{`{"queue":"default","total":"all"}`, "json"},
		{`{"gen_ai.latency.time_in_queue":0.02,"gen_ai.latency.e2e":0.4,"gen_ai.latency.time_to_first_token":0.1}`, "json class=request_end queue_time_ms=20 total_time_ms=400 ttft_ms=100"},
		{`{"x-queue-time":"12","x-total-time":"200","x-prompt-tokens":"5"}`, "json class=request_end input_tokens=5 queue_time_ms=12 total_time_ms=200"},
		{`{"latency":{"ttft_ms":5},"timings":{"queue_ms":1}}`, "json queue_time_ms=1 ttft_ms=5"},
		// Zero is no measurement of a time, and a count of tokens.
		{`{"queue_time_ms":0,"output_tokens":0}`, "json output_tokens=0"},
		// The duration of a request, and of anything.
		{`{"duration_ms":12,"status_code":200}`, "json class=request_end total_time_ms=12"},
		{`{"duration":"PT1.5S","method":"POST"}`, "json class=request_end total_time_ms=1500"},
		{`{"duration_ms":12,"message":"model loaded"}`, "json"},
		{`{"duration_ms":12,"message":"cache refreshed","status":"ok"}`, "json"},
		{`{"duration_ms":12,"status":"200"}`, "json class=request_end total_time_ms=12"},
		// inferctl simulate.
		{`{"timestamp":"2026-08-21T12:00:00Z","level":"WARN","message":"request not served to its end","request_id":"a1","model_name":"m","model_version":"3","input_tokens":5,"output_tokens":0,"queue_time_ms":7.25,"status":"aborted","trace_id":"<T>","span_id":"<S>"}`, "json trace=T span=S request=a1 class=request_end model_name=m model_version=3 input_tokens=5 output_tokens=0 queue_time_ms=7.25"},
		{`{"duration_ms":12,"total_time_ms":20,"status":"ok"}`, "json class=request_end total_time_ms=20"},
		{`{"max_tokens":5,"n":1,"duration":12,"status":200}`, "json"},
	})
}

// TestLongJSON checks that a long prompt hides nothing, and that the rest is
// bounded.
func TestLongJSON(t *testing.T) {
	x := newExtractor(t)
	body := `{"prompt":"` + strings.Repeat(`a \"b\" `, 100_000) + `","trace_id":"` + traceHex + `"}`
	assert.Equal(t, traceID, extractFrom(x, record(t, body, nil)).Trace)

	body = `{"tokens":[` + strings.Repeat("1,", 100_000) + `1],"trace_id":"` + traceHex + `"}`
	assert.True(t, extractFrom(x, record(t, body, nil)).Trace.IsEmpty())
	x = newExtractor(t, func(c *Config) { c.MaxBody = 1 << 20 })
	assert.Equal(t, traceID, extractFrom(x, record(t, body, nil)).Trace)
}

func TestMapBody(t *testing.T) {
	x := newExtractor(t)
	rec := plog.NewLogRecord()
	require.NoError(t, rec.Body().SetEmptyMap().FromRaw(map[string]any{
		"trace_id": traceHex, "span_id": spanHex, "queue_ms": 12.5, "usage": map[string]any{"prompt_tokens": 5},
		"duration": "12ms", "status": 200, "list": []any{1}, "messages": map[string]any{"request_id": "evil1"},
	}))
	assert.Equal(t, "json trace=T span=S class=request_end input_tokens=5 queue_time_ms=12.5 total_time_ms=12", told(extractFrom(x, rec)))

	rec = plog.NewLogRecord()
	require.NoError(t, rec.Body().SetEmptyMap().FromRaw(map[string]any{
		"trace_id": uuidText, "litellm_call_id": "a1", "record": map[string]any{"extra": map[string]any{"ttft_ms": int64(5)}},
	}))
	assert.Equal(t, "litellm request=a1 ttft_ms=5", told(extractFrom(x, rec)))
}

func TestBytesBody(t *testing.T) {
	x := newExtractor(t)
	rec := plog.NewLogRecord()
	rec.Body().SetEmptyBytes().FromRaw([]byte(`{"trace_id":"` + traceHex + `"}`))
	assert.Equal(t, "json trace=T", told(extractFrom(x, rec)))
	rec.Body().SetInt(5)
	assert.Empty(t, told(extractFrom(x, rec)))
	rec.Body().SetEmptySlice().AppendEmpty().SetStr("trace_id=" + traceHex)
	assert.Empty(t, told(extractFrom(x, rec)))
}

func TestParsersCanBeLeftOut(t *testing.T) {
	only := func(parsers ...string) *Extractor {
		return newExtractor(t, func(c *Config) { c.Parsers = parsers })
	}
	json := `{"trace_id":"` + traceHex + `","litellm_call_id":"a1"}`
	assert.Empty(t, told(extractFrom(only("vllm"), record(t, json, nil))))
	assert.Equal(t, "json trace=T request=a1", told(extractFrom(only("json"), record(t, json, nil))))
	assert.Equal(t, "litellm request=a1", told(extractFrom(only("litellm"), record(t, json, nil))))
	assert.Equal(t, "vllm request=a1 class=request_start", told(extractFrom(only("vllm"), record(t, "Added request a1.", nil))))
	assert.Equal(t, " class=request_start", told(extractFrom(only("json"), record(t, "Added request a1.", nil))))
}

func TestService(t *testing.T) {
	x := newExtractor(t, func(c *Config) { c.ForeignTraceIDs = []string{"proxy"} })
	resource, f := pcommon.NewMap(), &Found{}
	resource.PutStr("service.name", "proxy")
	rec := record(t, `{"trace_id":"`+traceHex+`"}`, map[string]any{"traceId": traceHex})
	x.Extract(resource, rec, f)
	assert.Equal(t, "json", told(f))
	resource.PutStr("service.name", "app")
	x.Extract(resource, rec, f)
	assert.Equal(t, "json trace=T", told(f))
	resource.PutInt("service.name", 5)
	x.Extract(resource, rec, f)
	assert.Equal(t, "json trace=T", told(f))
}
