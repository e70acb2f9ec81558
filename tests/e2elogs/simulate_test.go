package e2elogs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

// joins has short waits. VictoriaLogs would take lines that are JSON apart.
const joins = `
receivers:
  file_log:
    start_at: beginning
processors:
  log_correlation:
    wait: 5s
    linger: 1s
exporters:
  loki:
    headers:
      VL-Loki-Disable-Message-Parsing: "1"
`

var (
	requestID = regexp.MustCompile(`chatcmpl-[0-9a-f]+-\d+`)
	firstLine = regexp.MustCompile(`\] (Received|Added) request `)
)

// Scenario: a service writes its requests to a file, as JSON lines or as vLLM does, or sends them
// over OTLP, and its spans too.
// Guarantees: a query by the trace id of a request gives its lines and no others, each once, the
// last one with the phases that the spans prove; and its record of the request log, once, with the
// same fields.
func TestTraceToLines(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"json": {"--logs", "FILE"},
		"vllm": {"--logs", "FILE", "--logs-format", "vllm"},
		"otlp": {"--logs", "otlp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "requests.log")
			args[1] = strings.Replace(args[1], "FILE", file, 1)
			server, spans := victorialogs.Start(t), otlpsink.Start(t)
			c := collector.StartIn(t, []string{"INFERENCE_LOGS=" + file, "LOKI_ENDPOINT=" + server.Endpoint()},
				collector.ShortWaits, collector.ToSink(spans.Addr), onlyLoki, joins)
			truth := simulate.Run(t, c.GRPC, append(args, "--speed", "10", "--requests", "100", "--rate", "10")...)
			require.EventuallyWithT(t, func(ct *assert.CollectT) {
				// Whole rows: a count has those too whose new stream VictoriaLogs does not show yet.
				rows, err := server.TryQuery(t.Context(), victorialogs.Default, "*")
				assert.NoError(ct, err)
				assert.Len(ct, rows, truth.Sent.LogRecords+truth.Requests)
				assert.Equal(ct, truth.Sent.Spans, spans.SpanCount())
			}, patience, glance)
			requests := requestsIn(spans.Traces())
			require.Greater(t, len(requests), 50)
			written := linesOf(t, file)
			for trace, r := range requests {
				r.check(t, server.Query(t, victorialogs.Default, "trace_id:="+trace), written[r.id])
			}
			assert.Zero(t, c.Stop(t), "exit code")
		})
	}
}

// linesOf are the lines of each request in the file, if there is one.
func linesOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	lines := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		id := requestID.FindString(line)
		lines[id] = append(lines[id], strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// request is what the spans of a trace say.
type request struct {
	id, model string
	times     map[string]float64 // ms
}

// requestsIn are the requests that an engine served, by trace id.
func requestsIn(all []ptrace.Traces) map[string]*request {
	requests := map[string]*request{}
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					trace := s.TraceID().String()
					if requests[trace] == nil {
						requests[trace] = &request{times: map[string]float64{}}
					}
					requests[trace].add(s)
				}
			}
		}
	}
	for trace, r := range requests {
		if r.id == "" {
			delete(requests, trace)
		}
	}
	return requests
}

func (r *request) add(s ptrace.Span) {
	ms := float64(s.EndTimestamp()-s.StartTimestamp()) / 1e6
	switch {
	case s.ParentSpanID().IsEmpty():
		r.times["total_time_ms"] = ms
	case s.Name() == "queue" || s.Name() == "inference":
		r.times[s.Name()+"_time_ms"] = ms
	}
	if id, ok := s.Attributes().Get("gen_ai.request.id"); ok {
		r.id = id.Str()
	}
	if model, ok := s.Attributes().Get("gen_ai.request.model"); ok {
		r.model = model.Str()
	}
}

// check compares the rows of the request's trace with the lines that were written, if known.
func (r *request) check(t *testing.T, rows []victorialogs.Row, written []string) {
	t.Helper()
	var found []string
	last, ofRequest := 0, 0
	for _, row := range rows {
		if row["event_name"] == "inference.request" {
			ofRequest++
			assert.Equal(t, r.id, row["request_id"], "%v", row)
		} else {
			found = append(found, row["_msg"])
			if firstLine.MatchString(row["_msg"]) {
				continue
			}
			last++
		}
		assert.Equal(t, "joined", row["correlation_state"], "%v", row)
		assert.Equal(t, r.model, row["model_name"], "%v", row)
		for name, want := range r.times {
			got, err := strconv.ParseFloat(row[name], 64)
			if want > 0 && assert.NoError(t, err, "%s of %v", name, row) {
				assert.InDelta(t, want, got, max(want/100, 0.001), "%s of %v", name, row)
			}
		}
	}
	assert.Equal(t, 1, ofRequest, "records of %s in the request log", r.id)
	if written == nil {
		assert.Equal(t, 1, last, "rows of %s: %v", r.id, found)
		return
	}
	// vLLM's first lines do not wait for the trace, whose id they do not have.
	var wanted []string
	for _, line := range written {
		if firstLine.MatchString(line) && !slices.Contains(found, line) {
			continue
		}
		wanted = append(wanted, line)
	}
	assert.NotZero(t, last, "%s", r.id)
	assert.ElementsMatch(t, wanted, found, "%s", r.id)
}
