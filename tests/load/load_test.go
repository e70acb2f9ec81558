package load

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
)

const (
	rounds = 3
	// traces of seven spans, in exports of some.
	traces, perExport = 20_000, 100
	spansOf           = 7
)

// withoutUs has span_metrics in place of span_phase, and nothing else of ours.
var withoutUs = map[string]string{
	"gateway.yaml": `
connectors:
  span_metrics:
    metrics_flush_interval: 15s
service:
  pipelines:
    traces/in:
      processors: [memory_limiter, transform/route]
      exporters: [span_metrics, forward]
    traces/sampled:
      processors: [tail_sampling]
    metrics:
      receivers: [span_metrics]
    logs:
      receivers: [otlp]
      processors: [memory_limiter, transform/route]
      exporters: [nop]
exporters:
  nop:
`,
	"agent.yaml": `
service:
  pipelines:
    traces:
      processors: [memory_limiter, transform/route]
    logs:
      processors: [memory_limiter, transform/route]
    metrics:
      receivers: [host_metrics, prometheus]
      processors: [memory_limiter, transform/process]
`,
}

// result is what a run took.
type result struct {
	cpu    float64 // microseconds a span
	memory float64 // MiB at the highest
}

// TestLoad prints the tables of docs/operations.md. It fails where a collector does not take what it
// is sent; how fast it is, is for the reader to judge.
func TestLoad(t *testing.T) {
	if os.Getenv("E2E_FULL") == "" {
		t.Skip("takes minutes; set E2E_FULL=1")
	}
	for _, name := range []string{"gateway.yaml", "agent.yaml"} {
		var ours, theirs []result
		for round := range rounds {
			ours = append(ours, measure(t, name, round))
			theirs = append(theirs, measure(t, name, round, withoutUs[name]))
		}
		a, b := median(ours), median(theirs)
		t.Logf("\n| %s | CPU a span | spans/s per core | memory |\n| --- | --- | --- | --- |\n| as shipped | %.1f µs | %.0f | %.0f MiB |\n| without our components | %.1f µs | %.0f | %.0f MiB |\n| ratio | | %.2f | |",
			name, a.cpu, 1e6/a.cpu, a.memory, b.cpu, 1e6/b.cpu, b.memory, b.cpu/a.cpu)
	}
}

func median(list []result) result {
	slices.SortFunc(list, func(x, y result) int { return int(1e3 * (x.cpu - y.cpu)) })
	return list[len(list)/2]
}

func measure(t *testing.T, name string, round int, overlays ...string) result {
	t.Helper()
	sink := otlpsink.Start(t)
	sink.Forget()
	c := collector.StartShipped(t, name, t.TempDir(), []string{
		"TRACES_ENDPOINT=" + sink.Addr, "GATEWAYS=[" + sink.Addr + "]", "HOSTNAME=load",
	}, overlays...)
	send := otlpclient.GRPC(t, c.GRPC)
	before := cpu(t, c.PID())
	for first := 0; first < traces; first += perExport {
		require.NoError(t, send(t.Context(), export(uint64(round)<<32|uint64(first))))
	}
	require.Zero(t, c.Stop(t), "exit code")
	return result{(c.CPU().Seconds() - before) / (traces * spansOf) * 1e6, c.MaxRSS() / (1 << 20)}
}

// cpu is the time that a process has used so far, in seconds.
func cpu(t *testing.T, pid int) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	ticks := 0.0
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.ParseFloat(field, 64)
		require.NoError(t, err)
		ticks += n
	}
	return ticks / 100
}

// export is one of some requests of a model service: a gateway's span, the request and its stages.
func export(from uint64) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "ranking")
	rs.Resource().Attributes().PutStr("service.instance.id", "8f14e45f-ceea-467f-a9d1-5e0d2b3c0001")
	rs.Resource().Attributes().PutStr("host.name", "gpu-node-01")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	end := time.Now()
	for n := from; n < from+perExport; n++ {
		var trace pcommon.TraceID
		binary.BigEndian.PutUint64(trace[8:], n+1)
		add := func(id, parent byte, name string, kind ptrace.SpanKind, from, to int) {
			s := spans.AppendEmpty()
			s.SetTraceID(trace)
			s.SetSpanID(pcommon.SpanID{trace[12], trace[13], trace[14], trace[15], 0, 0, 1, id})
			if parent != 0 {
				s.SetParentSpanID(pcommon.SpanID{trace[12], trace[13], trace[14], trace[15], 0, 0, 1, parent})
			}
			s.SetName(name)
			s.SetKind(kind)
			s.SetStartTimestamp(pcommon.NewTimestampFromTime(end.Add(time.Duration(from-1000) * time.Millisecond)))
			s.SetEndTimestamp(pcommon.NewTimestampFromTime(end.Add(time.Duration(to-1000) * time.Millisecond)))
			a := s.Attributes()
			a.PutStr("gen_ai.provider.name", "triton")
			a.PutStr("gen_ai.request.model", "ranker")
			a.PutStr("request.id", fmt.Sprintf("req-%08d", n))
			a.PutInt("gpu.index", int64(n%8))
			a.PutInt("batch.size", int64(1+n%32))
			a.PutStr("tenant.id", "acme")
			a.PutStr("server.address", "triton.prod.svc.cluster.local")
		}
		add(1, 0, "POST /v1/rank", ptrace.SpanKindServer, 0, 1000)
		add(2, 1, "request", ptrace.SpanKindServer, 10, 980)
		add(3, 2, "receive", ptrace.SpanKindInternal, 10, 20)
		add(4, 2, "preprocess", ptrace.SpanKindInternal, 20, 70)
		add(5, 2, "queue", ptrace.SpanKindInternal, 70, 270)
		add(6, 2, "inference", ptrace.SpanKindInternal, 270, 920)
		add(7, 2, "postprocess", ptrace.SpanKindInternal, 920, 950)
	}
	return td
}
