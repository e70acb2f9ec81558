package dashboards

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// selectors are what stands for the variables of a dashboard in a query. A label that is missing
// matches too, where all values are chosen.
var selectors = strings.NewReplacer(
	"@i", "$__rate_interval",
	"@request", `deployment_environment_name=~"$environment", service_name=~"$service", inference_model_name=~"$model", inference_model_version=~"$version"`,
	"@ok", `deployment_environment_name=~"$environment", service_name=~"$service", inference_model_name=~"$model", inference_model_version=~"$version", inference_outcome="ok"`,
	"@server", `inference_model_name=~"$model", inference_model_version=~"$version", inference_role="server"`,
	"@gpu", `hw_id=~"$gpu"`,
	"@logs", `{service_name=~".+", service_name=~"$service", model_name=~"$model"}`,
	"@one", `deployment_environment_name=~"$environment", service_name=~"$service", inference_model_name="$model"`,
	"@A", `deployment_environment_name=~"$environment", service_name=~"$service", inference_model_name="$model", inference_model_version="$version_a", inference_outcome="ok"`,
	"@B", `deployment_environment_name=~"$environment", service_name=~"$service", inference_model_name="$model", inference_model_version="$version_b", inference_outcome="ok"`,
	"@self", `instance=~"$instance"`,
)

// quantile is a quantile of a histogram, by labels where there are any. It has no value where
// nothing was observed: without the comparison it would be NaN.
func quantile(q float64, series, matchers string, by ...string) string {
	return fmt.Sprintf("histogram_quantile(%v, sum by (%s) (rate(%s_bucket{%s}[@i]))) >= 0",
		q, strings.Join(append([]string{"le"}, by...), ", "), series, matchers)
}

// quantiles are p50, p95 and p99, which have the same colours everywhere.
func quantiles(series, matchers string) []Query {
	return []Query{
		{Legend: "p50", Expr: quantile(0.5, series, matchers)},
		{Legend: "p95", Expr: quantile(0.95, series, matchers)},
		{Legend: "p99", Expr: quantile(0.99, series, matchers)},
	}
}

// mean is the average of a histogram, by labels where there are any.
func mean(series, matchers string, by ...string) string {
	group := strings.Join(by, ", ")
	return fmt.Sprintf("sum by (%s) (rate(%s_sum{%s}[@i])) / (sum by (%s) (rate(%s_count{%s}[@i])) > 0)",
		group, series, matchers, group, series, matchers)
}

// tail names a GPU or MIG device by the end of its UUID, as label gpu.
func tail(expr string) string { return `label_replace(` + expr + `, "gpu", "$1", "hw_id", ".*(.{8})")` }

// within is the share of observations up to an objective, which must be a bound. A query matches le
// as 1 and as 1.0: Prometheus 2 and OTLP write the one, Prometheus 3 the other.
func within(series, variable, window string) string {
	return fmt.Sprintf(`sum(increase(%s_bucket{@ok, le=~"$%s"}[%s])) / (sum(increase(%s_count{@ok}[%s])) > 0)`,
		series, variable, window, series, window)
}

// objectives are the bounds of a histogram as options.
func objectives(id inference.MetricID, least, standard float64) (list []Option) {
	for _, bound := range inference.Registry(id).Bounds {
		if bound < least {
			continue
		}
		text := strconv.FormatFloat(bound, 'f', -1, 64)
		value := strings.Replace(text, ".", "[.]", 1)
		if value == text {
			value += "([.]0)?"
		}
		list = append(list, Option{Text: text + " s", Value: value, Default: bound == standard})
	}
	return list
}

// logsOfModel are the logs of the chosen services and models. Of the matchers one must not match
// nothing. The format pipe does not escape: a backslash would end in the JSON of the link.
const logsOfModel = `{service_name=~".+", service_name=~"${service:pipe}", model_name=~"${model:pipe}"}`

const ofRequests = "inference_request_duration_seconds_count"

// The variables of most dashboards.
var (
	prometheus  = Variable{Name: "datasource", Label: "Metrics", Description: "The Prometheus that scrapes the collectors.", Source: "prometheus"}
	lokis       = Variable{Name: "loki", Label: "Logs", Description: "The Loki that has the log records.", Source: "loki"}
	environment = Variable{
		Name: "environment", Label: "Environment", Description: "deployment.environment.name of the spans.",
		Metric: ofRequests, Attribute: "deployment_environment_name",
	}
	service = Variable{
		Name: "service", Label: "Service", Description: "service.name of the spans.",
		Metric: ofRequests + `{deployment_environment_name=~"$environment"}`, Attribute: "service_name",
	}
	model = Variable{
		Name: "model", Label: "Model", Description: "The model that answered.",
		Metric: ofRequests + `{deployment_environment_name=~"$environment", service_name=~"$service"}`, Attribute: "inference_model_name",
	}
	version = Variable{
		Name: "version", Label: "Version", Description: "The model's version, where spans name one.",
		Metric: ofRequests + `{service_name=~"$service", inference_model_name=~"$model"}`, Attribute: "inference_model_version",
	}
	gpu = Variable{
		Name: "gpu", Label: "GPU", Description: "UUID of the GPU or MIG device. No span says on which GPU it ran: choose those of the service.",
		Metric: "hw_gpu_memory_usage_bytes", Attribute: "hw_id",
	}
	requestSLO = Variable{
		Name: "slo_request", Label: "Request within", Description: "Objective for a request. The connector's slo adds bounds of your own.",
		Options: objectives(inference.MetricRequestDuration, 0.1, 10),
	}
	ttftSLO = Variable{
		Name: "slo_ttft", Label: "First token within", Description: "Objective for the time to first token.",
		Options: objectives(inference.MetricRequestTTFT, 0.1, 1),
	}
	objective = Variable{
		Name: "objective", Label: "For", Description: "Share of requests for which the objectives are to hold.",
		Options: []Option{{"90 %", "0.9", false}, {"95 %", "0.95", false}, {"99 %", "0.99", true}, {"99.5 %", "0.995", false}, {"99.9 %", "0.999", false}},
	}
)

func line(legend, expr string) Query   { return Query{Legend: legend, Expr: expr} }
func dashed(legend, expr string) Query { return Query{Legend: legend, Expr: expr, Dashed: true} }
func column(heading, unit, expr string) Query {
	return Query{Legend: heading, Expr: expr, Unit: unit}
}
