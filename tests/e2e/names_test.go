package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

// checkMetrics gives the page to Prometheus' own linter of names and units.
func checkMetrics(t *testing.T, page string) {
	t.Helper()
	resp, err := http.Get("http://" + page + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "page"))
	require.NoError(t, err)
	defer file.Close()
	_, err = file.ReadFrom(resp.Body)
	require.NoError(t, err)
	_, err = file.Seek(0, 0)
	require.NoError(t, err)
	prometheus.Promtool(t, file, "check", "metrics")
}
