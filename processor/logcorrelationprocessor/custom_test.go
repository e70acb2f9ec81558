package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/customdialect"
)

// Scenario: an engine that no built-in dialect knows, which calls its requests by a key of its own; a
// line names the request; with the dialect that the page of dialects shows and without.
// Guarantees: the line is joined and gets the numbers of the spans; without the dialect it is not.
func TestCustomDialect(t *testing.T) {
	line := func(rec plog.LogRecord) { rec.Attributes().PutStr("request_id", "t-77") }
	for name, change := range map[string]func(*Config){
		"with": func(cfg *Config) {
			require.NoError(t, casetest.Example(t, "../../docs/dialects.md", "custom:", "processors::log_correlation").Unmarshal(cfg))
		},
		"without": func(*Config) {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, change)
				r.send(casetest.LoadFixture(t, "../../tests/fixtures/otlp", "acme_custom"))
				after(r.cfg.Linger)
				r.log(batch("acme", line))
				after(r.cfg.Wait)
				require.Len(t, r.out.all(), 1)
				got := r.out.all()[0].Attributes().AsRaw()
				if name == "without" {
					assert.Equal(t, "unmatched", got["correlation.state"])
					r.close()
					return
				}
				want := map[string]any{
					"correlation.state": "joined", "request_id": "t-77", "model_name": "acme-7b", "model_version": "42", "engine": "acme",
					"input_tokens": int64(80), "output_tokens": int64(11), "preprocess_time_ms": 30.0, "queue_time_ms": 20.0,
					"inference_time_ms": 120.0, "postprocess_time_ms": 8.0, "total_time_ms": 200.0, "ttft_ms": 70.0, "slowest_phase": "inference",
				}
				for key, value := range want {
					assert.Equal(t, value, got[key], key)
				}
				r.close()
			})
		})
	}
}

// Scenario: a dialect with mistakes beside others.
// Guarantees: one error names all.
func TestCustomDialectMistakes(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.MaxTraces = 0
	cfg.Dialects.Custom = []customdialect.Dialect{{Name: "acme", Match: "true", Role: "server", TTFT: customdialect.Duration{Attribute: "a"}}}
	err := cfg.Validate()
	require.ErrorContains(t, err, "max_traces: must be at least 1")
	require.ErrorContains(t, err, "dialects::custom::0::ttft::unit: must be ns, us, ms or s")
}
