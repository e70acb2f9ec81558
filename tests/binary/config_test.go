package binary

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
)

// pipeline is a configuration around a span_phase connector that opens no port.
const pipeline = `
receivers:
  otlp:
    protocols:
      grpc:
        endpoint: 127.0.0.1:0
exporters:
  nop:
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [span_phase]
    metrics:
      receivers: [span_phase]
      exporters: [nop]
connectors:
  span_phase:
`

// mistakes are five of different kinds, in pipeline's place for the connector.
const mistakes = `
    flush_interval: -5s
    request_boundary: sideways
    slo:
      - model: "qwen("
        ttft: 500ms
    bounds:
      inference.request.latency: [1, 0.5]
    assembly:
      max_traces: 0
`

// unknownKey is a sixth that is found by other code, and earlier, than the rest.
const unknownKey = `
      lingr: 5s
`

// fixes are the five keys with what their messages say to do.
var fixes = []string{
	`flush_interval: must be above zero \(got -5s\); the default is 15s`,
	`request_boundary: must be outermost, first_server_span or an OTTL condition .*\(got "sideways"`,
	`slo::0::model: "qwen\(" is no regular expression .*quote special characters`,
	`bounds::inference\.request\.latency: is no histogram of this connector; use one of \[inference\.`,
	`max_traces: must be at least 1 \(got 0\).*the default is 50000`,
}

// Scenario: a configuration with five mistakes in the connector, then with a misspelt key as well.
// Guarantees: neither validate nor start accepts it; both name every mistake at once, with the fix.
func TestConfigMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config string
		want   []string
	}{
		"five mistakes":   {pipeline + mistakes, fixes},
		"and unknown key": {pipeline + mistakes + unknownKey, append([]string{`lingr`}, fixes...)},
	} {
		file := collector.WriteConfig(t, test.config)
		for command, args := range map[string][]string{
			"validate": {"validate", "--config", file},
			"start":    {"--config", file},
		} {
			t.Run(name+"/"+command, func(t *testing.T) {
				t.Parallel()
				out, err := exec.CommandContext(t.Context(), collector.Binary(t), args...).CombinedOutput()
				var failed *exec.ExitError
				require.ErrorAs(t, err, &failed)
				assert.Positive(t, failed.ExitCode())
				for _, want := range test.want {
					assert.Regexp(t, want, string(out))
				}
			})
		}
	}
}

// Scenario: the same configuration without the mistakes.
// Guarantees: what the test above sees refused are the mistakes.
func TestConfigValid(t *testing.T) {
	t.Parallel()
	collector.RequireValid(t, nil, collector.WriteConfig(t, pipeline))
}
