package binary

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
)

// overlays are those that are shipped, by what they are laid over.
var overlays = map[string][]string{
	"standalone.yaml": {"overlays/llm-chat.yaml", "overlays/recommendation.yaml", "overlays/offline-batch.yaml"},
	"agent.yaml":      {"overlays/agent-kubernetes.yaml", "overlays/agent-tls.yaml", "overlays/agent-kafka.yaml"},
	"gateway.yaml": {
		"gateway-kafka.yaml", "overlays/gateway-tls.yaml", "overlays/remote-write.yaml", "overlays/otlp-metrics.yaml",
		"overlays/llm-chat.yaml", "overlays/recommendation.yaml", "overlays/offline-batch.yaml",
	},
}

// Guarantees: each shipped configuration and overlay is valid, and none is left out here.
func TestOverlays(t *testing.T) {
	t.Parallel()
	const dir = "../../distribution/config"
	files := t.TempDir()
	for _, name := range []string{"token", "ca.crt"} {
		require.NoError(t, os.WriteFile(filepath.Join(files, name), []byte("x"), 0o600))
	}
	seen := map[string]bool{"demo.yaml": true} // make run starts it
	for base, list := range overlays {
		seen[base] = true
		for _, overlay := range append([]string{""}, list...) {
			seen[overlay] = true
			shipped := []string{filepath.Join(dir, base)}
			if overlay != "" {
				shipped = append(shipped, filepath.Join(dir, overlay))
			}
			collector.RequireValid(t, []string{
				"STORAGE_DIRECTORY=" + t.TempDir(), "SERVICE_ACCOUNT=" + files, "TOKEN_FILE=" + filepath.Join(files, "token"),
			}, shipped...)
		}
	}
	for _, pattern := range []string{"*.yaml", "overlays/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range found {
			name, err := filepath.Rel(dir, file)
			require.NoError(t, err)
			assert.True(t, seen[name], "%s is not tried", name)
		}
	}
}
