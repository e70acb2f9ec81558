package rules

import "time"

// The severities of an alert, as its label severity.
const (
	P0 = "P0" // users are hurt now: wake somebody
	P1 = "P1" // users are hurt a little or soon: look within the hour
	P2 = "P2" // it gets worse, or money is lost: look within the day
)

// Alert is one entry of the tables.
type Alert struct {
	Name     string
	Severity string
	// Cause tells why it is slow; all others tell that it is. A symptom mutes lesser symptoms of
	// the same model, and never a cause.
	Cause bool
	For   time.Duration
	// Expr is PromQL in which $id are the labels of a model in a service, $threshold is Threshold
	// and $min the least number of requests.
	Expr string
	// Threshold is what the objectives file can change. 0: it is in the series of thresholds.
	Threshold float64
	Unit      Unit
	// Limit is how the threshold is told where it is more than a number; $threshold stands for it.
	Limit Text
	About Subject
	// Title says what is wrong, and Look where to look first. Neither has a full stop at its end.
	Title, Look Text
}

// Text is said in English and in Chinese.
type Text struct{ EN, ZH string }

// Unit is the unit of an alert's value, and of its threshold where it has no Limit.
type Unit int

// The units.
const (
	Seconds Unit = iota
	Latency      // seconds, read from a histogram whose last bound is the most that it can tell
	Share        // 0 to 1
	Number
)

// Subject is what an alert is about: it decides its name in messages and the dashboard.
type Subject struct {
	// Name is the template of the name.
	Name string
	// Dashboard is the UID, and Variables are the labels that the link hands to its variables.
	Dashboard string
	Variables []Variable
}

// Variable hands the value of a label to a dashboard's variable.
type Variable struct{ Name, Label string }

// The subjects.
var (
	aModel = Subject{"{{ $labels.inference_model_name }}{{ with $labels.service_name }} ({{ . }}){{ end }}", dashboardSlow, []Variable{
		{"environment", "deployment_environment_name"}, {"service", "service_name"}, {"model", "inference_model_name"},
	}}
	aPromise  = Subject{aModel.Name, dashboardOverview, aModel.Variables}
	anEngine  = Subject{"{{ $labels.inference_model_name }}", dashboardSlow, []Variable{{"model", "inference_model_name"}}}
	aGPU      = Subject{"{{ $labels.hw_id }}", dashboardGPUs, []Variable{{"gpu", "hw_id"}}}
	aHost     = Subject{"{{ $labels.instance }}", dashboardSlow, nil}
	aPod      = Subject{"{{ $labels.namespace }}/{{ $labels.pod }}", dashboardSlow, nil}
	aGPUFleet = Subject{"all GPUs", dashboardGPUs, nil}
)

// The dashboards of distribution/grafana.
const (
	dashboardOverview = "inference-overview"
	dashboardSlow     = "inference-slow"
	dashboardGPUs     = "inference-gpus"
)

// Table returns every alert, symptoms first. The caller must not change it.
func Table() []Alert {
	return append(append(append([]Alert{}, symptoms...), baselines...), causes...)
}
