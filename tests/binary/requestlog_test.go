package binary

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// Scenario: the shipped standalone.yaml; services send the spans of requests that end in every way.
// Guarantees: each request on the metrics page leaves one record, also those that are open when the
// collector stops; the join adds what it knows besides and changes nothing.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	sink := otlpsink.Start(t)
	c := collector.Start(t, collector.ShortWaits, collector.ToSink(sink.Addr))
	requests := 0
	// An engine writes no span of a request that it did not serve.
	for style, failing := range map[string]string{"stages": "0.1", "vllm": "0"} {
		requests += simulate.Run(t, c.GRPC, "--style", style, "--speed", "10", "--requests", "100", "--rate", "20",
			"--error-rate", failing, "--abort-rate", failing).Requests
	}
	awaitClosed(t, c, requests)
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, sink.RequestLog(), requests)
		assert.EqualValues(ct, requests, p.Histogram(requestDuration, nil).Count)
	})
	p := page.Get(t, c.Own)
	assert.Zero(t, p.Value(own+"dropped_request_logs", nil))
	assert.Zero(t, p.Value(ownLogs+"disagreements", nil), "numbers of records and spans differ")
	assert.Zero(t, p.Value(ownLogs+"discarded_values", nil))

	last := simulate.Run(t, c.GRPC, "--style", "stages", "--speed", "10", "--requests", "20", "--rate", "1000").Requests
	assert.Zero(t, c.Stop(t), "exit code")
	assert.Len(t, sink.RequestLog(), requests+last)
	seen := map[string]bool{}
	for _, rec := range sink.RequestLog() {
		assert.False(t, seen[rec.TraceID().String()], "twice: %s", rec.Body().Str())
		seen[rec.TraceID().String()] = true
		checkUnchanged(t, rec)
	}
}

// checkUnchanged compares a record with its own line, which tells all that the connector wrote.
func checkUnchanged(t *testing.T, rec plog.LogRecord) {
	t.Helper()
	line := rec.Body().Str()
	state, _ := rec.Attributes().Get("correlation.state")
	assert.Equal(t, "joined", state.Str(), line)
	var added []any
	if v, ok := rec.Attributes().Get("correlation.added"); ok {
		added = v.Slice().AsRaw()
	}
	for _, name := range added {
		assert.Contains(t, []any{"engine", "trace.sampled", "trace.error"}, name, line)
	}
	told := 0
	for key, v := range rec.Attributes().All() {
		if strings.HasPrefix(key, "correlation.") || slices.Contains(added, any(key)) {
			continue
		}
		assert.Contains(t, line+" ", " "+key+"="+v.AsString()+" ")
		told++
	}
	if _, failed, ok := strings.Cut(line, " error_type="); ok {
		assert.NotEmpty(t, failed)
		told++
	}
	assert.Equal(t, strings.Count(line, "="), told, line)
}

// Scenario: one request of a vLLM engine, and a Loki with each format of lines.
// Guarantees: the fields are structured metadata under the names of joined lines; trace id, span id
// and severity are where Loki has them; format request makes the same line of it as of others.
func TestRequestLogInLoki(t *testing.T) {
	t.Parallel()
	const fields = "request_id=chatcmpl-8f0c1d2e3a4b5c6d input_tokens=512 output_tokens=128 preprocess_time_ms=13 queue_time_ms=51.2 " +
		"inference_time_ms=1985.1 postprocess_time_ms=1.5 total_time_ms=2050.8 ttft_ms=184.3"
	for format, want := range map[string]string{
		"body":    "request finished " + fields + " tpot_ms=14.685 outcome=ok slowest_phase=inference",
		"request": fields + " outcome=ok",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			loki := lokitest.New(t, lokitest.Options{})
			c := collector.StartIn(t, []string{"LOKI_ENDPOINT=" + loki.URL}, collector.ShortWaits,
				"exporters: {loki: {format: "+format+", sending_queue: {batch: {flush_timeout: 200ms}}}}")
			require.NoError(t, otlpclient.GRPC(t, c.GRPC)(t.Context(), endingNow(unmarshal(t, vllmRequest(t)))))
			eventually(t, func(ct *assert.CollectT) { assert.Len(ct, loki.Records(lokitest.Query{}), 1) })
			rec := loki.Records(lokitest.Query{})[0]
			assert.Equal(t, want, rec.Line)
			assert.Equal(t, "info", rec.Labels["level"])
			assert.Equal(t, "vllm-server", rec.Labels["service_name"])
			for name, want := range map[string]string{
				"request_id": "chatcmpl-8f0c1d2e3a4b5c6d", "queue_time_ms": "51.2", "tpot_ms": "14.685", "outcome": "ok",
				"slowest_phase": "inference", "event_name": "inference.request", "correlation_state": "joined", "engine": "vllm",
			} {
				got, _ := rec.Get(name)
				assert.Equal(t, want, got, name)
			}
			for _, id := range []string{"trace_id", "span_id"} {
				got, _ := rec.Get(id)
				assert.NotEmpty(t, got, id)
			}
			_, waited := rec.Get("correlation_wait_ms")
			assert.False(t, waited, "it comes after its trace")
			assert.WithinDuration(t, time.Now(), rec.Time, time.Minute)
			assert.Zero(t, c.Stop(t), "exit code")
		})
	}
}

// endingNow moves spans to where the last of them ends now.
func endingNow(td ptrace.Traces) ptrace.Traces {
	each := func(visit func(ptrace.Span)) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					visit(span)
				}
			}
		}
	}
	var last pcommon.Timestamp
	each(func(s ptrace.Span) { last = max(last, s.EndTimestamp()) })
	by := pcommon.NewTimestampFromTime(time.Now()) - last
	each(func(s ptrace.Span) {
		s.SetStartTimestamp(s.StartTimestamp() + by)
		s.SetEndTimestamp(s.EndTimestamp() + by)
	})
	return td
}
