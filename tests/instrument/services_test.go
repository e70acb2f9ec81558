package instrument

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

const (
	patience = time.Minute
	glance   = 100 * time.Millisecond
)

// env starts a program with variables, and is replaced by it.
const env = "/usr/bin/env"

// Scenario: an example is started as its page says, answers two requests, fails at a third, and is stopped.
// Guarantees: all that the page promises is on the collector's page, under the right outcome.
func TestExamplesRun(t *testing.T) {
	t.Parallel()
	for language, build := range map[string]func(t *testing.T) []string{
		"go": buildGo, "typescript": buildTypeScript,
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			command := build(t)
			c := collector.Start(t, collector.ShortWaits)
			addr := loopback.Addr(t)
			service := process.Start(t, env, append([]string{
				"PORT=" + addr[strings.LastIndex(addr, ":")+1:],
				"OTEL_SERVICE_NAME=example",
				"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + c.HTTP,
			}, command...)...)
			await(t, service, addr)
			assert.Equal(t, http.StatusOK, generate(t, addr, "to be or not to be"))
			assert.Equal(t, http.StatusOK, generate(t, addr, "that is the question"))
			assert.Equal(t, http.StatusInternalServerError, generate(t, addr, "fail"))
			assert.Zero(t, service.Stop(t), "it ends by itself, and sends its last spans")
			checkService(t, c.Page)
		})
	}
}

func buildGo(t *testing.T) []string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "example")
	run(t, "go", "-C", examples+"go", "build", "-buildvcs=false", "-o", binary, ".")
	return []string{binary}
}

func buildTypeScript(t *testing.T) []string {
	t.Helper()
	dir, err := filepath.Abs(examples + "typescript")
	require.NoError(t, err)
	require.DirExists(t, filepath.Join(dir, "node_modules"), "make backends gets it; make e2e does both")
	run(t, "npm", "--prefix", dir, "run", "build")
	return []string{"node", filepath.Join(dir, "dist", "server.js")}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
}

// await waits until the service answers anything at all.
func await(t *testing.T, service *process.Process, addr string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		resp, err := http.Get("http://" + addr + "/")
		if service.Ended() {
			return
		}
		if assert.NoError(c, err) {
			_ = resp.Body.Close()
		}
	}, patience, glance)
	require.False(t, service.Ended(), "the service ended while it started")
}

// generate asks the service as its page does, and returns the status.
func generate(t *testing.T, addr, prompt string) int {
	t.Helper()
	resp, err := http.Post("http://"+addr+"/generate", "application/json", strings.NewReader(`{"prompt": "`+prompt+`"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if resp.StatusCode == http.StatusOK {
		assert.Contains(t, string(answer), strings.ToUpper(prompt))
	}
	return resp.StatusCode
}

func checkService(t *testing.T, addr string) {
	t.Helper()
	var p page.Page
	count := func(metric string, where page.Labels) int {
		where["service_name"], where["inference_model_name"] = "example", "demo-model"
		return int(p.Histogram(metric, where).Count)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var err error
		p, err = page.Fetch(t.Context(), addr)
		require.NoError(c, err)
		assert.Equal(c, 3, count("inference_request_duration_seconds", page.Labels{}))
	}, patience, glance)
	for outcome, want := range map[string]int{"ok": 2, "error": 1} {
		where := func() page.Labels { return page.Labels{"inference_outcome": outcome} }
		assert.Equal(t, want, count("inference_request_duration_seconds", where()), outcome)
		assert.Equal(t, want, count("inference_call_duration_seconds", where()), outcome)
	}
	for phase, want := range map[string]int{"receive": 3, "preprocess": 3, "queue": 3, "inference": 3, "postprocess": 2} {
		assert.Equal(t, want, count("inference_phase_duration_seconds", page.Labels{"inference_phase": phase}), phase)
	}
	for _, metric := range []string{
		"inference_request_time_to_first_token_seconds", "inference_call_time_to_first_token_seconds",
		"inference_call_time_per_output_token_seconds",
	} {
		assert.Equal(t, 2, count(metric, page.Labels{}), metric)
		assert.Equal(t, 2, count(metric, page.Labels{"inference_outcome": "ok"}), metric)
	}
	for kind, want := range map[string]float64{"input": 6 + 4 + 1, "output": 6 + 4} {
		assert.InDelta(t, want, p.Histogram("inference_token_usage", page.Labels{"gen_ai_token_type": kind}).Sum, 0, kind)
	}
	assert.InDelta(t, 2, p.Value("inference_request_finished_total", page.Labels{"inference_finish_reason": "stop"}), 0)
	for _, m := range p.Series("inference_request_duration_seconds", page.Labels{"inference_outcome": "error"}) {
		assert.NotEmpty(t, page.LabelsOf(m)["error_type"])
	}
}
