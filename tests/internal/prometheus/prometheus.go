// Package prometheus starts a real Prometheus and asks it.
package prometheus

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

// ScrapeInterval is how often the page is read.
const ScrapeInterval = time.Second

const (
	startTimeout = 30 * time.Second
	getIt        = "make backends, and set PROMETHEUS and PROMTOOL to what .cache/backends.env says; make e2e does both"
)

// Prometheus is a server that runs until the test ends.
type Prometheus struct {
	*process.Process
	url string
}

// Start starts a Prometheus that scrapes the pages, each host:port, and keeps
// exemplars, and waits until it is ready.
func Start(t testing.TB, pages ...string) *Prometheus {
	t.Helper()
	return StartWith(t, t.TempDir(), "", pages...)
}

// StartWith is Start with more of a configuration, such as rule_files, and with the data of a
// folder, which may hold blocks.
func StartWith(t testing.TB, data, more string, pages ...string) *Prometheus {
	t.Helper()
	return start(t, process.Find(t, "PROMETHEUS", "/usr/bin/prometheus", getIt), data, more, pages)
}

// Start3 starts a Prometheus 3, which takes OTLP and native histograms.
func Start3(t testing.TB, pages ...string) *Prometheus {
	t.Helper()
	return start(t, process.Find(t, "PROMETHEUS3", "../../.cache/bin/prometheus", "scripts/backend.sh prometheus"), t.TempDir(), "", pages,
		"--web.enable-otlp-receiver")
}

func start(t testing.TB, program, data, more string, pages []string, flags ...string) *Prometheus {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
global:
  scrape_interval: %[1]s
  scrape_timeout: %[1]s
  evaluation_interval: %[1]s
%[3]s
scrape_configs:
  - job_name: otelcol-inference
    static_configs:
      - targets: [%[2]s]
`, ScrapeInterval, strings.Join(pages, ", "), more), 0o600))
	Promtool(t, nil, "check", "config", config)
	addr := loopback.Addr(t)
	p := &Prometheus{url: "http://" + addr}
	p.Process = process.Start(t, program, append([]string{
		"--config.file", config, "--storage.tsdb.path", data,
		"--web.listen-address", addr, "--enable-feature", "exemplar-storage", "--web.enable-remote-write-receiver", "--log.level", "warn",
	}, flags...)...)
	require.Eventually(t, func() bool { return p.Ended() || p.ready() }, startTimeout, 50*time.Millisecond)
	require.False(t, p.Ended(), "Prometheus ended while it started")
	return p
}

// URL is its address.
func (p *Prometheus) URL() string { return p.url }

// RemoteWrite is where metrics can be pushed.
func (p *Prometheus) RemoteWrite() string { return p.url + "/api/v1/write" }

// OTLP is where a Prometheus 3 takes metrics by OTLP over HTTP.
func (p *Prometheus) OTLP() string { return p.url + "/api/v1/otlp/v1/metrics" }

func (p *Prometheus) ready() bool {
	resp, err := http.Get(p.url + "/-/ready")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Promtool runs promtool, which must find nothing wrong.
func Promtool(t testing.TB, stdin *os.File, args ...string) {
	t.Helper()
	promtool(t, process.Find(t, "PROMTOOL", "/usr/bin/promtool", getIt), stdin, args)
}

// Promtool3 is Promtool of a Prometheus 3.
func Promtool3(t testing.TB, args ...string) {
	t.Helper()
	promtool(t, process.Find(t, "PROMTOOL3", "../../.cache/bin/promtool", "scripts/backend.sh promtool"), nil, args)
}

func promtool(t testing.TB, program string, stdin *os.File, args []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...) //nolint:gosec // the program that the user names
	if stdin != nil {
		cmd.Stdin = stdin
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "promtool %v: %s", args, out)
}
