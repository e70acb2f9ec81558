package dashboards

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Guarantees: the shipped dashboards ask for nothing that is not there.
func TestShipped(t *testing.T) {
	require.NoError(t, Check(All()))
}

// one is a dashboard with one panel, which is as it should be.
func one() Dashboard {
	return Dashboard{
		UID: "one", Title: "One", Description: "For a test.", Variables: []Variable{prometheus, environment, service, model, version, requestSLO},
		Rows: []Row{{Title: "Row", Panels: []Panel{{
			Title: "Panel", Description: "What it shows.", Unit: "s", Queries: quantiles("inference_request_duration_seconds", "@ok"),
		}}}},
	}
}

// Scenario: one thing after the other is wrong with a panel.
// Guarantees: each is found, and the message names the place and the fix.
func TestWrongPanel(t *testing.T) {
	require.NoError(t, Check([]Dashboard{one()}))
	for want, spoil := range map[string]func(p *Panel){
		"no title":       func(p *Panel) { p.Title = "" },
		"no description": func(p *Panel) { p.Description = "" },
		"no unit":        func(p *Panel) { p.Unit = "" },
		"no query":       func(p *Panel) { p.Queries = nil },
		"no legend":      func(p *Panel) { p.Queries[0].Legend = "" },
	} {
		d := one()
		spoil(&d.Rows[0].Panels[0])
		err := Check([]Dashboard{d})
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "one: Row: ", want)
	}
}

// Scenario: queries, each with one fault.
// Guarantees: each is found, and nothing else is.
func TestWrongQuery(t *testing.T) {
	for query, want := range map[string]string{
		// No component or preset emits it.
		`vllm:num_requests_running`:                            "nothing emits vllm:num_requests_running",
		`sum(rate(inference_request_duration_count{@ok}[@i]))`: "nothing emits inference_request_duration_count",
		`inference_request_retries`:                            "nothing emits inference_request_retries",
		`hw_fan_speed_ratio`:                                   "off in the shipped configurations",
		`{job="x"}`:                                            "names no metric",
		// A label that it does not have.
		`hw_power_watts{service_name="x"}`:                                "hw_power_watts has no label service_name",
		`sum by (inference_model_name) (hw_power_watts)`:                  "no metric of hw_power_watts has the label inference_model_name",
		`hw_power_watts / on (model) hw_power_watts`:                      "has the label model",
		`sum(rate(inference_request_duration_seconds_count{le="1"}[@i]))`: "has no label le",
		// le as one of its two spellings.
		`sum(rate(inference_request_duration_seconds_bucket{le="1"}[@i]))`: "match both",
		// Rates.
		`sum(rate(inference_request_retries_total[5m]))`:       "use $__rate_interval",
		`sum(increase(inference_request_retries_total[1h]))`:   "use $__rate_interval",
		`sum(rate(inference_request_retries_total[$__range]))`: "use $__rate_interval",
		`rate(hw_power_watts[@i])`:                             "which is a gauge",
		// Quantiles over nothing.
		`histogram_quantile(0.9, sum by (le) (rate(inference_request_retries_total[@i]))) >= 0`:                         "is no histogram",
		`histogram_quantile(0.9, sum by (le) (rate(inference_request_duration_seconds_sum[@i]))) >= 0`:                  "is no histogram",
		`histogram_quantile(0.9, sum by (inference_engine) (rate(inference_request_duration_seconds_bucket[@i]))) >= 0`: "loses the label le",
		`histogram_quantile(0.9, sum by (le) (rate(inference_request_duration_seconds_bucket[@i])))`:                    "without observations it is NaN",
		// No query, or not in this dashboard.
		`sum(`:                               "parse error",
		`sum(hw_power_watts{hw_id=~"$gpu"})`: "a variable that the dashboard does not have: $gpu",
	} {
		d := one()
		d.Rows[0].Panels[0].Queries = []Query{line("x", query)}
		assert.ErrorContains(t, Check([]Dashboard{d}), want, query)
	}
}

// Scenario: a legend and a variable that name labels.
// Guarantees: they are checked as well; a label that the query makes is one.
func TestLabelsElsewhere(t *testing.T) {
	d := one()
	d.Rows[0].Panels[0].Queries = []Query{line("{{hw_id}} {{gpu}}", `label_replace(hw_power_watts, "gpu", "$1", "hw_id", "(.*)")`)}
	require.NoError(t, Check([]Dashboard{d}))
	d.Rows[0].Panels[0].Queries[0].Legend = "{{model}}"
	require.ErrorContains(t, Check([]Dashboard{d}), "has the label model")

	d = one()
	d.Variables[1].Attribute = "environment"
	require.ErrorContains(t, Check([]Dashboard{d}), "one: variable environment: ")
}
