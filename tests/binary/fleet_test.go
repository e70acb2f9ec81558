package binary

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// fleet is two agents before two gateways, as they are shipped, with their back-ends.
type fleet struct {
	traces   *otlpsink.Sink
	loki     *lokitest.Server
	gateways [2]*collector.Collector
	agents   [2]*collector.Collector
	dirs     [2]string // of the gateways
}

// quick is what tests cannot wait for.
const quickGateway = `
processors:
  tail_sampling:
    decision_wait: 3s
    decision_wait_after_root_received: 1s
` + waitsOnly

func startFleet(t *testing.T, env ...string) *fleet {
	t.Helper()
	f := &fleet{traces: otlpsink.Start(t), loki: lokitest.New(t, lokitest.Options{})}
	for i := range f.gateways {
		f.gateways[i], f.dirs[i] = collector.NewShipped(t), t.TempDir()
		f.startGateway(t, i, env...)
	}
	gateways := fmt.Sprintf("GATEWAYS=[%s, %s]", f.gateways[0].GRPC, f.gateways[1].GRPC)
	for i := range f.agents {
		f.agents[i] = collector.StartShipped(t, "agent.yaml", t.TempDir(), []string{gateways})
	}
	return f
}

func (f *fleet) startGateway(t *testing.T, i int, env ...string) {
	t.Helper()
	f.gateways[i].StartAgain(t, "gateway.yaml", f.dirs[i], append([]string{
		"TRACES_ENDPOINT=" + f.traces.Addr, "LOKI_ENDPOINT=" + f.loki.URL, fmt.Sprintf("HOSTNAME=gateway-%d", i),
	}, env...), quickGateway)
}

// play sends a service's requests to each of the agents and returns what was sent.
func (f *fleet) play(t *testing.T, requests int) (truths [2]simulate.Truth) {
	t.Helper()
	for i, agent := range f.agents {
		truths[i] = simulate.Run(t, agent.GRPC, "--requests", fmt.Sprint(requests), "--logs", "otlp", "--scatter",
			"--service-name", fmt.Sprintf("service-%d", i), "--run-id", fmt.Sprintf("%s-%d", t.Name(), i))
	}
	return truths
}

// Scenario: two services send spans, each in exports of its own, and request logs to two agents in
// front of two gateways; nothing is sampled away.
// Guarantees: each request is counted once over the tier, in series that never collide; each trace
// is whole; each log record is with its trace; exemplars name traces that exist; everything listens
// on the loopback interface only; all stop with exit code 0.
func TestFleet(t *testing.T) {
	t.Parallel()
	f := startFleet(t, "SAMPLING_PERCENTAGE=100")
	truths := f.play(t, 150)
	spans, logs, requests := 0, 0, 0
	for i := range truths {
		spans, logs, requests = spans+truths[i].Sent.Spans, logs+truths[i].Sent.LogRecords, requests+truths[i].Requests
	}
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, spans, f.traces.SpanCount())
		assert.Equal(ct, logs, f.loki.Stats().Kept)
		assert.EqualValues(ct, requests, f.counted(t, ct))
	})
	for i, gateway := range f.gateways {
		p := page.Get(t, gateway.Page)
		assert.Positive(t, p.Histogram(requestDuration, nil).Count, "gateway %d has a part", i)
		for _, s := range p.Series(requestDuration, nil) {
			assert.Equal(t, fmt.Sprintf("gateway-%d", i), page.LabelsOf(s)["collector_instance_id"])
		}
	}
	known := map[string]bool{}
	for _, td := range f.traces.Traces() {
		eachSpan(td, func(s ptrace.Span) {
			known[s.TraceID().String()] = true
			_, there := s.Attributes().Get("inference.route")
			assert.False(t, there, "what agents route by stays between the tiers")
		})
	}
	exemplars := 0
	for _, gateway := range f.gateways {
		for _, e := range page.Exemplars(t, gateway.Page) {
			assert.True(t, known[e.Labels["trace_id"]], "the exemplar's trace %s exists", e.Labels["trace_id"])
			exemplars++
		}
	}
	assert.Positive(t, exemplars)
	for _, rec := range f.loki.Records(lokitest.Query{}) {
		id, ok := rec.Get("trace_id")
		assert.True(t, ok && known[id], "a record without its trace")
		_, there := rec.Get("inference_route")
		assert.False(t, there)
	}
	for _, c := range append(f.agents[:], f.gateways[:]...) {
		for _, l := range c.Listeners(t) {
			assert.True(t, l.Addr().IsLoopback(), "it listens on %s", l)
		}
		assert.Zero(t, c.Stop(t), "exit code")
	}
}

// counted is the requests on both gateways' pages.
func (f *fleet) counted(t *testing.T, ct *assert.CollectT) (n uint64) {
	for _, gateway := range f.gateways {
		p, err := page.Fetch(t.Context(), gateway.Page)
		if assert.NoError(ct, err) {
			n += p.Histogram(requestDuration, nil).Count
		}
	}
	return n
}

// Scenario: one gateway ends with SIGTERM under load and comes back.
// Guarantees: no span and no log record that an agent has taken is lost.
func TestFleetWithoutAGateway(t *testing.T) {
	t.Parallel()
	f := startFleet(t, "SAMPLING_PERCENTAGE=100")
	before := f.play(t, 40)
	require.Zero(t, f.gateways[1].Stop(t), "exit code")
	while := f.play(t, 40)
	f.startGateway(t, 1, "SAMPLING_PERCENTAGE=100")
	after := f.play(t, 40)
	spans, logs := 0, 0
	for i := range before {
		for _, truth := range []simulate.Truth{before[i], while[i], after[i]} {
			spans, logs = spans+truth.Sent.Spans, logs+truth.Sent.LogRecords
		}
	}
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, spans, f.traces.SpanCount())
		assert.Equal(ct, logs, f.loki.Stats().Kept)
	})
}
