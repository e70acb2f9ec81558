package spanphaseconnector

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// batchOf returns n five-stage requests as they come off the wire: decoded from
// protobuf, below one resource.
func batchOf(tb testing.TB, n int) ptrace.Traces {
	tb.Helper()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "chat")
	to := rs.ScopeSpans().AppendEmpty().Spans()
	for range n {
		for _, one := range casetest.Trace(1, nil, casetest.Stages("m")...).ResourceSpans().All() {
			one.ScopeSpans().At(0).Spans().MoveAndAppendTo(to)
		}
	}
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(tb, err)
	td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(tb, err)
	return td
}

// renumber gives each request of a batch a trace of its own that was not
// there before.
func renumber(td ptrace.Traces, from uint64) {
	for i, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		var id pcommon.TraceID
		binary.BigEndian.PutUint64(id[:], from+uint64(i)/6+1)
		span.SetTraceID(id)
	}
}

// BenchmarkRequestLog measures a span from the wire to its series and to the
// record of its request, with an id on the request's span.
func BenchmarkRequestLog(b *testing.B) {
	const requests = 100
	cfg := createDefaultConfig().(*Config)
	cfg.Assembly.MaxTraces, cfg.Assembly.MaxTombstones = 1000, 1000
	set := connectortest.NewNopSettings(metadata.Type)
	c, err := NewFactory().CreateTracesToMetrics(b.Context(), set, cfg, consumertest.NewNop())
	require.NoError(b, err)
	logs, err := NewFactory().CreateTracesToLogs(b.Context(), set, cfg, consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, c.Start(b.Context(), componenttest.NewNopHost()))
	require.NoError(b, logs.Start(b.Context(), componenttest.NewNopHost()))
	td := batchOf(b, requests)
	for i, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		if i%6 == 0 {
			span.Attributes().PutStr("x-request-id", "4c1f0c9a-9f70-4d39-9a49-0b1d9d3c1a70")
		}
	}
	b.ReportAllocs()
	from := uint64(0)
	for b.Loop() {
		renumber(td, from)
		from += requests
		require.NoError(b, c.ConsumeTraces(b.Context(), td))
		require.NoError(b, logs.ConsumeTraces(b.Context(), td))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(td.SpanCount()), "ns/span")
	require.NoError(b, logs.Shutdown(b.Context()))
	require.NoError(b, c.Shutdown(b.Context()))
}

// BenchmarkConsume measures a span from the wire to its series: the batch is
// read, put together, closed (by eviction) and observed.
func BenchmarkConsume(b *testing.B) {
	const requests = 100
	cfg := createDefaultConfig().(*Config)
	cfg.Assembly.MaxTraces, cfg.Assembly.MaxTombstones = 1000, 1000
	c, err := NewFactory().CreateTracesToMetrics(b.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, c.Start(b.Context(), componenttest.NewNopHost()))
	td := batchOf(b, requests)
	b.ReportAllocs()
	from := uint64(0)
	for b.Loop() {
		renumber(td, from)
		from += requests
		require.NoError(b, c.ConsumeTraces(b.Context(), td))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(td.SpanCount()), "ns/span")
	require.NoError(b, c.Shutdown(b.Context()))
}
