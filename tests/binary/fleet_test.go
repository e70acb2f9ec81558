package binary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// startFleet starts a fleet that samples nothing away.
func startFleet(t *testing.T) (f *fleet.Fleet, traces *otlpsink.Sink, loki *lokitest.Server) {
	t.Helper()
	traces, loki = otlpsink.Start(t), lokitest.New(t, lokitest.Options{})
	return fleet.Start(t, []string{"TRACES_ENDPOINT=" + traces.Addr, "LOKI_ENDPOINT=" + loki.URL, "SAMPLING_PERCENTAGE=100"}), traces, loki
}

// Scenario: two services send spans, each in exports of its own, and request logs to two agents in
// front of two gateways; nothing is sampled away.
// Guarantees: each request is counted once over the tier, in series that never collide, and leaves
// one record; each trace is whole; each log record is with its trace; exemplars name traces that exist; everything listens
// on the loopback interface only; all stop with exit code 0.
func TestFleet(t *testing.T) {
	t.Parallel()
	f, traces, loki := startFleet(t)
	sent := f.Play(t, 150)
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, sent.Spans, traces.SpanCount())
		lines, requests := linesIn(loki)
		assert.Len(ct, lines, sent.LogRecords)
		assert.Len(ct, requests, sent.Requests)
		assert.EqualValues(ct, sent.Requests, counted(t, ct, f))
	})
	known := map[string]bool{}
	traces.EachSpan(func(s ptrace.Span) {
		known[s.TraceID().String()] = true
		_, there := s.Attributes().Get("inference.route")
		assert.False(t, there, "what agents route by stays between the tiers")
	})
	exemplars := 0
	for i, gateway := range f.Gateways {
		p := page.Get(t, gateway.Page)
		assert.Positive(t, p.Histogram(requestDuration, nil).Count, "gateway %d has a part", i)
		for _, s := range p.Series(requestDuration, nil) {
			assert.Equal(t, fleet.Name(i), page.LabelsOf(s)["collector_instance_id"])
		}
		for _, e := range page.Exemplars(t, gateway.Page) {
			assert.True(t, known[e.Labels["trace_id"]], "the exemplar's trace %s exists", e.Labels["trace_id"])
			exemplars++
		}
	}
	assert.Positive(t, exemplars)
	for _, rec := range loki.Records(lokitest.Query{}) {
		id, ok := rec.Get("trace_id")
		assert.True(t, ok && known[id], "a record without its trace")
		_, there := rec.Get("inference_route")
		assert.False(t, there)
	}
	for _, c := range f.All() {
		for _, l := range c.Listeners(t) {
			assert.True(t, l.Addr().IsLoopback(), "it listens on %s", l)
		}
		assert.Zero(t, c.Stop(t), "exit code")
	}
}

// linesIn are the records that services wrote, and those that gateways wrote of requests.
func linesIn(loki *lokitest.Server) (lines, requests []lokitest.Record) {
	for _, rec := range loki.Records(lokitest.Query{}) {
		if name, _ := rec.Get("event_name"); name == "inference.request" {
			requests = append(requests, rec)
		} else {
			lines = append(lines, rec)
		}
	}
	return lines, requests
}

// counted is the requests on both gateways' pages.
func counted(t *testing.T, ct *assert.CollectT, f *fleet.Fleet) (n uint64) {
	t.Helper()
	for _, gateway := range f.Gateways {
		p, err := page.Fetch(t.Context(), gateway.Page)
		if assert.NoError(ct, err) {
			n += p.Histogram(requestDuration, nil).Count
		}
	}
	return n
}

// Scenario: one gateway ends with SIGTERM under load and comes back; then the other one, and while it
// is away the agents are restarted.
// Guarantees: no span and no log record that an agent has taken is lost, and those of the first part
// come once. What an agent gives up at its stop comes again, whole.
func TestFleetWithoutGateways(t *testing.T) {
	t.Parallel()
	f, traces, loki := startFleet(t)
	sent := f.Play(t, 40)
	require.Zero(t, f.Gateways[1].Stop(t), "exit code")
	sent = sent.Add(f.Play(t, 40))
	f.StartGateway(t, 1)
	sent = sent.Add(f.Play(t, 40))
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, sent.Spans, traces.SpanCount())
		lines, _ := linesIn(loki)
		assert.Len(ct, lines, sent.LogRecords)
	})
	require.Zero(t, f.Gateways[0].Stop(t), "exit code")
	sent = sent.Add(f.Play(t, 40))
	for i, agent := range f.Agents {
		require.Zero(t, agent.Stop(t), "exit code")
		f.StartAgent(t, i)
	}
	f.StartGateway(t, 0)
	eventually(t, func(ct *assert.CollectT) {
		spans := map[pcommon.SpanID]bool{}
		traces.EachSpan(func(s ptrace.Span) { spans[s.SpanID()] = true })
		assert.Len(ct, spans, sent.Spans)
		lines := map[string]bool{}
		all, _ := linesIn(loki)
		for _, rec := range all {
			id, _ := rec.Get("request_id")
			lines[id+rec.Line] = true
		}
		assert.Len(ct, lines, sent.LogRecords)
	})
}

// Scenario: an agent and a gateway read their configuration again (SIGHUP) under load.
// Guarantees: no span and no log record that was received is lost.
func TestFleetReload(t *testing.T) {
	t.Parallel()
	f, traces, loki := startFleet(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 3 {
			f.Gateways[0].Reload(t)
			f.Agents[0].Reload(t)
			time.Sleep(500 * time.Millisecond) // between two reloads, as an operator leaves
		}
	}()
	sent := f.Play(t, 60, "--retry-for", "30s", "--speed", "20", "--rate", "2")
	<-done
	eventually(t, func(ct *assert.CollectT) {
		spans := map[pcommon.SpanID]bool{}
		traces.EachSpan(func(s ptrace.Span) { spans[s.SpanID()] = true })
		assert.Len(ct, spans, sent.Spans)
		lines, _ := linesIn(loki)
		assert.GreaterOrEqual(ct, len(lines), sent.LogRecords)
	})
}
