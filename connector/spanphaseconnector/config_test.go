package spanphaseconnector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// Scenario: configurations with many mistakes each.
// Guarantees: one error names every key, with what to do.
func TestConfigMistakes(t *testing.T) {
	for name, want := range map[string][]string{
		"values": {
			"flush_interval: must be above zero (got 0s)", "max_models: must be at least 1 (got 0)",
			"slo::0::model: \"(\" is no regular expression", "slo::0::ttft: must be above zero (got -1s)", "slo::1: has no objective",
			"bounds::inference.request.duration::1: must be above the bound before it",
			"bounds::inference.nonsense: is no histogram", "request_boundary: must be outermost, first_server_span or an OTTL condition",
			"linger: must not be above idle_timeout", "max_traces: must be at least 1 (got 0)", "first_point_hold: must not be negative",
		},
		"metrics": {
			`temporality: must be one of [cumulative delta] (got "deltas")`, `histogram: must be one of [explicit exponential] (got "exponentail")`,
			"bounds::inference.call.duration: metrics::inference.call.duration::bounds has bounds, too",
			"bounds::inference.hop.duration: an exponential histogram has no bounds of its own",
			"metrics::inference.request.durations: is no metric of this connector; use one of [inference.request.duration inference",
			"metrics::inference.request.finished: is a counter", "metrics::inference.hop.duration::max_size: must be from 20 to 1000 (got 0)",
			`metrics::inference.phase.duration::histogram: must be one of [explicit exponential] (got "nativ")`,
			"metrics::inference.batch.size::bounds::1: must be above the bound before it", "metrics::inference.batch.size::bounds: an exponential",
			"metrics::gen_ai.client.token.usage: is one of the semantic conventions; set semconv_metrics: true",
			"metrics::inference.token.usage::max_size: is for exponential histograms",
		},
		"metric_types": {"enable"},
		"dimensions": {
			"dimensions::0::name: must name the attribute", `dimensions::1::name: "service.name" is an attribute of the metrics themselves`,
			`dimensions::2::name: "inference_model_name" is an attribute`, `dimensions::3::from: must be span, parent or resource (got "attribute")`,
			`dimensions::4::name: "tenant_id" is dimensions::3, on a Prometheus page at least`, "dimensions::4::max_values: must be at least 1 (got 0)",
			"dimensions::5::attributes: must not hold an empty name", "input_length_bands: must be true, or 1 to 20 bounds in tokens",
		},
		"dimension_types": {"form"},
		"measures": {
			`measures::0::name: must be the name of a metric, such as feature_cache.hit_ratio (got "1st")`,
			`measures::1::name: "inference_request.duration" is a metric of this connector`, "measures::2::unit: must be a unit in UCUM",
			"measures::2::bounds: bounds or metrics has bounds of it, too", `measures::2::value: must be an OTTL expression on spans`,
			`measures::3::name: "data_size" is measures::2, on a Prometheus page`, "measures::3::bounds: must have bounds",
			`measures::3::value: must be an OTTL expression`, "measures::4::bounds::1: must be above the bound before it",
		},
		"request_log": {
			"request_log::on: there is no such key; did you mean request_log::only?",
			`only: must be all, slow or error (got "slwo")`, "slow: must be above zero (got -1s)",
			"request_log: flush_interval: must be above zero", "timeout: must be above zero", "max_batch: must not be above max_pending (got 20 and 10)",
		},
		"dialects": {
			"dialects::customs: there is no such key; did you mean dialects::custom?", "dialects::custom::0::match: must be an OTTL condition",
			"dialects::custom::0::role: must be server, client, request or stage", "max_series: must be at least 1",
		},
		"slow_without_slo": {"request_log::only: slow needs to know what slow is; set slo, or request_log::slow"},
		"types":            {"lingr: there is no such key; did you mean assembly::linger?", "max_series", "series_expiry: must be above zero", "assembly: max_age: must be above zero"},
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, name)
			for _, part := range want {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestConfigValid(t *testing.T) {
	require.NoError(t, load(t, "full"))
	require.NoError(t, load(t, "empty"))
}

func load(t *testing.T, name string) error {
	t.Helper()
	all, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	sub, err := all.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig()
	if err := sub.Unmarshal(cfg); err != nil {
		return err
	}
	return confmap.Validate(cfg)
}
