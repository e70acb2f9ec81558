package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shippedSLO = "../../distribution/prometheus/slo.yaml"

// Scenario: rules and slo with what is shipped, and with a file that promises what cannot be watched.
// Guarantees: the files are those in distribution/prometheus; an error names the file, the key and the fix.
func TestRulesCommands(t *testing.T) {
	dir := t.TempDir()
	_, _, err := inferctl("rules", "--slo", shippedSLO, "--out", dir)
	require.NoError(t, err)
	slo, _, err := inferctl("slo", shippedSLO)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inference-slo.rules.yml"), []byte(slo), 0o600))
	shipped, err := filepath.Glob("../../distribution/prometheus/*.rules.yml")
	require.NoError(t, err)
	require.Len(t, shipped, 4)
	for _, file := range shipped {
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), file)
	}

	bad := filepath.Join(dir, "slo.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("models: [{model: a, availability: {objective: 50%}}]"), 0o600))
	_, _, err = inferctl("slo", bad)
	require.ErrorContains(t, err, bad)
	require.ErrorContains(t, err, "models[0].availability.objective")
	_, _, err = inferctl("rules", "--slo", shippedSLO, "--out", dir, "--scale", "0", "--grafana", "nowhere")
	require.ErrorContains(t, err, "--scale")
	require.ErrorContains(t, err, "--grafana")
}

// Scenario: a Prometheus and an Alertmanager as they may be found.
// Guarantees: one command installs into both and says what is left to do.
func TestInstallCommand(t *testing.T) {
	dir := t.TempDir()
	prometheus, alertmanager := filepath.Join(dir, "prometheus.yml"), filepath.Join(dir, "alertmanager.yml")
	require.NoError(t, os.WriteFile(prometheus, []byte("scrape_configs: []\n"), 0o600))
	require.NoError(t, os.WriteFile(alertmanager, []byte("route: {receiver: ops}\nreceivers: [{name: ops}]\n"), 0o600))
	out, _, err := inferctl("install", "--prometheus", prometheus, "--alertmanager", alertmanager,
		"--slo", shippedSLO, "--from", "../../distribution/alertmanager")
	require.NoError(t, err)
	assert.Contains(t, out, "reload Prometheus")
	assert.Contains(t, out, "smtp_smarthost")
	files, err := filepath.Glob(filepath.Join(dir, "inference", "*"))
	require.NoError(t, err)
	assert.Len(t, files, 6)
	_, _, err = inferctl("install")
	require.ErrorContains(t, err, "--prometheus")
}
