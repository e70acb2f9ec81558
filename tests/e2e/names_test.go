package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

// checkMetrics gives what is ours on the page to Prometheus' own linter of names and units.
func checkMetrics(t *testing.T, addr string) {
	t.Helper()
	text, err := page.Text(t.Context(), addr)
	require.NoError(t, err)
	file, err := os.Create(filepath.Join(t.TempDir(), "page"))
	require.NoError(t, err)
	defer file.Close()
	for line := range strings.Lines(text) {
		if !ofHost.MatchString(line) {
			_, err = file.WriteString(line)
			require.NoError(t, err)
		}
	}
	_, err = file.Seek(0, 0)
	require.NoError(t, err)
	prometheus.Promtool(t, file, "check", "metrics")
}

// ofHost are the names of the host's metrics, which are upstream's.
var ofHost = regexp.MustCompile(`^(# (HELP|TYPE) )?(system|process)_`)
