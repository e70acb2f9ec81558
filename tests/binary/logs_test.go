package binary

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

const ownLogs = "otelcol_processor_log_correlation_"

// logWaits are the waits of the join in these tests. A file that is made between the start and
// the first look would be read from its end.
const logWaits = `
receivers:
  file_log:
    start_at: beginning
processors:
  log_correlation:
    wait: 5s
    linger: 1s
`

// Scenario: a service writes its requests to a file, as JSON lines or as vLLM does, or sends
// them over OTLP; its spans come in both styles, while the requests go on.
// Guarantees: each line leaves once; the last line of each request whose call was traced leaves
// joined, with the trace id of its own request and the numbers of its spans; first lines do not
// wait.
func TestLogs(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"json": {"--logs", "FILE"},
		"vllm": {"--logs", "FILE", "--logs-format", "vllm"},
		"otlp": {"--logs", "otlp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "requests.log")
			for i := range args {
				args[i] = strings.Replace(args[i], "FILE", file, 1)
			}
			sink := otlpsink.Start(t)
			c := collector.StartIn(t, []string{"INFERENCE_LOGS=" + file}, collector.ShortWaits, collector.ToSink(sink.Addr), logWaits)
			records, spans := 0, 0
			for _, style := range []string{"stages", "vllm"} {
				truth := simulate.Run(t, c.GRPC, append(args, "--style", style, "--speed", "10",
					"--requests", "100", "--rate", "10", "--error-rate", "0.05", "--abort-rate", "0.05")...)
				records += truth.Sent.LogRecords
				spans += truth.Sent.Spans
			}
			eventually(t, func(ct *assert.CollectT) {
				assert.Equal(ct, records, sink.RecordCount(), "records")
				assert.Equal(ct, spans, sink.SpanCount())
			})
			checkJoined(t, sink)
			eventually(t, func(ct *assert.CollectT) {
				p, err := page.Fetch(t.Context(), c.Own)
				require.NoError(ct, err)
				assert.InDelta(ct, float64(records)+p.Value(own+"request_logs", nil), p.Value(ownLogs+"records", nil), 0)
			})
			p := page.Get(t, c.Own)
			assert.Zero(t, p.Value(ownLogs+"disagreements", nil), "numbers of lines and spans differ")
			assert.Zero(t, p.Value(ownLogs+"discarded_values", nil))
			assert.Zero(t, p.Value(ownLogs+"held_records", nil))
			assert.Zero(t, c.Stop(t), "exit code")
			assert.Equal(t, records, sink.RecordCount(), "nothing was left to send")
		})
	}
}

// checkJoined compares the records that left with the spans that left.
func checkJoined(t *testing.T, sink *otlpsink.Sink) {
	t.Helper()
	requests := requestsIn(sink.Traces())
	states := map[string]int{}
	require.NotEmpty(t, requests)
	for _, rec := range sink.Records() {
		line := lineOf(t, rec)
		want := requests[line.RequestID]
		attrs := rec.Attributes().AsRaw()
		state, _ := attrs["correlation.state"].(string)
		states[line.kind+" "+state]++
		switch {
		case want == nil:
			// An engine writes no span for a request that it did not serve: none of its numbers
			// are known, and where the line has no trace id the trace is not either.
			assert.Contains(t, []string{"partial", "unmatched"}, state, "%s: %v", rec.Body().Str(), attrs)
		case line.kind == "start":
			assert.NotContains(t, attrs, "correlation.wait_ms", "a first line does not wait")
			if !rec.TraceID().IsEmpty() {
				assert.Equal(t, want.trace, rec.TraceID().String(), rec.Body().Str())
			}
		default:
			assert.Equal(t, "joined", state, "%s: %v", rec.Body().Str(), attrs)
			assert.Equal(t, want.trace, rec.TraceID().String(), rec.Body().Str())
			want.check(t, attrs)
		}
	}
	assert.Equal(t, len(requests), states["end joined"], "%v", states)
}

// traced is what the spans of a request say.
type traced struct {
	trace  string
	model  string
	tokens map[string]int64
	times  map[string]float64 // ms
}

// requestsIn are the requests with a call, by the id that their spans bear.
func requestsIn(all []ptrace.Traces) map[string]*traced {
	byTrace, byID := map[string]*traced{}, map[string]*traced{}
	for _, td := range all {
		eachSpan(td, func(s ptrace.Span) {
			id := s.TraceID().String()
			if byTrace[id] == nil {
				byTrace[id] = &traced{trace: id, tokens: map[string]int64{}, times: map[string]float64{}}
			}
			r := byTrace[id]
			r.add(s)
			if request, ok := s.Attributes().Get("gen_ai.request.id"); ok {
				byID[request.Str()] = r
			}
		})
	}
	return byID
}

// add takes what a span says, in either style.
func (r *traced) add(s ptrace.Span) {
	ms := float64(s.EndTimestamp()-s.StartTimestamp()) / 1e6
	if s.ParentSpanID().IsEmpty() {
		r.times["total_time_ms"] = ms
	}
	if s.Name() == "queue" || s.Name() == "inference" {
		r.times[s.Name()+"_time_ms"] = ms
	}
	for key, value := range s.Attributes().All() {
		switch key {
		case "gen_ai.request.model":
			r.model = value.Str()
		case "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens":
			r.tokens["input_tokens"] = value.Int()
		case "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens":
			r.tokens["output_tokens"] = value.Int()
		case "gen_ai.latency.time_in_queue":
			r.times["queue_time_ms"] = value.Double() * 1000
		case "gen_ai.latency.time_in_model_inference":
			r.times["inference_time_ms"] = value.Double() * 1000
		}
	}
}

func (r *traced) check(t *testing.T, attrs map[string]any) {
	t.Helper()
	assert.Equal(t, r.model, attrs["model_name"])
	for name, want := range r.tokens {
		assert.EqualValues(t, want, attrs[name], name)
	}
	for name, want := range r.times {
		// Within 1 %, or a microsecond, in which they are written.
		if got, ok := attrs[name].(float64); want > 0 && assert.True(t, ok, "%s of %v", name, attrs) {
			assert.InDelta(t, want, got, max(want/100, 0.001), "%s of %v", name, attrs)
		}
	}
}

// line is what a line of the request log says by itself.
type line struct {
	RequestID string `json:"request_id"`
	kind      string
}

// vllmLines are the lines of vLLM; the engine's own id ends in eight digits more.
var vllmLines = regexp.MustCompile(`^INFO .* \[[a-z_]+\.py:\d+\] (Received request|Added request|Generated response|Request) (chatcmpl-[0-9a-f]+-\d+)`)

func lineOf(t *testing.T, rec plog.LogRecord) (l line) {
	t.Helper()
	body := rec.Body().AsString()
	if strings.HasPrefix(body, "{") {
		require.NoError(t, json.Unmarshal([]byte(body), &l))
		l.kind = "end"
		return l
	}
	found := vllmLines.FindStringSubmatch(body)
	require.NotNil(t, found, body)
	l = line{RequestID: found[2], kind: "end"}
	if found[1] == "Received request" || found[1] == "Added request" {
		l.kind = "start"
	}
	return l
}
