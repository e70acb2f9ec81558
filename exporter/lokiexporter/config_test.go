package lokiexporter

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.yaml.in/yaml/v3"
)

// Scenario: configurations with many mistakes each.
// Guarantees: one error names every key, with what to do.
func TestConfigMistakes(t *testing.T) {
	for name, want := range map[string][]string{
		"values": {
			`endpoint: must be the URL of a Loki, such as http://loki:3100, or empty to send nothing, but is "loki:3100"`,
			"compression: must not be set", "timeout: must be above 0, but is -1s",
			"headers::content-type: must not be set", "headers::x-scope-orgid: would replace every tenant",
			`tenant::value: "a/b" has a character that Loki refuses; use letters`, "tenant::max_tenants: must be at least 1", "tenant::client_metadata: must be one key",
			"sending_queue::batch::max_size: would be 3145728 entries",
			"labels::0: has no source; set attribute", `labels::1: "trace_id" identifies`, `labels::2: "duration_ms" is a measurement`,
			`labels::3: "process.pid" identifies`, `labels::4: "user.name" is about a user`, `labels::5: "prompt" is free text`, "or set force: true",
			`labels::6: field: must be severity`,
			"max_label_values: must be at least 1", "max_streams: must be at least 1", "stream_ttl: must be at least 1m0s",
			"max_structured_metadata_size: must be at least 1024", "max_structured_metadata_entries_count: must be at least 16", "max_line_size: must be at least 256",
			`format: there is no format "xml"; choose from body, json, logfmt, template, request`, "template: has no effect",
			"timestamps::max_age: must be", "timestamps::max_ahead: must not be negative", "timestamps::max_behind: must be 0",
			`timestamps::too_old: must be clamp, drop, keep, but is "x"`, "timestamps::too_new: ", "timestamps::too_far_behind: ",
		},
		"unknown": {
			"endpoin: there is no such key; did you mean endpoint?", "label: there is no such key; did you mean labels?",
			"tenant::header: there is no such key; ", "timestamps::max_ago: there is no such key; did you mean timestamps::max_age?",
			"tls::insecur: there is no such key; did you mean tls::insecure?", "queue_length",
			"retry_on_failure::max_interva: there is no such key; did you mean retry_on_failure::max_interval?", `there is no format "xml"`,
		},
		"types": {"max_streams", `there is no format "xml"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, name)
			require.Error(t, err)
			message := err.Error()
			for _, part := range want {
				assert.Contains(t, message, part)
			}
			for line := range strings.Lines(message) {
				if key, _, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, " ") {
					assert.Equal(t, 1, strings.Count(message, line), "told once: %s", line)
				}
			}
		})
	}
}

func TestConfigValid(t *testing.T) {
	for _, name := range []string{"empty", "full", "no_queue"} {
		require.NoError(t, load(t, name), name)
	}
}

// A gateway may want a tenant that is always the same; that is no contradiction.
func TestTenantHeaderAlone(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Headers.Set("X-Scope-OrgID", "a")
	require.NoError(t, cfg.Validate())
}

// Scenario: the defaults of the code, its libraries' too.
// Guarantees: a default that changes, by an update as well, changes testdata/default.yaml.
func TestDefaultConfig(t *testing.T) {
	conf := confmap.New()
	require.NoError(t, conf.Marshal(createDefaultConfig()))
	got, err := yaml.Marshal(conf.ToStringMap())
	require.NoError(t, err)
	const golden = "testdata/default.yaml"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, got, 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.YAMLEq(t, string(want), string(got))
}

// load reads a configuration as the collector does.
func load(t *testing.T, name string) error {
	t.Helper()
	all, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	sub, err := all.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return err
	}
	return cfg.Validate()
}

// Mistakes that would leave a limit without effect, or a push never sent.
func TestConfigLimits(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"sending_queue::queue_size: would be 67108864 items": func(cfg *Config) {
			cfg.QueueConfig.Get().Sizer = exporterhelper.RequestSizerTypeItems
		},
		"sending_queue::batch::max_size: must be above 0": func(cfg *Config) { cfg.QueueConfig.Get().Batch.Get().MaxSize = 0 },
		"timestamps::max_ahead: must not be negative":     func(cfg *Config) { cfg.Timestamps.MaxAhead = 2_200_000 * time.Hour },
		"timestamps::max_age: must be at most":            func(cfg *Config) { cfg.Timestamps.MaxAge = 2_200_000 * time.Hour },
		"headers::Bad Header: is no name of a header":     func(cfg *Config) { cfg.Headers.Set("Bad Header", "a") },
	} {
		cfg := createDefaultConfig().(*Config)
		change(cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}
