package logcorrelationprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// Scenario: configurations with many mistakes each.
// Guarantees: one error names every key, with what to do.
func TestConfigMistakes(t *testing.T) {
	for name, want := range map[string][]string{
		"values": {
			"wait: must be above 0 and at most 5m0s, but is 6m0s", "linger: must be above 0", "sampled_after: must be above 0",
			"ttl: must be at least linger", "max_traces: must be at least 1, but is 0", "max_spans_per_trace: must be at least 1",
			"max_held_per_trace: must be at least 1", "max_held_bytes: must be at least 65536", "max_backlog_bytes: must be at least 65536",
			`precedence: must be log or trace, but is "logs"`, `sampled_for: "tail_sampling" is no log_correlation processor`,
			`hold::0::services::0: "(" is no regular expression`, `hold::0::parsers::0: there is no parser "vlm"; choose from bentoml`,
			`hold::0::parsers::1: there is no parser "regex/none"`, `hold::0::min_severity: must be trace, debug`, `hold::0::line: must be start, end or any`,
			"hold::0::wait: must be from 0", `parsers::1: there is no parser "nginx"`, "regexes::0: pattern:", "max_body: must be at least 256",
			`request_id: prefixes::0: "cmpl" has no separator at its end`,
		},
		"unknown": {
			"max_hold_bytes: there is no such key; did you mean max_held_bytes?", "'hold[0]' has invalid keys: service",
			"request_id::prefix: there is no such key; did you mean request_id::prefixes?", `precedence: must be log or trace, but is "span"`,
		},
		"types": {"wait", `precedence: must be log or trace, but is "span"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, name)
			for _, part := range want {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestConfigValid(t *testing.T) {
	for _, name := range []string{"full", "sampled"} {
		_, err := load(t, name)
		require.NoError(t, err, name)
	}
	cfg, err := load(t, "empty")
	require.NoError(t, err)
	assert.Equal(t, createDefaultConfig(), cfg)
}

func load(t *testing.T, name string) (component.Config, error) {
	t.Helper()
	all, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	sub, err := all.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig()
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

// Scenario: a tap behind a sampler in a logs pipeline, and one that names itself.
// Guarantees: the collector does not start, and says what to do.
func TestSampledForMisplaced(t *testing.T) {
	cfg, err := load(t, "sampled")
	require.NoError(t, err)
	set := processortest.NewNopSettings(metadata.Type)
	_, err = NewFactory().CreateLogs(t.Context(), set, cfg, consumertest.NewNop())
	require.ErrorContains(t, err, "sampled_for: is for traces pipelines")
	set.ID = component.NewIDWithName(metadata.Type, "gateway")
	_, err = NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.ErrorContains(t, err, "sampled_for: names this processor itself; behind the sampler use another, such as log_correlation/gateway/sampled")
}
