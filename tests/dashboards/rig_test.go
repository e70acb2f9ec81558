package dashboards

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

// A site in small: a collector with two kinds of GPUs, three engines, a service and its logs, and a
// Prometheus.
const site = `
connectors:
  span_phase:
    instance_id: gateway-0
    flush_interval: 1s
    first_point_hold: 3s
    assembly:
      linger: 1s
receivers:
  nvml:
    library_path: %s
    collection_interval: 1s
  host_metrics:
    collection_interval: 1s
  prometheus:
    config:
      scrape_configs:
        - job_name: engines
          scrape_interval: 1s
          metrics_path: /vllm_0_11.prom
          static_configs: [{targets: ["%[2]s"]}]
        - job_name: sglang
          scrape_interval: 1s
          metrics_path: /sglang.prom
          fallback_scrape_protocol: PrometheusText0.0.4
          static_configs: [{targets: ["%[2]s"]}]
        - job_name: triton
          scrape_interval: 1s
          metrics_path: /triton.prom
          fallback_scrape_protocol: PrometheusText0.0.4
          static_configs: [{targets: ["%[2]s"]}]
        - job_name: tgi
          scrape_interval: 1s
          metrics_path: /tgi.prom
          fallback_scrape_protocol: PrometheusText0.0.4
          static_configs: [{targets: ["%[2]s"]}]
`

// play runs the site for a time, with a fault in the middle of it, and returns its Prometheus.
func play(t *testing.T, howLong time.Duration) *prometheus.Prometheus {
	t.Helper()
	start := time.Now()
	engines := httptest.NewServer(engines(start))
	t.Cleanup(engines.Close)
	world := nvmltest.New(t, machine(0))
	c := collector.StartIn(t, append(world.Env(), "ENGINE_PROCESSES=^otelcol-inferen", "LOKI_ENDPOINT="+lokitest.New(t, lokitest.Options{}).URL),
		fmt.Sprintf(site, nvmltest.Library(t), engines.Listener.Addr()))
	p := prometheus.Start(t, c.Page, c.Own)

	inferctl := process.Find(t, "INFERCTL", "../../bin/inferctl", "make build")
	simulate := func(lasts time.Duration, more ...string) {
		process.Start(t, inferctl, append([]string{
			"simulate", "--endpoint", c.GRPC, "--duration", lasts.String(), "--gpus", "2", "--logs", "otlp",
		}, more...)...)
	}
	simulate(howLong, "--models", "qwen2.5-7b@v1=3,qwen2.5-7b@v2=1,llama-3-8b@v2=1", "--rate", "6")
	simulate(howLong, "--style", "vllm", "--service-name", "chat", "--models", "llama-3-8b@v3=1", "--rate", "2")
	send := otlpclient.GRPC(t, c.GRPC)
	layered, retried := casetest.LoadFixture(t, "../fixtures/otlp", "production_stack_vllm"), casetest.Load(t, "../cases/114-three-attempts-seen-by-engine")
	fault := false
	for tick := time.NewTicker(time.Second); time.Since(start) < howLong; <-tick.C {
		world.Set(machine(time.Since(start)))
		require.NoError(t, send(t.Context(), again(layered)))
		require.NoError(t, send(t.Context(), again(retried.Steps[0].Traces)))
		if !fault && time.Since(start) > howLong/2 {
			fault = true
			simulate(howLong/5, "--models", "qwen2.5-7b@v1=3", "--rate", "3", "--fault", "slow-preprocess", "--fault", "overload")
		}
	}
	return p
}

// again is the one trace of a fixture under another id.
func again(td ptrace.Traces) ptrace.Traces {
	made := ptrace.NewTraces()
	td.CopyTo(made)
	var id pcommon.TraceID
	binary.BigEndian.PutUint64(id[:], rand.Uint64())
	for _, rs := range made.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				s.SetTraceID(id)
			}
		}
	}
	return made
}

// machine has two H200 at work and an L40S that idles, its memory held.
func machine(elapsed time.Duration) []byte {
	big, small := nvmltest.H200(), nvmltest.L40S()
	wave := func(mean, swing, phase float64) float64 {
		return mean + swing*math.Sin(elapsed.Seconds()/15+phase)
	}
	scenario := nvmltest.Machine(numbered(big, 0), numbered(big, 1), numbered(small, 2))
	for i := range scenario.NVML.Devices {
		d := &scenario.NVML.Devices[i]
		at := float64(i)
		d.GPM = map[uint32]float64{1: 99, 2: wave(70, 20, at), 3: wave(40, 10, at), 5: wave(35, 25, at), 10: wave(60, 15, at+2)}
		d.Set("GetUtilizationRates", nvmltest.OK("gpu", int(wave(90, 8, at)), "memory", int(wave(60, 10, at))))
		if i == 2 {
			d.GPM = nil
			d.Set("GetUtilizationRates", nvmltest.OK("gpu", 0, "memory", 0))
		}
		for f := range d.Fields {
			if d.Fields[f].ID == 74 { // held by the power limit, ns
				d.Fields[f].Value = 204_600_000_000 + int(float64(elapsed)*0.1*at)
			}
		}
	}
	if elapsed > 5*time.Second {
		scenario.Events = []nvmltest.Event{{AtS: 5, Device: 1, Xid: 94}}
	}
	return scenario.State(elapsed, 0)
}

func numbered(d nvmltest.Device, i int) nvmltest.Device {
	d = d.Clone()
	d.UUID = fmt.Sprintf("GPU-%08x-0000-4000-8000-%08x%04x", 0x5f3a91c2+i*7919, 0xa81b77e0+i*104729, i)
	d.PCI = fmt.Sprintf("00000000:%02X:00.0", 0x1B+i)
	return d
}

var sample = regexp.MustCompile(`^(\S+?)(\{.*\})? (\S+)$`)

// engines shows the recorded pages of engines as those of ones that work: what counts grows, the
// rest swings.
func engines(start time.Time) http.Handler {
	counts := regexp.MustCompile(`(_total|_bucket|_sum|_count|_us)$`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := os.ReadFile("../binary/testdata/engines" + r.URL.Path)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		elapsed := time.Since(start).Seconds()
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		for line := range strings.Lines(string(page)) {
			if m := sample.FindStringSubmatch(strings.TrimSpace(line)); m != nil && line[0] != '#' {
				value, _ := strconv.ParseFloat(m[3], 64)
				if counts.MatchString(m[1]) {
					value *= 1 + elapsed/60
				} else {
					value *= 1 + 0.5*math.Sin(elapsed/20)
				}
				line = fmt.Sprintf("%s%s %v\n", m[1], m[2], value)
			}
			fmt.Fprint(w, line)
		}
	})
}
