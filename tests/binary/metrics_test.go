package binary

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

// listed is a metric as `inferctl metrics` lists it.
type listed struct {
	Name, Type, Source, Family string
	Labels                     []string
	Optional                   bool
}

func catalog(t *testing.T) map[string]listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(),
		process.Find(t, "INFERCTL", "../../bin/inferctl", "make build"), "metrics", "--format", "json").Output()
	require.NoError(t, err)
	var list []listed
	require.NoError(t, json.Unmarshal(out, &list))
	byFamily := map[string]listed{}
	for _, m := range list {
		byFamily[m.Family] = m
	}
	return byFamily
}

// What this machine or this traffic cannot show, and why.
var notShown = map[string]string{
	"system_filesystem_inodes_usage":             "no such file system",
	"system_filesystem_usage_bytes":              "no such file system",
	"system_paging_usage_bytes":                  "no swap",
	"system_paging_utilization_ratio":            "no swap",
	"nvidia_gpu_mig_info":                        "MIG is off",
	"nvidia_gpu_xid_errors_total":                "no Xid",
	"inference_stream_buffered_total":            "no stream is held back",
	"system_disk_io_bytes_total":                 "no disk in a container",
	"system_disk_io_time_seconds_total":          "no disk in a container",
	"system_disk_merged_total":                   "no disk in a container",
	"system_disk_operations_total":               "no disk in a container",
	"system_disk_operation_time_seconds_total":   "no disk in a container",
	"system_disk_pending_operations":             "no disk in a container",
	"system_disk_weighted_io_time_seconds_total": "no disk in a container",
}

// Scenario: traces of every case, pages of every engine, two H200, and a host.
// Guarantees: `inferctl metrics` lists what is on the two pages, by its name, type and labels, and
// nothing else that the shipped configuration should emit. Dashboards and rules rely on it.
func TestMetricsCatalog(t *testing.T) {
	t.Parallel()
	listed := catalog(t)
	engines := httptest.NewServer(http.FileServer(http.Dir(enginePages)))
	t.Cleanup(engines.Close)
	c := startForCatalog(t, engines.Listener.Addr().String())
	sendCases(t, c)

	shown := map[string]*dto.MetricFamily{}
	eventually(t, func(ct *assert.CollectT) {
		for _, addr := range []string{c.Page, c.Own} {
			p, err := page.Fetch(t.Context(), addr)
			require.NoError(ct, err)
			maps.Copy(shown, p)
		}
		assert.Empty(ct, missing(listed, shown), "listed, and on no page")
	})

	for name, family := range shown {
		m, known := listed[name]
		if !known {
			assert.False(t, ofOurs(name), "%s is on a page and not listed", name)
			continue
		}
		assert.Equal(t, strings.ToUpper(m.Type), family.GetType().String(), name)
		assert.False(t, m.Optional && ofOurs(name), "%s is on a page, and optional", name)
		if m.Source == "engine_metrics" {
			continue // series keep what else their engine says, as Istio its workloads
		}
		for _, series := range family.GetMetric() {
			for label := range page.LabelsOf(series) {
				assert.True(t, slices.Contains(m.Labels, label), "%s has the label %s, which is not listed", name, label)
			}
		}
	}
}

// missing are the metrics that should be there, and are not. What the collector counts about itself
// is there from the first time that it happens.
func missing(listed map[string]listed, shown map[string]*dto.MetricFamily) (names []string) {
	for name, m := range listed {
		if !m.Optional && notShown[name] == "" && shown[name] == nil &&
			slices.Contains([]string{"span_phase", "engine_metrics", "nvml", "host_metrics"}, m.Source) {
			names = append(names, name)
		}
	}
	return names
}

// ofOurs tells our names from those of the engines' own pages, which pass through, and of libraries.
func ofOurs(name string) bool {
	return slices.ContainsFunc([]string{"inference_", "hw_", "nvidia_", "system_", "process_cpu_time", "otelcol_"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// startForCatalog starts standalone.yaml with all its receivers at work.
func startForCatalog(t *testing.T, engines string) *collector.Collector {
	t.Helper()
	files, err := filepath.Glob(enginePages + "/*.prom")
	require.NoError(t, err)
	var jobs strings.Builder
	for _, file := range files {
		fmt.Fprintf(&jobs, `
        - job_name: %s
          scrape_interval: 1s
          metrics_path: /%s
          fallback_scrape_protocol: PrometheusText0.0.4
          static_configs: [{targets: ["%s"]}]`, jobOf(file), filepath.Base(file), engines)
	}
	world := nvmltest.New(t, nvmltest.DGX(2, nvmltest.H200()).State(0, 0))
	return collector.StartIn(t, append(world.Env(), "ENGINE_PROCESSES=^otelcol-inferen"), collector.ShortWaits, fmt.Sprintf(`
receivers:
  nvml:
    library_path: %s
    collection_interval: 500ms
    timeout: 400ms
  host_metrics:
    collection_interval: 500ms
  prometheus:
    config:
      scrape_configs:%s
`, nvmltest.Library(t), jobs.String()))
}

// sendCases sends the traces of every case and fixture.
func sendCases(t *testing.T, c *collector.Collector) {
	t.Helper()
	send := otlpclient.GRPC(t, c.GRPC)
	for name := range casetest.Fixtures {
		require.NoError(t, send(t.Context(), inNewTraces(casetest.LoadFixture(t, fixturesDir, name))))
	}
	casetest.Each(t, casesDir, func(t *testing.T, c casetest.Case) {
		t.Helper()
		for _, step := range c.Steps {
			require.NoError(t, send(t.Context(), step.Traces))
		}
	})
}
