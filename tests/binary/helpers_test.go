package binary

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

const (
	casesDir    = "../cases"
	fixturesDir = "../fixtures/otlp"
)

// Names on the page.
const (
	requestDuration = "inference_request_duration_seconds"
	requestTTFT     = "inference_request_time_to_first_token_seconds"
	callDuration    = "inference_call_duration_seconds"
	callTTFT        = "inference_call_time_to_first_token_seconds"
	callTPOT        = "inference_call_time_per_output_token_seconds"
	phaseDuration   = "inference_phase_duration_seconds"
	subphase        = "inference_subphase_duration_seconds"
	tokenUsage      = "inference_token_usage"
	finished        = "inference_request_finished_total"

	own = "otelcol_connector_span_phase_"
)

// How long a test waits for what must come, and how often it looks.
const (
	patience = 30 * time.Second
	glance   = 100 * time.Millisecond
)

// eventually looks until check finds nothing wrong, or shows what it found last.
func eventually(t *testing.T, check func(c *assert.CollectT)) {
	t.Helper()
	require.EventuallyWithT(t, check, patience, glance)
}

// awaitClosed waits until the connector has looked at all traces and closed at
// least n of them.
func awaitClosed(t *testing.T, c *collector.Collector, n int) {
	t.Helper()
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Own)
		require.NoError(ct, err)
		assert.GreaterOrEqual(ct, p.Value(own+"tombstones", nil), float64(n), "closed traces")
		assert.Zero(ct, p.Value(own+"open_traces", nil), "open traces")
		assert.Zero(ct, p.Value(own+"open_spans", nil), "open spans")
	})
}

// vllmRequest returns one request of a vLLM V1 engine as OTLP/JSON.
func vllmRequest(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(fixturesDir + "/vllm_v1.json")
	require.NoError(t, err)
	return data
}

// unmarshal reads OTLP/JSON.
func unmarshal(t *testing.T, data []byte) ptrace.Traces {
	t.Helper()
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(bytes.TrimSpace(data))
	require.NoError(t, err)
	return td
}

// inNewTraces returns a copy of td in which each trace has another id.
func inNewTraces(td ptrace.Traces) ptrace.Traces {
	made := ptrace.NewTraces()
	td.CopyTo(made)
	ids := map[pcommon.TraceID]pcommon.TraceID{}
	renamed := func(old pcommon.TraceID) pcommon.TraceID {
		if _, ok := ids[old]; !ok {
			ids[old] = newTraceID()
		}
		return ids[old]
	}
	eachSpan(made, func(s ptrace.Span) {
		s.SetTraceID(renamed(s.TraceID()))
		for _, link := range s.Links().All() {
			link.SetTraceID(renamed(link.TraceID()))
		}
	})
	return made
}

func newTraceID() (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], rand.Uint64())
	return id
}

func eachSpan(td ptrace.Traces, f func(s ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				f(s)
			}
		}
	}
}
