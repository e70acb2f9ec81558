package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// told is what a body is expected to tell, as text, so that tables stay
// readable: parser, then what there is of trace, span, flags, request ids,
// class and fields.
func told(f *Found) string {
	var b strings.Builder
	fmt.Fprint(&b, f.Parser)
	add := func(name string, v any) { fmt.Fprintf(&b, " %s=%v", name, v) }
	if !f.Trace.IsEmpty() {
		add("trace", strings.Replace(f.Trace.String(), traceHex, "T", 1))
	}
	if f.Low64 {
		add("low64", true)
	}
	if !f.Span.IsEmpty() {
		add("span", strings.Replace(f.Span.String(), spanHex, "S", 1))
	}
	if f.HasFlags {
		add("flags", f.Flags)
	}
	for i := range f.Requests() {
		add("request", string(f.Request(i).Key(0)))
	}
	if f.Class != ClassOther {
		add("class", f.Class)
	}
	for field := FieldModelName; field < NumFields; field++ {
		switch {
		case !f.Fields.Known(field):
		case field.IsText():
			add(field.String(), f.Fields.Text(field))
		default:
			add(field.String(), f.Fields.Number(field))
		}
	}
	if f.Invalid > 0 {
		add("invalid", f.Invalid)
	}
	if f.Dropped > 0 {
		add("dropped", f.Dropped)
	}
	return b.String()
}

// lines runs a table of bodies; <T>, <S> and <U> stand for ids in the first
// column, T, S and <U> in the second.
func lines(t *testing.T, table [][2]string) {
	t.Helper()
	x, f := newExtractor(t), &Found{}
	for _, row := range table {
		body := strings.NewReplacer("<T>", traceHex, "<S>", spanHex, "<U>", uuidText).Replace(row[0])
		x.Extract(pcommon.NewMap(), record(t, body, nil), f)
		want := strings.ReplaceAll(row[1], "<U>", strings.ReplaceAll(uuidText, "-", ""))
		assert.Equal(t, want, told(f), "body: %s", body)
		assert.Equal(t, strings.Contains(want, " trace=") || strings.Contains(want, " request="), f.HasID(), body)
	}
}

func TestVLLM(t *testing.T) {
	lines(t, [][2]string{
		// Without a header, as a receiver leaves it that has parsed one.
		{"Received request cmpl-b8ecb8d239dfd40503b8c873443ee32b-0: prompt len 128", "vllm request=cmpl-b8ecb8d239dfd40503b8c873443ee32b-0 class=request_start"},
		{"Aborted request cmpl-b8ecb8d239dfd40503b8c873443ee32b-0-9f3e1a2b.", "vllm request=cmpl-b8ecb8d239dfd40503b8c873443ee32b-0-9f3e1a2b class=request_end"},
		{"Added request chatcmpl-0011223344556677.", "vllm request=chatcmpl-0011223344556677 class=request_start"},
		// 0.6 to 0.9.
		{"INFO 01-15 12:00:00 logger.py:37] Received request cmpl-<U>-0: prompt: 'Hi', params: SamplingParams(n=1, temperature=0.7), prompt_token_ids: [1, 2], lora_request: None, prompt_adapter_request: None.", "vllm request=cmpl-<U>-0 class=request_start"},
		{"INFO 01-15 12:00:00 async_llm_engine.py:174] Added request chatcmpl-<U>.", "vllm request=chatcmpl-<U> class=request_start"},
		{"INFO 01-15 12:00:00 async_llm_engine.py:141] Finished request chatcmpl-<U>.", "vllm request=chatcmpl-<U> class=request_end"},
		// 0.10 and later, V1.
		{"(APIServer pid=71) INFO 08-21 12:00:00 [logger.py:42] Received request chatcmpl-<U>: params: SamplingParams(n=1), lora_request: None.", "vllm request=chatcmpl-<U> class=request_start"},
		{"(APIServer pid=71) INFO 08-21 12:00:00 [async_llm.py:311] Added request chatcmpl-<U>.", "vllm request=chatcmpl-<U> class=request_start"},
		{"(APIServer pid=71) DEBUG 08-21 12:00:00 [logger.py:50] Request chatcmpl-<U> details: prompt: 'Hi trace_id=<T>', prompt_token_ids: None", "vllm request=chatcmpl-<U> class=request_start"},
		{"INFO 08-21 12:00:00 [logger.py:70] Generated response chatcmpl-<U> (streaming delta): output: 'Hel', output_token_ids: [1], finish_reason: None", "vllm request=chatcmpl-<U>"},
		{"INFO 08-21 12:00:00 [logger.py:70] Generated response chatcmpl-<U> (streaming complete): output: 'Hello', finish_reason: streaming_complete", "vllm request=chatcmpl-<U> class=request_end"},
		{"INFO 08-21 12:00:00 [logger.py:70] Generated response chatcmpl-<U>: output: 'Hello', finish_reason: stop", "vllm request=chatcmpl-<U> class=request_end"},
		{"INFO 08-21 12:00:00 [async_llm.py:420] Aborted request(s) chatcmpl-<U>.", "vllm request=chatcmpl-<U> class=request_end"},
		{"INFO 08-21 12:00:00 [async_llm.py:410] Request chatcmpl-<U> aborted.", "vllm request=chatcmpl-<U> class=request_end"},
		{"INFO 08-21 12:00:00 [async_llm.py:415] Request chatcmpl-<U> failed (engine dead).", "vllm request=chatcmpl-<U> class=request_end"},
		// With a year and colours, through a container's log, of Python's basicConfig.
		{"\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO 2026-08-21 12:00:00.123 [logger.py:42] Received request a-1: params: x", "vllm request=a-1 class=request_start"},
		{"2026-08-21T12:00:00.123456789Z stdout F INFO 08-21 12:00:00 [logger.py:42] Received request a-1: params: x", "vllm request=a-1 class=request_start"},
		{"INFO:vllm.entrypoints.logger:Received request a-1: params: x", "vllm request=a-1 class=request_start"},
		{"2026-08-21 12:00:00,123 - vllm.entrypoints.logger - INFO - Received request a-1: params: x", "vllm request=a-1 class=request_start"},
		// Prompts that try to be ids.
		{"INFO 08-21 12:00:00 [logger.py:42] Received request cmpl-a1: prompt: 'trace_id=<T> request_id=evil-1 Received request evil-2: x', params: x", "vllm request=cmpl-a1 class=request_start"},

		// No request, or several.
		{"INFO 08-21 12:00:00 [async_llm.py:420] Aborted request(s) cmpl-a1,cmpl-a2.", " class=request_end"},
		{"INFO 08-21 12:00:10 [loggers.py:123] Engine 000: Avg prompt throughput: 1.5 tokens/s, Running: 3 reqs", ""},
		{"Added request handler.", " class=request_start"},
		{"Received request from 10.0.0.1 for /v1", " class=request_start"},
		{"The client said: Received request cmpl-a1: x", ""},
		{"'Received request cmpl-a1: x'", ""},
		{"Request failed", ""},
		{"Received request ", ""},
	})
}

func TestSGLang(t *testing.T) {
	const out = `out={'text': ' Paris \'rid\': \'x2\'', 'meta_info': {'id': 'f3aa11', 'finish_reason': {'type': 'stop', 'id': 'y9'}, 'prompt_tokens': 5, 'completion_tokens': 7, 'cached_tokens': 1, 'e2e_latency': 1.25}}`
	lines(t, [][2]string{
		{`[2026-05-09 12:00:00 TP0] Receive: obj=GenerateReqInput(rid='f3aa11', text='rid=\'x1\', trace_id=1', input_ids=None, sampling_params={'max_new_tokens': 8})`, "sglang request=f3aa11 class=request_start"},
		{`[2026-05-09 12:00:00] Receive: obj=GenerateReqInput(text='rid="x1"', input_ids=[1, 2], rid='f3aa11', http_worker_ipc=None)`, "sglang request=f3aa11 class=request_start"},
		{`[2026-05-09 12:00:00] Receive: obj=GenerateReqInput(text='aaa' ... 'bb, rid=', rid='f3aa11')`, "sglang request=f3aa11 class=request_start"},
		{`[2026-05-09 12:00:00 DP0 TP0 EP0] Finish: obj=GenerateReqInput(rid='f3aa11', text="it's"), ` + out, "sglang request=f3aa11 class=request_end input_tokens=5 output_tokens=7 cached_input_tokens=1 total_time_ms=1250"},
		{`[2026-05-09 12:00:00] Finish: obj=GenerateReqInput(rid='f3aa11'), headers={'x-request-id': 'q-1'}, ` + out, "sglang request=f3aa11 class=request_end input_tokens=5 output_tokens=7 cached_input_tokens=1 total_time_ms=1250"},
		{`[2026-06-30 09:14:41] Finish: obj={'request_id': '<U>', 'prompt': 'x'}`, "sglang request=<U> class=request_end"},
		// A batch.
		{`[2025-07-16 14:43:09] Receive: obj=EmbeddingReqInput(rid=['184_a', '184_b'], text=['x', 'y'])`, "sglang class=request_start"},
		// JSON.
		{`{"timestamp":"2026-05-09T12:00:00","event":"request.received","rid":"f3aa11","obj":{"text":"\"rid\":\"x1\"","rid":"f3aa11"}}`, "sglang request=f3aa11 class=request_start"},
		{`{"timestamp":"2026-05-09T12:00:00","event":"request.finished","rid":"f3aa11","obj":{"text":"x"},"out":{"text":"y","meta_info":{"id":"f3aa11","finish_reason":{"type":"stop"},"prompt_tokens":5,"completion_tokens":7,"cached_tokens":0,"e2e_latency":1.25}}}`, "sglang request=f3aa11 class=request_end input_tokens=5 output_tokens=7 cached_input_tokens=0 total_time_ms=1250"},

		{"[2026-05-09 12:00:00 TP0] Prefill batch, #new-seq: 2, #new-token: 8192, #cached-token: 0, token usage: 0.10, cuda graph: False", ""},
		{"[2026-05-09 12:00:00 TP0] Decode batch, #running-req: 4, #token: 12, token usage: 0.20, gen throughput (token/s): 88.1, #queue-req: 0", ""},
		{"Receive: parcel", " class=request_start"},
	})
}

func TestTGI(t *testing.T) {
	const fields = `total_time="1.23s" validation_time="350.1µs" queue_time="43.2µs" inference_time="1.2s" time_per_token="25.1ms" seed="None"`
	const want = "tgi class=request_end preprocess_time_ms=0.3501 queue_time_ms=0.0432 inference_time_ms=1200 total_time_ms=1230"
	lines(t, [][2]string{
		{`2026-01-15T10:00:00.123456Z  INFO generate{parameters=GenerateParameters { best_of: None, stop: ["total_time=\"9s\" }"], seed: None } ` + fields + `}: text_generation_router::server: router/src/server.rs:343: Success`, want},
		{`2026-01-15T10:00:00.123456Z  INFO compat_generate{default_return_full_text=true}:generate{parameters=GenerateParameters { best_of: None } ` + fields + `}: text_generation_router::server: router/src/server.rs:343: Success`, want},
		{"\x1b[2m2026-01-15T10:00:00.123456Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mgenerate\x1b[0m\x1b[1m{\x1b[0m\x1b[3mparameters\x1b[0m\x1b[2m=\x1b[0mP { a: None } " + fields + "\x1b[1m}\x1b[0m\x1b[2m:\x1b[0m \x1b[2mtext_generation_router::server\x1b[0m\x1b[2m:\x1b[0m Success", want},
		{`{"timestamp":"2026-01-15T10:00:00Z","level":"INFO","message":"Success","target":"text_generation_router::server","filename":"router/src/server.rs","line_number":343,"span":{"name":"generate","total_time":"1.23s","validation_time":"350.1\u00b5s","queue_time":"43.2µs","inference_time":"1.2s","time_per_token":"25.1ms","seed":"None"},"spans":[{"name":"x","total_time":"9s"}]}`, want},
		{`2026-01-15T10:00:00.123456Z  INFO text_generation_router: router/src/main.rs:1: Success`, ""},
		{`2026-01-15T10:00:00.123456Z  WARN text_generation_router: router/src/main.rs:1: {"a": 1}`, ""},
	})
}

func TestTriton(t *testing.T) {
	lines(t, [][2]string{
		{`I0821 12:00:00.123456 1 infer_request.cc:905] "[request id: my-7] prepared: model: llm"`, "triton request=my-7"},
		{`I0821 12:00:00.123456 1 infer_request.cc:905] [request id: my-7] prepared`, "triton request=my-7"},
		{`2026-08-21T12:00:00Z I 1 infer_request.cc:905] "[request id: <U>] Setting state"`, "triton request=<U>"},
		{`I0821 12:00:00.123456 1 infer_request.cc:905] "[request id: <id_unknown>] prepared"`, "triton"},
		{`I0821 12:00:00.123456 1 server.cc:674] "Models: [request id: x1]"`, ""},
		{`I0821 [request id: x1] is not one of its lines] "`, ""},
		{`I0821 12:00:00.123456 1 infer_request.cc:905] "[request id: my-7`, ""},
	})
}

func TestRayServe(t *testing.T) {
	lines(t, [][2]string{
		{"INFO 2026-08-21 12:00:00,123 default_LLM 4x7k2abc <U> -- GET /v1/chat/completions 200 3.5ms", "ray_serve request=<U> class=request_end total_time_ms=3.5"},
		{"INFO 2026-08-21 12:00:00,123 proxy 10.0.0.1 <U> -- 127.0.0.1:5000 POST / 500 1203.5ms", "ray_serve request=<U> class=request_end total_time_ms=1203.5"},
		{"(ServeReplica:default:LLM pid=12) INFO 2026-08-21 12:00:00,123 default_LLM 4x7k2abc <U> -- CALL __call__ OK 3.5ms", "ray_serve request=<U> class=request_end total_time_ms=3.5"},
		{"WARNING 2026-08-21 12:00:00,123 default_LLM 4x7k2abc <U> -- slow trace_id=<T>", "ray_serve request=<U>"},
		{"INFO 2023-09-01 12:00:00,123 http_proxy 10.0.0.1 <U> /v1 default http_proxy.py:1026 - GET 200 3.5ms", "ray_serve request=<U> class=request_end total_time_ms=3.5"},
		{"INFO 2023-09-01 12:00:00,123 default_LLM default#LLM#abc <U> /v1 default replica.py:749 - __CALL__ OK 3.3ms", "ray_serve request=<U> class=request_end total_time_ms=3.3"},
		{`{"asctime":"2026-08-21 12:00:00,123","levelname":"INFO","message":"POST /v1 200 12.3ms","filename":"replica.py","lineno":1,"route":"/v1","request_id":"<U>","application":"default","deployment":"LLM","replica":"4x7k2abc","component_name":"replica"}`, "ray_serve request=<U> class=request_end total_time_ms=12.3"},
		// No request.
		{"INFO 2026-08-21 12:00:00,123 controller 812 -- Deploying new version of LLM.", ""},
		{"INFO 2026-08-21 12:00:00,123 default_LLM 4x7k2abc -- Finished initializing replica.", ""},
		{"INFO 2026-08-21 some words that are no log -- GET / 200 3.5ms", ""},
	})
}

func TestKServe(t *testing.T) {
	lines(t, [][2]string{
		{"2026-08-21 12:00:00.123 1 root INFO [__call__():128] requestId: <U>, preprocess_ms: 0.2, explain_ms: 0, predict_ms: 12.5, postprocess_ms: 0.1", "kserve request=<U> class=request_end preprocess_time_ms=0.2 inference_time_ms=12.5 postprocess_time_ms=0.1"},
		{"requestId: N.A., preprocess_ms: 0.0021, explain_ms: 0, predict_ms: 12.5, postprocess_ms: 0.001", "kserve class=request_end preprocess_time_ms=0.0021 inference_time_ms=12.5 postprocess_time_ms=0.001"},
		{"requestId: a1, preprocess_ms: nan, explain_ms: 0, predict_ms: -1, postprocess_ms: 0.1", "kserve request=a1 class=request_end postprocess_time_ms=0.1 dropped=2"},
		{"requestId: a1, then something else", "logfmt request=a1"},
		{"user said 'requestId: a1, preprocess_ms: 1'", ""},
		{"myrequestId: a1, preprocess_ms: 1", ""},
	})
}

func TestBentoML(t *testing.T) {
	lines(t, [][2]string{
		{"2026-08-21T12:00:00+0000 [INFO] [api_server:svc:1] 127.0.0.1:5000 (scheme=http,method=POST,path=/x,type=application/json,length=12) (status=200,type=application/json,length=34) 12.345ms (trace=<T>,span=<S>,sampled=1,service.name=svc)", "bentoml trace=T span=S flags=1 class=request_end total_time_ms=12.345"},
		{"2026-08-21T12:00:00+0000 [INFO] [entry_service:svc:1] 127.0.0.1:5000 (scheme=http,method=GET,path=/x,type=,length=) (status=404,type=,length=9) 0.345ms (trace=<T>,span=<S>,sampled=0,service.name=svc)", "bentoml trace=T span=S flags=0 class=request_end total_time_ms=0.345"},
		// Version 1.0 has no service name, and widths can be configured.
		{"2026-08-21T12:00:00+0000 [DEBUG] [runner:x:1] loaded (trace=4d1697be764d8b82,span=1f,sampled=0)", "bentoml trace=00000000000000004d1697be764d8b82 span=000000000000001f flags=0"},
		{"2026-08-21T12:00:00+0000 [INFO] [api_server:svc:1] prompt (trace=ffffffffffffffffffffffffffffffff,span=1) (trace=<T>,span=<S>,sampled=0,service.name=svc)", "bentoml trace=T span=S flags=0"},
		{"2026-08-21T12:00:00+0000 [INFO] [api_server:svc:1] x (trace=0,span=0,sampled=0)", "bentoml flags=0"},
		{"2026-08-21T12:00:00+0000 [INFO] [cli] Starting (trace=<T>,span=<S>) now", ""},
		{"hello (trace=<T>,span=<S>,sampled=1)", ""},
	})
}

func TestOTelPython(t *testing.T) {
	lines(t, [][2]string{
		{"2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id=<T> span_id=<S> resource.service.name=app trace_sampled=True] - done", "otel_python trace=T span=S flags=1"},
		{"2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id=<T> span_id=<S> resource.service.name=app] - done", "otel_python trace=T span=S"},
		{"INFO [trace_id=00000000000000000000000000000000 span_id=0000000000000000] GET /health 200", "otel_python"},
		{"2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id=0 span_id=0 resource.service.name=app trace_sampled=False] - x trace_id=<T>", "otel_python flags=0"},
		{"2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id=4bf92f3577b34da6a3ce929d0e0e473 span_id=<S>] - 31 digits", "otel_python span=S invalid=1"},
		{"INFO: user wrote '[trace_id=<T> span_id=<S>]'", ""},
		{`INFO: user wrote "[trace_id=<T> span_id=<S>]"`, ""},
	})
}

func TestEnvoy(t *testing.T) {
	lines(t, [][2]string{
		{`[2026-08-21T12:00:00.000Z] "POST /v1/completions HTTP/1.1" 200 - 123 456 789 780 "-" "curl/8" "<U>" "llm" "10.0.0.2:8000"`, "envoy request=<U> class=request_end total_time_ms=789"},
		{`[2026-08-21T12:00:00.000Z] "POST /v1/completions HTTP/2" 503 UF,URX 123 91 5 - "10.1.1.1" "a b c" "-" "llm" "-"`, "envoy class=request_end total_time_ms=5"},
		{`[2026-08-21T12:00:00.000Z] "POST /v1 HTTP/2" 200 - via_upstream - "-" 123 456 789 780 "-" "curl/8" "<U>" "llm" "10.0.0.2:8000" outbound|80||llm 10.0.0.1:3 10.0.0.2:8000 10.0.0.3:4 - default`, "envoy request=<U> class=request_end total_time_ms=789"},
		{`{"start_time":"2026-08-21T12:00:00.000Z","method":"POST","path":"/v1","protocol":"HTTP/2","response_code":200,"response_flags":"-","duration":789,"upstream_service_time":"780","request_id":"<U>","user_agent":"x trace_id=1"}`, "envoy request=<U> class=request_end total_time_ms=789"},
		// A user agent with quotes moves what follows it.
		{`[2026-08-21T12:00:00.000Z] "POST /v1 HTTP/1.1" 200 - 1 2 3 4 "-" "x" "evil-1" "y" "<U>" "llm" "10.0.0.2:8000"`, ""},
		{`[2026-08-21T12:00:00.000Z] "POST /v1 HTTP/1.1" 200`, ""},
		{`[2026-08-21 12:00:00] "quoted`, ""},
	})
}

func TestSpring(t *testing.T) {
	lines(t, [][2]string{
		{"2026-08-21 12:00:00.123  INFO [orders,<T>,<S>] 1 --- [nio-8080-exec-1] c.e.Api : message", "spring trace=T span=S"},
		{"2026-08-21 12:00:00.123  INFO [orders,4d1697be764d8b82,<S>,true] 1 --- [main] c.e.Api : Sleuth", "spring trace=00000000000000004d1697be764d8b82 span=S"},
		{"2026-08-21T12:00:00.123Z  INFO 1 --- [orders] [nio-8080-exec-1] [<T>-<S>] c.e.Api : Boot 3.2", "spring trace=T span=S"},
		{"2026-08-21 12:00:00.123  INFO [orders,,] 1 --- [main] c.e.Api : message", ""},
		{"2026-08-21T12:00:00.123Z  INFO 1 --- [orders] [main] [                                                 ] c.e.Api : x", ""},
		{"2026-08-21 12:00:00.123  INFO [orders,,] 1 --- [main] c.e.Api : user wrote [a,<T>,<S>]", ""},
		{"2026-08-21 12:00:00.123  INFO [orders,4bf92f3577b34da6a3ce929d0e0e473z,<S>] 1 --- [main] c : x", ""},
	})
}

func TestUvicorn(t *testing.T) {
	lines(t, [][2]string{
		{`INFO:     127.0.0.1:5000 - "POST /v1/chat/completions?trace_id=<T> HTTP/1.1" 200 OK`, "uvicorn class=request_end"},
		{`(APIServer pid=1) INFO:     127.0.0.1:5000 - "GET /health HTTP/1.1" 200 OK`, "uvicorn class=request_end"},
		{"INFO:     Started server process [1]", ""},
		{"INFO:     Waiting for application startup. HTTP/", ""},
	})
}

func TestLogfmt(t *testing.T) {
	lines(t, [][2]string{
		{`level=info ts=2026-08-21T12:00:00Z msg="request done" trace_id=<T> span_id=<S> queue_ms=12.5 status=200 duration=1.5s`, "logfmt trace=T span=S class=request_end queue_time_ms=12.5 total_time_ms=1500"},
		{`INFO [traceId=<T>, spanId=<S>] done`, "logfmt trace=T span=S"},
		{`time=x msg="a \"trace_id=ffffffffffffffffffffffffffffffff\" b" traceparent=00-<T>-<S>-01`, "logfmt trace=T span=S flags=1"},
		{`2026-08-21T12:00:00Z  INFO http-request: dynamo_llm::http: done method=POST trace_id=<T> span_id=<S> x_request_id=<U>`, "logfmt trace=T span=S request=<U>"},
		{`request_id=a1 model=llama prompt_tokens=5 completion_tokens=7 ttft=120ms`, "logfmt request=a1 model_name=llama input_tokens=5 output_tokens=7 ttft_ms=120"},
		// The program's own come first.
		{`trace_id=<T> prompt: what is trace_id=ffffffffffffffffffffffffffffffff`, "logfmt trace=T"},
		{`trace_id=4bf92f3577b34da6a3ce929d0e0e473 x=1`, "logfmt invalid=1"},
		// The duration of what?
		{`msg=loaded duration=1.5s trace_id=<T>`, "logfmt trace=T"},
		// Of .NET, and of people.
		{`info: Api[0] => SpanId:<S>, TraceId:<T>, ParentId:0000000000000000 => done`, "logfmt trace=T span=S"},
		{`done (trace_id: <T>, request_id: a1)`, "logfmt trace=T request=a1"},
		{`{trace_id=<T>, span_id=<S>} done`, "logfmt trace=T span=S"},
		// In quotes, in paths, and nothing at all.
		{`prompt "trace_id=<T>" sent`, ""},
		{`prompt 'trace_id=<T>' sent`, ""},
		{`prompt "trace_id=<T>`, ""},
		{`GET /x?trace_id=<T>&request_id=a1 200`, ""},
		{`a=1 b=2`, ""},
		{`prompt 'trace_id: <T>'`, ""},
		{`he said: trace_id:`, ""},
		{`12:00:00 loaded: queue_ms: 5`, ""},
		{`=`, ""},
		{`trace_id=`, ""},
	})
}

func TestText(t *testing.T) {
	lines(t, [][2]string{
		{"", ""},
		{" \n\t ", ""},
		{"\x1b[31m\x1b[0m", ""},
		{"server starting", ""},
		{"request finished", " class=request_end"},
		{"\xff\xfe trace_id=\xff <T>", "logfmt invalid=1"},
		{"trace " + traceHex + " is no field", ""},
	})
}
