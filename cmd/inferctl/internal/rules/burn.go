package rules

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
)

// pace is how fast a part of the error budget may be used up: an alert where both windows burn
// faster. The short one lets it end soon after the trouble does.
type pace struct {
	severity    string
	long, short time.Duration
	budget      float64 // the part of the whole budget that is gone when it fires
}

// After the SRE workbook, "Alerting on SLOs"; the third is Sloth's.
var paces = []pace{
	{P0, time.Hour, 5 * time.Minute, 0.02},
	{P1, 6 * time.Hour, 30 * time.Minute, 0.05},
	{P2, 24 * time.Hour, 2 * time.Hour, 0.10},
	{P2, 72 * time.Hour, 6 * time.Hour, 0.10},
}

// factor is how many times faster than evenly over the window the budget burns. Below 1 it would
// last, so no pace is slower than that.
func (p pace) factor(window time.Duration) float64 {
	return max(1, round(p.budget*window.Hours()/p.long.Hours()))
}

// round takes away what binary fractions add.
func round(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// pacesOf are the paces that fit into a window.
func pacesOf(window time.Duration) (list []pace) {
	for _, p := range paces {
		if p.long < window {
			list = append(list, p)
		}
	}
	return list
}

// ErrNoShare tells that there is no error budget to watch.
var ErrNoShare = errors.New("models: no objective has a share, give at least one: objective: 99%")

// SLO returns the file of burn rates and error budgets of all objectives with a share. Its error
// names each that can never alert.
func SLO(o Options) ([]byte, error) {
	window := o.Objectives.Window
	var counts []record
	var missing []rulefmt.Rule
	var errs []error
	for i := range o.Objectives.Objectives {
		obj := &o.Objectives.Objectives[i]
		if obj.Share == 0 {
			continue
		}
		errs = append(errs, impossible(obj, window))
		counts = append(counts, countRecords(obj)...)
		missing = append(missing, o.missingBucket(obj)...)
	}
	if counts == nil {
		errs = append(errs, ErrNoShare)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return o.write("inferctl slo",
		o.group("inference-slo-records", fast, o.records(append(counts, burnRecords(window)...))),
		o.group("inference-slo-budgets", slow, o.records([]record{budgetRecord(window)})),
		o.group("inference-slo-alerts", fast, append(o.burnAlerts(), missing...)))
}

// impossible tells of an objective so low that even if every request missed it the budget would
// burn too slowly for the fastest pace.
func impossible(obj *objectives.Objective, window time.Duration) error {
	p := paces[0]
	factor := p.factor(window)
	if factor*(1-obj.Share) < 1 {
		return nil
	}
	longest := time.Duration(float64(p.long) / p.budget / (1 - obj.Share)).Truncate(24 * time.Hour)
	shorter := ""
	if longest >= 48*time.Hour {
		shorter = fmt.Sprintf(", or a window of less than %s", model.Duration(longest))
	}
	return fmt.Errorf("%s.objective: %s over %s can never alert: to use up %v%% of its budget within %s, %.4g%% of the requests would have to miss it; give more than %.4g%%%s",
		obj.Key, percent(obj.Share), model.Duration(window), 100*p.budget, model.Duration(p.long),
		100*factor*(1-obj.Share), math.Ceil(1e4*(1-1/factor))/1e2, shorter)
}

func percent(share float64) string { return strconv.FormatFloat(round(100*share), 'g', -1, 64) + "%" }

func labelsOf(obj *objectives.Objective) map[string]string {
	return map[string]string{"slo": string(obj.Signal), "models": obj.Model}
}

// countRecords are all of an objective that differs from others: its share, how many requests there
// are, and how many missed it.
func countRecords(obj *objectives.Objective) []record {
	share := labelsOf(obj)
	share["objective"] = percent(obj.Share)
	all, missed := counted(obj)
	return []record{
		{"slo:inference_objective:ratio", share, fmt.Sprintf("vector(%v)", obj.Share)},
		{"model:inference_slo_requests:rate5m", labelsOf(obj), all},
		{"model:inference_slo_missed:rate5m", labelsOf(obj), missed},
	}
}

// burnRate is how fast the budget of each objective burns over a window: 1 uses up all of it within
// the window of the budget, evenly. Rates are averaged before they are divided, so that each request
// counts the same; over a window without requests there is no result, rather than NaN.
func burnRate(window time.Duration) string {
	return fmt.Sprintf(`avg_over_time(model:inference_slo_missed:rate5m[%[1]s])
/ (avg_over_time(model:inference_slo_requests:rate5m[%[1]s]) > 0)
/ on (slo, models) group_left (objective) (1 - slo:inference_objective:ratio)`, model.Duration(window))
}

func burnName(window time.Duration) string {
	return "model:inference_slo_burn_rate:ratio_rate" + model.Duration(window).String()
}

func burnRecords(window time.Duration) (list []record) {
	for _, p := range pacesOf(window) {
		for _, w := range []time.Duration{p.short, p.long} {
			r := record{burnName(w), nil, burnRate(w)}
			if !slices.ContainsFunc(list, func(other record) bool { return other.name == r.name }) {
				list = append(list, r)
			}
		}
	}
	return list
}

// budgetRecord is the part of the budget that is left, below 0 where it is overdrawn.
func budgetRecord(window time.Duration) record {
	return record{
		"model:inference_slo_error_budget:remaining_ratio",
		map[string]string{"window": model.Duration(window).String()},
		"1 - " + burnRate(window),
	}
}

// counted are the requests of an objective and those that missed it, in requests per second.
func counted(obj *objectives.Objective) (all, missed string) {
	if obj.Signal == objectives.Availability {
		all = fmt.Sprintf(`sum by ($id) (rate(inference_request_duration_seconds_count{inference_outcome!="aborted", %s}[5m]))`, obj.Matcher)
		missed = fmt.Sprintf(`sum by ($id) (rate(inference_request_duration_seconds_count{%s, %s}[5m])) or %s * 0`, failed, obj.Matcher, all)
		return all, missed
	}
	s := signalOf(obj.Signal)
	all = s.sum("rate", "count", "5m", obj.Matcher)
	// Never below 0, where count and bucket were scraped at different times.
	missed = fmt.Sprintf("clamp_min(%s - %s, 0)", all, s.sum("rate", "bucket", "5m", obj.Matcher+", "+atBound(obj.Threshold)))
	return all, missed
}

// atBound selects the bucket of a bound, as any Prometheus writes it: "1" or "1.0".
func atBound(d time.Duration) string {
	whole, fraction, broken := strings.Cut(strconv.FormatFloat(d.Seconds(), 'f', -1, 64), ".")
	if broken {
		return `le=~"` + whole + `\\.` + fraction + `"`
	}
	return `le=~"` + whole + `(\\.0)?"`
}

// budgetAlert is what all paces have in common.
var budgetAlert = Alert{
	Name: "InferenceErrorBudgetBurns", Severity: P0, Unit: Number, About: aPromise,
	Limit: Text{"several, see above", ""},
	Title: Text{
		"The error budget of {{ $labels.slo }} ({{ $labels.objective }}) burns too fast",
		"{{ $labels.slo }}（{{ $labels.objective }}）的错误预算消耗过快",
	},
	Look: Text{
		"Other alerts of the same model say what is slow or fails. The value is how many times faster than evenly the budget is used up",
		"同一模型的其他告警说明慢在何处。数值为相对匀速消耗的倍数",
	},
}

// bucketAlert tells that a histogram cannot answer: without a bucket at the threshold nothing is counted.
var bucketAlert = Alert{
	Name: "InferenceObjectiveHasNoBucket", Severity: P2, Cause: true, For: 15 * time.Minute, Unit: Number, About: aModel,
	Limit: Text{"a bucket at the threshold", ""},
	Title: Text{
		"No bucket ends at the threshold of {{ $labels.slo }}: its budget is not watched",
		"没有以 {{ $labels.slo }} 阈值为界的桶：其预算未被监控",
	},
	Look: Text{
		"Give the connector the same threshold (slo in its configuration), or take one of its bounds (docs/metrics.md)",
		"在连接器配置（slo）中写入同样的阈值，或改用其已有的界（docs/metrics.md）",
	},
}

// BudgetAlerts returns the alerts of error budgets, each once, for the page about them.
func BudgetAlerts() []Alert { return []Alert{budgetAlert, bucketAlert} }

func (o *Options) burnAlerts() (list []rulefmt.Rule) {
	for _, p := range pacesOf(o.Objectives.Window) {
		long, short, window := model.Duration(p.long).String(), model.Duration(p.short).String(), model.Duration(o.Objectives.Window).String()
		a := budgetAlert
		a.Severity, a.Threshold = p.severity, p.factor(o.Objectives.Window)
		a.Limit = Text{
			fmt.Sprintf("$threshold × the pace that lasts for %s, over %s", window, long),
			fmt.Sprintf("%s 内为 %s 匀速消耗的 $threshold 倍", long, window),
		}
		a.Expr = fmt.Sprintf(`%[1]s > $threshold
and %[2]s > $threshold
and ignoring (objective) sum_over_time(model:inference_slo_requests:rate5m[%[3]s]) * %[4]v >= $min`,
			burnName(p.long), burnName(p.short), long, o.scaled(fast).Seconds())
		r := o.alert(&a)
		r.Annotations["duration"] = long
		r.Labels["long_window"], r.Labels["short_window"] = long, short
		list = append(list, r)
	}
	return list
}

// missingBucket tells of one objective that its histogram cannot answer.
func (o *Options) missingBucket(obj *objectives.Objective) []rulefmt.Rule {
	if obj.Signal == objectives.Availability {
		return nil
	}
	s := signalOf(obj.Signal)
	a := bucketAlert
	a.Limit = Text{"le=" + obj.Threshold.String(), "le=" + obj.Threshold.String()}
	a.Expr = fmt.Sprintf("group by ($id) (%[1]s_count{%[2]s}) unless group by ($id) (%[1]s_bucket{%[2]s, %[3]s})",
		s.family, obj.Matcher, atBound(obj.Threshold))
	r := o.alert(&a)
	r.Labels["slo"], r.Labels["models"] = string(obj.Signal), obj.Model
	return []rulefmt.Rule{r}
}
