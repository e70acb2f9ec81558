package e2ealerts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

const rulesDir = shipped + "/prometheus"

// ruleFile is as much of a rule file as tests look at.
type ruleFile struct {
	Groups []struct {
		Rules []struct {
			Record, Alert, Expr, For string
			Labels                   map[string]string
		}
	}
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, into), file)
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	return files
}

// Scenario: promtool's checks and unit tests of all that is shipped; with E2E_FULL=1 those of Prometheus 3 as well.
// Guarantees: rules are valid, each alert has a test in which it fires, and all tests pass.
func TestRules(t *testing.T) {
	t.Parallel()
	files := glob(t, rulesDir+"/*.rules.yml")
	tests := glob(t, rulesDir+"/tests/*.yml")
	for _, args := range [][]string{append([]string{"check", "rules"}, files...), append([]string{"test", "rules"}, tests...)} {
		prometheus.Promtool(t, nil, args...)
		if os.Getenv("E2E_FULL") != "" {
			prometheus.Promtool3(t, args...)
		}
	}

	var expected []string
	for _, file := range tests {
		var f struct {
			Tests []struct {
				Expr []struct {
					Samples []struct{ Labels string } `yaml:"exp_samples"`
				} `yaml:"promql_expr_test"`
			}
		}
		readYAML(t, file, &f)
		for i := range f.Tests {
			for _, e := range f.Tests[i].Expr {
				for _, s := range e.Samples {
					expected = append(expected, s.Labels)
				}
			}
		}
	}
	for _, name := range alertNames(t, files) {
		assert.True(t, slices.ContainsFunc(expected, func(labels string) bool {
			return strings.Contains(labels, `alertname="`+name+`"`)
		}), "no test in which %s fires", name)
	}
}

func alertNames(t *testing.T, files []string) (names []string) {
	t.Helper()
	for _, file := range files {
		var f ruleFile
		readYAML(t, file, &f)
		for _, g := range f.Groups {
			for _, r := range g.Rules {
				if r.Alert != "" {
					names = append(names, r.Alert)
				}
			}
		}
	}
	require.Greater(t, len(names), 20)
	return names
}
