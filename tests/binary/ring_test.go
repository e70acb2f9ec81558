package binary

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: a gateway is killed (SIGKILL) under load, and started again.
// Guarantees: what it had decided on, and what comes later, is there. Of what was sent meanwhile
// only spans are missing that it held in memory, and no span comes from nowhere.
func TestFleetKilled(t *testing.T) {
	t.Parallel()
	f, traces, _ := startFleet(t)
	spans := func() map[pcommon.SpanID]bool {
		known := map[pcommon.SpanID]bool{}
		traces.EachSpan(func(s ptrace.Span) { known[s.SpanID()] = true })
		return known
	}
	before := f.Play(t, 40)
	eventually(t, func(ct *assert.CollectT) { assert.Len(ct, spans(), before.Spans) })

	meanwhile := f.Play(t, 40)
	f.Gateways[1].Kill(t)
	f.StartGateway(t, 1)
	after := f.Play(t, 40)

	// Quiet is when nothing has come for twice as long as a decision takes here.
	last, since := 0, time.Now()
	eventually(t, func(ct *assert.CollectT) {
		if n := len(spans()); n != last {
			last, since = n, time.Now()
		}
		assert.Greater(ct, time.Since(since), 7*time.Second)
	})
	lost := before.Spans + meanwhile.Spans + after.Spans - last
	t.Logf("of %d spans sent around the kill %d were lost", meanwhile.Spans, lost)
	assert.GreaterOrEqual(t, lost, 0)
	assert.LessOrEqual(t, lost, meanwhile.Spans)
	complete := f.Play(t, 40)
	eventually(t, func(ct *assert.CollectT) { assert.Len(ct, spans(), last+complete.Spans) })
}

// Scenario: a gateway is added while 400 requests are open: their inference came to the one that
// was, and the span of the request comes after the change.
// Guarantees: each is counted, as a request where all of it came to one gateway, else as incomplete;
// about half are, as docs/operations.md says of a second gateway.
func TestSplitRequests(t *testing.T) {
	t.Parallel()
	const requests = 400
	sink, loki := otlpsink.Start(t), lokitest.New(t, lokitest.Options{})
	var gateways [2]*collector.Collector
	for i := range gateways {
		gateways[i] = collector.NewShipped(t)
		gateways[i].StartAgain(t, "gateway.yaml", t.TempDir(),
			[]string{"HOSTNAME=" + fleet.Name(i), "TRACES_ENDPOINT=" + sink.Addr, "LOKI_ENDPOINT=" + loki.URL},
			fleet.Quick, "connectors: {span_phase: {assembly: {idle_timeout: 8s}}}")
	}
	agent, dir := collector.NewShipped(t), t.TempDir()
	export := func(parent bool) {
		send := otlpclient.GRPC(t, agent.GRPC)
		for n := range uint64(requests) {
			require.NoError(t, send(t.Context(), half(n+1, parent)))
		}
		require.Zero(t, agent.Stop(t), "exit code: its queues are empty")
	}
	agent.StartAgain(t, "agent.yaml", dir, []string{"GATEWAYS=[" + gateways[0].GRPC + "]"})
	export(false)
	agent.StartAgain(t, "agent.yaml", dir, []string{"GATEWAYS=[" + gateways[0].GRPC + ", " + gateways[1].GRPC + "]"})
	export(true)
	eventually(t, func(ct *assert.CollectT) {
		whole, incomplete := 0, 0
		for _, g := range gateways {
			p, err := page.Fetch(t.Context(), g.Page)
			self, failed := page.Fetch(t.Context(), g.Own)
			if assert.NoError(ct, err) && assert.NoError(ct, failed) {
				whole += int(p.Histogram(requestDuration, nil).Count)
				incomplete += int(self.Value(own+"incomplete_requests", nil))
			}
		}
		assert.Equal(ct, requests, whole+incomplete)
		assert.InDelta(ct, requests/2, incomplete, requests/8)
	})
}

// half is one of the two spans of a request: the inference, or the request above it.
func half(n uint64, parent bool) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "ranking")
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	var trace pcommon.TraceID
	binary.BigEndian.PutUint64(trace[:8], n*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(trace[8:], n)
	s.SetTraceID(trace)
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(-time.Second)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	if parent {
		s.SetSpanID(pcommon.SpanID{1})
		s.SetName("POST /rank")
		s.SetKind(ptrace.SpanKindServer)
		return td
	}
	s.SetSpanID(pcommon.SpanID{2})
	s.SetParentSpanID(pcommon.SpanID{1})
	s.SetName("inference")
	s.Attributes().PutStr("gen_ai.request.model", "ranker")
	return td
}
