package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// id are the labels by which a model in a service is known. What else is on a series (the
// collector, the engine, the version, whether it streams) is summed over.
const id = "deployment_environment_name, service_namespace, service_name, inference_model_name"

// The evaluation intervals of the groups. A result must be seen by the next group within the five
// minutes that Prometheus looks back.
const (
	fast = 30 * time.Second
	slow = 2 * time.Minute
)

// failed are the outcomes that count against a service: a client that went away does not.
const failed = `inference_outcome=~"error|timeout|rejected"`

// signal is where the histogram of a latency comes from.
type signal struct {
	name   objectives.Signal
	metric inference.MetricID
	family string
	// roles are the sides that see it, the better one first; none where it has no role.
	roles []string
}

var signals = []signal{
	{objectives.Request, inference.MetricRequestDuration, "inference_request_duration_seconds", nil},
	{objectives.TTFT, inference.MetricRequestTTFT, "inference_request_time_to_first_token_seconds", nil},
	{objectives.TPOT, inference.MetricCallTPOT, "inference_call_time_per_output_token_seconds", []string{"server", "client"}},
}

func signalOf(name objectives.Signal) signal {
	for _, s := range signals {
		if s.name == name {
			return s
		}
	}
	panic("rules: no latency is called " + string(name))
}

// sum is a sum over the requests that went well, of a function such as rate over a window, by the
// model and more labels. A client's word counts only for models of which no engine says anything.
func (s signal) sum(function, suffix, window, matchers string, by ...string) string {
	labels := strings.Join(append([]string{id}, by...), ", ")
	one := func(matchers ...string) string {
		all := append([]string{`inference_outcome="ok"`}, matchers...)
		return fmt.Sprintf("sum by (%s) (%s(%s_%s{%s}[%s]))", labels, function, s.family, suffix,
			strings.Join(all, ", "), window)
	}
	var more []string
	if matchers != "" {
		more = append(more, matchers)
	}
	if s.roles == nil {
		return one(more...)
	}
	var parts []string
	for _, role := range s.roles {
		parts = append(parts, one(append([]string{fmt.Sprintf("inference_role=%q", role)}, more...)...))
	}
	return "(" + strings.Join(parts, " or on (deployment_environment_name, inference_model_name) ") + ")"
}

// record is a recording rule.
type record struct {
	name   string
	labels map[string]string
	expr   string // with $id
}

// thresholdRecords are the thresholds of the objectives, a series for each model that has traffic. Their
// label threshold says the same in words, for messages.
func thresholdRecords(f *objectives.File) (list []record) {
	for _, o := range f.Objectives {
		if o.Signal == objectives.Availability {
			continue
		}
		s := signalOf(o.Signal)
		levels := []struct {
			name  string
			value time.Duration
		}{{"objective", o.Threshold}, {"critical", min(o.Critical, s.top(o.Threshold))}}
		for _, level := range levels {
			list = append(list, record{
				"model:inference_slo_threshold_seconds",
				map[string]string{"slo": string(o.Signal), "level": level.name, "threshold": level.value.String()},
				fmt.Sprintf("group by ($id) (%s_count{%s}) * %v", s.family, o.Matcher, level.value.Seconds()),
			})
		}
	}
	return list
}

// top is the most that a quantile of the histogram can be: its last bound. A threshold above it is a
// bound itself, if the collector knows the objective.
func (s signal) top(threshold time.Duration) time.Duration {
	return max(seconds(lastBound(s.metric)), threshold)
}

func lastBound(m inference.MetricID) float64 {
	bounds := inference.Registry(m).Bounds
	return bounds[len(bounds)-1]
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// basicRecords are what alerts and other records look at.
func basicRecords() (list []record) {
	for _, s := range signals {
		labels := map[string]string{"slo": string(s.name)}
		quantile := func(q, window string) record {
			// Without traffic a quantile is NaN, which would spoil every mean over it.
			return record{
				fmt.Sprintf("model:inference_latency_seconds:p%s_rate%s", q, window), labels,
				fmt.Sprintf("histogram_quantile(0.%s, %s) >= 0", q, s.sum("rate", "bucket", window, "", "le")),
			}
		}
		requests := func(window string) record {
			return record{"model:inference_latency_requests:increase" + window, labels, s.sum("increase", "count", window, "")}
		}
		list = append(list, quantile("95", "5m"), quantile("99", "5m"), quantile("99", "30m"), requests("5m"), requests("30m"))
	}
	return append(list, otherRecords...)
}

var otherRecords = []record{
	{"model:inference_requests:increase5m", nil, `sum by ($id) (increase(inference_request_duration_seconds_count[5m]))`},
	{"model:inference_requests:increase30m", nil, `sum by ($id) (increase(inference_request_duration_seconds_count[30m]))`},
	// A model that never failed has no series of failures.
	{"model:inference_request_errors:ratio_rate5m", nil, `(
  sum by ($id) (rate(inference_request_duration_seconds_count{` + failed + `}[5m]))
  or
  sum by ($id) (rate(inference_request_duration_seconds_count[5m])) * 0
) / (sum by ($id) (rate(inference_request_duration_seconds_count[5m])) > 0)`},
	{"model:inference_phase_seconds:p95_rate5m", nil, `histogram_quantile(0.95,
  sum by ($id, inference_phase, le) (rate(inference_phase_duration_seconds_bucket{inference_role="server"}[5m]))) >= 0`},
	{
		"model:inference_phase_requests:increase5m", nil,
		`sum by ($id, inference_phase) (increase(inference_phase_duration_seconds_count{inference_role="server"}[5m]))`,
	},
	// From spans, else as engines count it. Bounds differ between engines: their buckets are not added up.
	{"model:inference_queue_seconds:p95_rate5m", nil, `sum without (inference_phase) (model:inference_phase_seconds:p95_rate5m{inference_phase="queue"})
or on (inference_model_name)
  max by (inference_model_name) (histogram_quantile(0.95, sum by (inference_model_name, inference_engine, le) (
    rate(inference_server_queue_duration_seconds_bucket{inference_role="server"}[5m]))) >= 0)`},
	{"model:inference_queue_requests:increase5m", nil, `sum without (inference_phase) (model:inference_phase_requests:increase5m{inference_phase="queue"})
or on (inference_model_name)
  sum by (inference_model_name) (increase(inference_server_queue_duration_seconds_count{inference_role="server"}[5m]))`},
	// From spans, else as the engine counts it, else what it runs at a time.
	{"model:inference_batch_size:mean5m", nil, `sum by (deployment_environment_name, inference_model_name) (rate(inference_batch_size_sum[5m]))
  / (sum by (deployment_environment_name, inference_model_name) (rate(inference_batch_size_count[5m])) > 0)
or on (inference_model_name)
  sum by (inference_model_name) (rate(inference_server_batch_items_total[5m]))
  / (sum by (inference_model_name) (rate(inference_server_batch_executions_total[5m])) > 0)
or on (inference_model_name)
  avg by (inference_model_name) (avg_over_time(inference_server_batch_size{inference_role="server"}[5m]))
or on (inference_model_name)
  avg by (inference_model_name) (avg_over_time(inference_server_requests_running{inference_role="server"}[5m]))`},
	{
		"model:inference_input_requests:increase1h", nil,
		`sum by ($id) (increase(inference_token_usage_count{gen_ai_token_type="input"}[1h]))`,
	},
	// The share of prompts up to each length.
	{"model:inference_input_tokens:share_rate1h", nil, `sum by ($id, le) (rate(inference_token_usage_bucket{gen_ai_token_type="input"}[1h]))
/ ignoring (le) group_left ()
  (sum by ($id) (rate(inference_token_usage_count{gen_ai_token_type="input"}[1h])) > 0)`},
}

// What has a baseline: the name up to the operation, and the operation.
var baselined = []struct{ metric, operation, kind string }{
	{"model:inference_request_errors", "ratio_rate5m", "ratio"},
	{"model:inference_latency_seconds", "p95_rate5m", "p95"},
	{"model:inference_input_tokens", "share_rate1h", "share"},
}

// baselineRecords are the mean of the same hour, half of it before and half after this time of day, for
// each of the past seven days, and their median: one bad day moves it little, and a missing one
// leaves the others. Of less than three days nothing is said.
func baselineRecords() (list []record) {
	for _, b := range baselined {
		sameHour := fmt.Sprintf("%s:%s_same_hour", b.metric, b.kind)
		for day := 1; day <= 7; day++ {
			list = append(list, record{
				sameHour,
				map[string]string{"days_ago": strconv.Itoa(day)},
				fmt.Sprintf("avg_over_time(%s:%s[1h] offset %dh30m)", b.metric, b.operation, 24*day-1),
			})
		}
		list = append(list, record{
			fmt.Sprintf("%s:%s_baseline7d", b.metric, b.kind), nil,
			fmt.Sprintf("quantile without (days_ago) (0.5, %[1]s) and count without (days_ago) (%[1]s) >= 3", sameHour),
		})
	}
	return list
}
