package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// inferctl runs a command line and returns what it printed on each stream.
func inferctl(args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	err = root.Execute()
	return out.String(), errs.String(), err
}

// sink takes every export.
func sink(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestSimulatePrintsTheTruth(t *testing.T) {
	endpoint := sink(t)
	file := filepath.Join(t.TempDir(), "truth.json")
	out, _, err := inferctl("simulate", "--endpoint", endpoint, "--protocol", "http", "--speed", "0", "--requests", "50", "--truth", file)
	require.NoError(t, err)
	assert.Contains(t, out, "qwen2.5-7b@v1")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var account truth.Truth
	require.NoError(t, json.Unmarshal(raw, &account))
	assert.Equal(t, 50, account.Requests)
	assert.Equal(t, "demo", account.Environment)

	out, table, err := inferctl("simulate", "--endpoint", endpoint, "--protocol", "http", "--speed", "0", "--requests", "50", "--truth", "-")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(out), &account), "only JSON on standard output")
	assert.Contains(t, table, "sent: 50 requests")
}

func TestSimulateNamesEveryMistake(t *testing.T) {
	_, _, err := inferctl("simulate", "--rate", "0", "--gpus", "0", "--protocol", "udp", "--logs-format", "xml")
	for _, flag := range []string{"--rate", "--gpus", "--protocol", "--logs-format"} {
		require.ErrorContains(t, err, flag)
	}
	_, _, err = inferctl("simulate", "--models", "=")
	require.ErrorContains(t, err, "--models")
	_, _, err = inferctl("simulate", "--fault", "gremlins")
	require.ErrorContains(t, err, "--fault")
}

func TestDefaultsDependOnOtherFlags(t *testing.T) {
	options := func(args ...string) (endpoint string, insecure bool) {
		f, flags := newSimulateFlags(), pflag.NewFlagSet("simulate", pflag.ContinueOnError)
		f.register(flags)
		require.NoError(t, flags.Parse(args))
		o, err := f.options(flags)
		require.NoError(t, err)
		assert.NotEmpty(t, o.RunID)
		return o.Target.Endpoint, o.Target.Insecure
	}
	endpoint, insecure := options()
	assert.Equal(t, "127.0.0.1:4317", endpoint)
	assert.True(t, insecure)
	endpoint, _ = options("--protocol", "http")
	assert.Equal(t, "127.0.0.1:4318", endpoint)
	_, insecure = options("--endpoint", "collector.example:4317")
	assert.False(t, insecure)
	_, insecure = options("--endpoint", "collector.example:4317", "--insecure")
	assert.True(t, insecure)
}

const metricsPage = `# TYPE inference_phase_duration_seconds histogram
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",le="1"} 2
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",le="+Inf"} 2
inference_phase_duration_seconds_sum{inference_model_name="m",inference_phase="queue",inference_role="server"} 1
inference_phase_duration_seconds_count{inference_model_name="m",inference_phase="queue",inference_role="server"} 2
`

func TestPhases(t *testing.T) {
	page := metricsPage
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page)) }))
	defer server.Close()
	out, _, err := inferctl("phases", "--url", server.URL)
	require.NoError(t, err)
	assert.Regexp(t, `m +queue +server +2 +500\.00ms`, out)

	out, _, err = inferctl("phases", "--url", server.URL, "--format", "json")
	require.NoError(t, err)
	assert.True(t, json.Valid([]byte(out)))

	_, _, err = inferctl("phases", "--url", server.URL, "--format", "xml")
	require.ErrorContains(t, err, "--format")

	page = "up 1\n"
	_, _, err = inferctl("phases", "--url", server.URL)
	require.ErrorContains(t, err, "tells of no request yet")
	server.Close()
	_, _, err = inferctl("phases", "--url", server.URL)
	require.ErrorContains(t, err, "is the collector running?")
}

func TestGPUs(t *testing.T) {
	page := "# TYPE hw_status gauge\nhw_status{hw_id=\"GPU-a\",hw_name=\"NVIDIA H200\",hw_state=\"ok\"} 1\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page)) }))
	defer server.Close()
	out, _, err := inferctl("gpus", "--url", server.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "NVIDIA H200  ok")

	out, _, err = inferctl("gpus", "--url", server.URL, "--format", "json")
	require.NoError(t, err)
	assert.True(t, json.Valid([]byte(out)))

	_, _, err = inferctl("gpus", "--url", server.URL, "--format", "xml")
	require.ErrorContains(t, err, "--format")

	page = "up 1\n"
	out, stderr, err := inferctl("gpus", "--url", server.URL)
	require.NoError(t, err, "a machine without a GPU is fine")
	assert.Empty(t, out)
	assert.Contains(t, stderr, "no GPU")
}
