package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shippedDashboards = "../../distribution/grafana/dashboards"

// Guarantees: what is shipped is what the command writes, byte for byte; with --check it writes nothing.
func TestDashboards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	out, _, err := inferctl("dashboards", "--check", "--output", dir)
	require.NoError(t, err)
	assert.Contains(t, out, "nothing is wrong")
	assert.NoDirExists(t, dir)

	_, _, err = inferctl("dashboards", "--output", dir)
	require.NoError(t, err)
	files, err := filepath.Glob(shippedDashboards + "/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	made, err := filepath.Glob(dir + "/*.json")
	require.NoError(t, err)
	assert.Len(t, made, len(files))
	for _, file := range files {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is stale: make generate", file)
	}
}

// Guarantees: metrics are listed in both formats; another one is refused.
func TestMetrics(t *testing.T) {
	out, _, err := inferctl("metrics")
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^inference_request_duration_seconds +histogram +inference\.request\.duration +s +span_phase +.*inference_outcome`, out)
	out, _, err = inferctl("metrics", "--format", "json")
	require.NoError(t, err)
	assert.Contains(t, out, `"Family": "nvidia_gpu_sm_utilization_ratio"`)
	_, _, err = inferctl("metrics", "--format", "yaml")
	require.ErrorContains(t, err, "--format")
}
