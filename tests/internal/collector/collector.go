// Package collector starts the real collector as its users do.
package collector

import (
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

// Both are seen from the folder of a test package.
const (
	shippedDir     = "../../distribution/config"
	standaloneFile = shippedDir + "/standalone.yaml"
)

// startTimeout is how long the collector may take until it is healthy.
const startTimeout = 30 * time.Second

// Addrs are the addresses, host:port, of everything that standalone.yaml opens.
type Addrs struct {
	GRPC, HTTP string // OTLP
	Page       string // the metrics of the services
	Own        string // the collector's own metrics
	Health     string
	ZPages     string
}

// All returns every address.
func (a *Addrs) All() []string { return []string{a.GRPC, a.HTTP, a.Page, a.Own, a.Health, a.ZPages} }

// Collector is a collector that runs.
type Collector struct {
	*process.Process
	Addrs
}

// Binary returns the collector's path.
func Binary(t testing.TB) string {
	t.Helper()
	return process.Find(t, "OTELCOL_INFERENCE", "../../bin/otelcol-inference", "make build")
}

// Start starts the collector with the shipped standalone.yaml on ports that are
// free, and the given configurations laid over it, and waits until it is healthy.
func Start(t testing.TB, overlays ...string) *Collector {
	t.Helper()
	return StartIn(t, nil, overlays...)
}

// StartIn is Start with more environment variables, as NAME=value.
func StartIn(t testing.TB, env []string, overlays ...string) *Collector {
	t.Helper()
	c := &Collector{Addrs: Addrs{
		GRPC: loopback.Addr(t), HTTP: loopback.Addr(t), Page: loopback.Addr(t),
		Own: loopback.Addr(t), Health: loopback.Addr(t), ZPages: loopback.Addr(t),
	}}
	args := []string{"--config", WriteConfig(t, c.standalone(t))}
	for _, overlay := range overlays {
		args = append(args, "--config", WriteConfig(t, overlay))
	}
	c.Process = process.StartIn(t, env, Binary(t), args...)
	c.awaitHealth(t)
	return c
}

// StartShipped starts the collector with a shipped configuration that has its addresses from the
// environment, such as agent.yaml, on ports that are free. It keeps its queues in dir.
func StartShipped(t testing.TB, name, dir string, env []string, overlays ...string) *Collector {
	t.Helper()
	c := NewShipped(t)
	c.StartAgain(t, name, dir, env, overlays...)
	return c
}

// NewShipped is a collector with addresses that does not run yet.
func NewShipped(t testing.TB) *Collector {
	t.Helper()
	return &Collector{Addrs: Addrs{
		GRPC: loopback.Addr(t), HTTP: loopback.Addr(t), Page: loopback.Addr(t),
		Own: loopback.Addr(t), Health: loopback.Addr(t), ZPages: loopback.Addr(t),
	}}
}

// StartAgain starts it, as StartShipped, on the addresses that it had before.
func (c *Collector) StartAgain(t testing.TB, name, dir string, env []string, overlays ...string) {
	t.Helper()
	args := []string{"--config", filepath.Join(shippedDir, name)}
	for _, overlay := range overlays {
		args = append(args, "--config", WriteConfig(t, overlay))
	}
	c.Process = process.StartIn(t, append([]string{
		"OTLP_GRPC_ENDPOINT=" + c.GRPC, "OTLP_HTTP_ENDPOINT=" + c.HTTP, "METRICS_ENDPOINT=" + c.Page,
		"HEALTH_ENDPOINT=" + c.Health, "ZPAGES_ENDPOINT=" + c.ZPages, "TELEMETRY_PORT=" + port(c.Own),
		"STORAGE_DIRECTORY=" + dir,
	}, env...), Binary(t), args...)
	c.awaitHealth(t)
}

// standalone returns the shipped configuration with other ports. They are
// changed in its text: an overlay would have to repeat the whole reader of the
// collector's own metrics, and what is shipped would go untested.
func (c *Collector) standalone(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(standaloneFile)
	require.NoError(t, err)
	config := withoutComments(string(data))
	for from, to := range map[string]string{
		"127.0.0.1:4317": c.GRPC, "127.0.0.1:4318": c.HTTP, "127.0.0.1:9464": c.Page,
		"127.0.0.1:13133": c.Health, "127.0.0.1:55679": c.ZPages,
		"port: 8888": "port: " + port(c.Own),
	} {
		require.Equal(t, 1, strings.Count(config, from+"\n"), "%s in %s", from, standaloneFile)
		config = strings.Replace(config, from+"\n", to+"\n", 1)
	}
	return config
}

func withoutComments(config string) string {
	var kept []string
	for line := range strings.Lines(config) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "")) + "\n"
}

func port(addr string) string { return addr[strings.LastIndex(addr, ":")+1:] }

// RequireValid requires that validate accepts configurations laid over each other, with more
// environment variables, as NAME=value.
func RequireValid(t testing.TB, env []string, files ...string) {
	t.Helper()
	args := []string{"validate"}
	for _, file := range files {
		args = append(args, "--config", file)
	}
	cmd := exec.CommandContext(t.Context(), Binary(t), args...) //nolint:gosec // what the test wants to see
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", files, out)
}

// WriteConfig writes a configuration to a file and returns its name.
func WriteConfig(t testing.TB, config string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	return file
}

func (c *Collector) awaitHealth(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return c.Ended() || Answers("http://"+c.Health+"/") },
		startTimeout, 50*time.Millisecond, "the collector is not healthy")
	require.False(t, c.Ended(), "the collector ended while it started")
}

var client = &http.Client{Timeout: 5 * time.Second}

// Answers reports whether a GET of the URL is answered with 200.
func Answers(url string) bool {
	resp, err := client.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
