package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const shipped = "../../../../distribution/alertmanager"

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// Scenario: an Alertmanager with routes, receivers and a mail server of its own; installed twice.
// Guarantees: what was there stays, comments too; ours come before a route for everything; the second time
// changes nothing, and the file as it was is kept.
func TestAlertmanager(t *testing.T) {
	const before = `# ours since 2019
global:
  smtp_smarthost: mail.corp:25 # the relay
route:
  receiver: ops
  routes:
    - receiver: database
      matchers: [team="db"]
receivers:
  - name: ops
  - name: database
`
	file := writeFile(t, "alertmanager.yml", before)
	change, err := Alertmanager(file, shipped)
	require.NoError(t, err)
	assert.Equal(t, before, read(t, file), "before it is written")
	require.NoError(t, change.Write())
	assert.NotContains(t, change.Added, "smtp_smarthost")
	assert.Contains(t, change.Added, "wechat_api_corp_id")
	assert.Equal(t, before, read(t, file+".bak"))
	after := read(t, file)
	for _, kept := range []string{"# ours since 2019", "smtp_smarthost: mail.corp:25 # the relay", `matchers: [team="db"]`} {
		assert.Contains(t, after, kept)
	}
	var c struct {
		Templates []string
		Route     struct {
			Receiver string
			Routes   []struct{ Receiver string }
		}
		InhibitRules []any `yaml:"inhibit_rules"`
		Receivers    []struct{ Name string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(after), &c))
	assert.Equal(t, "ops", c.Route.Receiver)
	require.Len(t, c.Route.Routes, 2)
	assert.Equal(t, "inference-P1", c.Route.Routes[0].Receiver)
	assert.Len(t, c.Receivers, 5)
	assert.Len(t, c.InhibitRules, 3)
	require.Len(t, c.Templates, 1)
	templates, err := filepath.Glob(filepath.Join(filepath.Dir(file), c.Templates[0]))
	require.NoError(t, err)
	assert.Len(t, templates, 2)

	// Its owner gives it an address.
	after = strings.ReplaceAll(after, "oncall@example.com", "us@corp")
	require.NoError(t, os.WriteFile(file, []byte(after), 0o600))
	change, err = Alertmanager(file, shipped)
	require.NoError(t, err)
	require.NoError(t, change.Write())
	assert.Empty(t, change.Added)
	assert.Equal(t, after, read(t, file))
	assert.Equal(t, before, read(t, file+".bak"))
}

// Scenario: a prometheus.yml with an empty rule_files, as Debian ships it; installed twice.
// Guarantees: the files are beside it and named in it, once.
func TestPrometheus(t *testing.T) {
	file := writeFile(t, "prometheus.yml", "global: {scrape_interval: 15s}\nrule_files:\n  # - first.rules\nscrape_configs: []\n")
	for range 2 {
		change, err := Prometheus(file, map[string][]byte{"a.rules.yml": []byte("groups: []\n")})
		require.NoError(t, err)
		require.NoError(t, change.Write())
		assert.Equal(t, "groups: []\n", read(t, filepath.Join(change.Dir, "a.rules.yml")))
		var c struct {
			RuleFiles []string `yaml:"rule_files"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(read(t, file)), &c))
		// Prometheus looks for it from the folder of the file on.
		assert.Equal(t, []string{"inference/*.rules.yml"}, c.RuleFiles)
	}
}

// Guarantees: what is no configuration is refused and left as it was.
func TestNoConfiguration(t *testing.T) {
	for _, text := range []string{"", "- a\n", "a: [\n", "rule_files: x\n", "a: 1\n---\nb: 2\n"} {
		file := writeFile(t, "prometheus.yml", text)
		_, err := Prometheus(file, nil)
		require.ErrorContains(t, err, file, "%q", text)
		assert.Equal(t, text, read(t, file))
	}
	for _, text := range []string{"receivers: nope\n", "route: {routes: {a: b}}\n", "global: []\n"} {
		_, err := Alertmanager(writeFile(t, "alertmanager.yml", text), shipped)
		require.ErrorContains(t, err, "line 1", "%q", text)
	}
	_, err := Prometheus(filepath.Join(t.TempDir(), "none.yml"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
