package binary

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

var update = flag.Bool("update", false, "write the .want files of testdata/engines; read them before they are committed")

const enginePages = "testdata/engines"

// Scenario: pages of engines of several versions, scraped by the prometheus receiver.
// Guarantees: the page has exactly the vocabulary that stands beside each of them.
func TestEnginePages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.FileServer(http.Dir(enginePages)))
	t.Cleanup(server.Close)
	files, err := filepath.Glob(enginePages + "/*.prom")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	addr := loopback.Addr(t)
	var jobs strings.Builder
	for _, file := range files {
		fmt.Fprintf(&jobs, `
        - job_name: %s
          scrape_interval: 1s
          metrics_path: /%s
          fallback_scrape_protocol: PrometheusText0.0.4
          static_configs: [{targets: ["%s"]}]`, jobOf(file), filepath.Base(file), server.Listener.Addr())
	}
	collector.Start(t, `
receivers:
  prometheus:
    config:
      scrape_configs:`+jobs.String()+`
processors:
  engine_metrics:
exporters:
  prometheus/engines:
    endpoint: `+addr+`
    without_scope_info: true
service:
  pipelines:
    metrics/engines:
      receivers: [prometheus]
      processors: [engine_metrics]
      exporters: [prometheus/engines]
`)
	for _, file := range files {
		t.Run(jobOf(file), func(t *testing.T) {
			want := strings.TrimSuffix(file, ".prom") + ".want"
			if *update {
				require.NoError(t, os.WriteFile(want, []byte(awaitJob(t, addr, jobOf(file), "")), 0o600))
				return
			}
			expected, err := os.ReadFile(want)
			require.NoError(t, err)
			assert.Equal(t, string(expected), awaitJob(t, addr, jobOf(file), string(expected)))
		})
	}
}

func jobOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".prom") }

// awaitJob waits until the vocabulary of a job is on a page, as wanted, and returns it: a line for
// each series, without the labels of the scrape.
func awaitJob(t *testing.T, addr, job, want string) (got string) {
	t.Helper()
	eventually(t, func(ct *assert.CollectT) {
		text, err := page.Text(t.Context(), addr)
		require.NoError(ct, err)
		if !assert.Contains(ct, text, `up{instance="`) || !assert.Contains(ct, text, `job="`+job+`"`) {
			return
		}
		got = vocabulary(text, job)
		if want != "" {
			assert.Equal(ct, want, got)
		}
	})
	return got
}

var ofScrape = regexp.MustCompile(`(instance|job)="[^"]*",?`)

func vocabulary(text, job string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, `job="`+job+`"`) {
			continue
		}
		for _, prefix := range []string{"inference_server_", "hw_", "nvidia_"} {
			if strings.HasPrefix(line, prefix) {
				lines = append(lines, strings.ReplaceAll(ofScrape.ReplaceAllString(line, ""), ",}", "}"))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
