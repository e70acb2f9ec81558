package binary

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Guarantees: each whole configuration in a README of a component is valid.
func TestReadmeConfigs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../*/*/README.md")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			config := block[1]
			if !strings.Contains(config, "\nservice:") || !strings.Contains(config, "receivers:\n") {
				continue
			}
			tried++
			config = strings.ReplaceAll(config, "/var/lib/otelcol-inference", t.TempDir())
			collector.RequireValid(t, nil, collector.WriteConfig(t, config))
		}
	}
	require.GreaterOrEqual(t, tried, 5)
}
