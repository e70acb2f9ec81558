package e2elogs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

// Scenario: two services, two agents on machines with GPUs, two gateways that keep only traces of
// failed and slow requests, a Prometheus that scrapes all four, a VictoriaLogs.
// Guarantees: each request is counted once over the tier, and by two gateways; GPUs of both machines
// are there; each log record is in the store, with its trace; the traces that the sampler must
// keep, those with an error, are whole in the store of traces, and exemplars of failed requests
// name one that is there.
func TestFleet(t *testing.T) {
	t.Parallel()
	world := nvmltest.New(t, nvmltest.DGX(2, nvmltest.H200()).State(0, 0))
	traces, logs := otlpsink.Start(t), victorialogs.Start(t)
	f := fleet.StartOn(t, world.Env(), []string{
		"TRACES_ENDPOINT=" + traces.Addr, "LOKI_ENDPOINT=" + logs.Endpoint(), "SAMPLING_PERCENTAGE=0",
	}, "exporters: {loki: {sending_queue: {batch: {flush_timeout: 200ms}}}}")
	metrics := prometheus.Start(t, f.Gateways[0].Page, f.Gateways[1].Page, f.Agents[0].Page, f.Agents[1].Page)
	total := func(ct *assert.CollectT, query string) float64 {
		list, err := metrics.TryQuery(t.Context(), query, "")
		require.NoError(ct, err)
		if len(list) != 1 {
			return 0
		}
		return list[0].Value.Value
	}
	require.EventuallyWithT(t, func(ct *assert.CollectT) { assert.InDelta(ct, 4, total(ct, "sum(up)"), 0) }, patience, glance)
	sent := f.Play(t, 150, "--error-rate", "0.2")
	const count = "inference_request_duration_seconds_count"
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		assert.InDelta(ct, sent.Requests, total(ct, "sum("+count+")"), 0)
		assert.InDelta(ct, 2, total(ct, "count(count by (collector_instance_id) ("+count+"))"), 0)
		// The same cards on both machines: two pages.
		assert.InDelta(ct, 4, total(ct, "count(hw_power_watts)"), 0)
		assert.Positive(ct, total(ct, `sum(system_memory_usage_bytes)`))
		rows, err := logs.TryQuery(t.Context(), victorialogs.Default, "* | fields trace_id, request_id, inference_route")
		assert.NoError(ct, err)
		assert.Len(ct, rows, sent.LogRecords+sent.Requests) // these of the request log
		for _, row := range rows {
			assert.NotEmpty(ct, row["trace_id"])
			assert.Empty(ct, row["inference_route"])
		}
	}, patience, glance)

	failed := func() (ids map[string]bool) {
		ids = map[string]bool{}
		traces.EachSpan(func(s ptrace.Span) {
			if s.Status().Code() == ptrace.StatusCodeError {
				ids[s.TraceID().String()] = true
			}
		})
		return ids
	}
	exemplars := 0
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		kept := failed()
		exemplars = 0
		for _, gateway := range f.Gateways {
			for _, e := range page.Exemplars(t, gateway.Page) {
				if e.Series["inference_outcome"] == "error" && e.Metric == "inference_request_duration_seconds_bucket" {
					assert.Contains(ct, kept, e.Labels["trace_id"])
					exemplars++
				}
			}
		}
	}, patience, glance)
	assert.Positive(t, exemplars)
	for _, c := range f.All() {
		assert.Zero(t, c.Stop(t), "exit code")
	}
}

// Scenario: gateways push their metrics by remote write, and end with SIGTERM right after the load.
// Guarantees: what they counted is complete, of requests whose spans had just come as well, and the
// two gateways' series are apart.
func TestRemoteWrite(t *testing.T) {
	t.Parallel()
	traces, metrics := otlpsink.Start(t), prometheus.Start(t)
	f := fleet.Start(t, []string{
		"TRACES_ENDPOINT=" + traces.Addr, "REMOTE_WRITE_ENDPOINT=" + metrics.RemoteWrite(), "SAMPLING_PERCENTAGE=100",
	}, fleet.Overlay(t, "overlays/remote-write.yaml"))
	sent := f.Play(t, 100)
	// Agents first: they give what they have to the gateways.
	for _, c := range f.All() {
		require.Zero(t, c.Stop(t), "exit code")
	}
	const count = "inference_request_duration_seconds_count"
	require.EventuallyWithT(t, func(ct *assert.CollectT) {
		list, err := metrics.TryQuery(t.Context(), "sum by (collector_instance_id) ("+count+")", "")
		require.NoError(ct, err)
		total := 0.0
		for _, s := range list {
			total += s.Value.Value
		}
		assert.Len(ct, list, 2)
		assert.InDelta(ct, sent.Requests, total, 0)
	}, patience, glance)
}
