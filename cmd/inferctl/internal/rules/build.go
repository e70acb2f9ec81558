package rules

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Options is what there is to choose about the rules.
type Options struct {
	Objectives *objectives.File
	// Scale divides every window, offset and "for": 60 makes seconds of minutes, for tests.
	Scale int
	// Grafana is where the dashboards are, without a slash at the end.
	Grafana string
}

// DefaultGrafana is where Grafana listens by default.
const DefaultGrafana = "http://localhost:3000"

// Check reports every option that is wrong, with its flag.
func (o *Options) Check() error {
	var errs []error
	if o.Scale < 1 {
		errs = append(errs, fmt.Errorf("--scale: %d, give 1 or more", o.Scale))
	}
	if u, err := url.Parse(o.Grafana); err != nil || u.Host == "" || u.RawQuery != "" || strings.HasSuffix(o.Grafana, "/") {
		errs = append(errs, fmt.Errorf("--grafana: %q, give the address of Grafana without a slash at the end, such as %s", o.Grafana, DefaultGrafana))
	}
	return errors.Join(errs...)
}

// runbooks is where the page of alerts is.
const runbooks = "https://github.com/otelcol-inference/otelcol-inference/blob/main/docs/alerts.md"

// Files returns the rule files by name.
func Files(o Options) (map[string][]byte, error) {
	alerts, err := o.alerts()
	if err != nil {
		return nil, err
	}
	groups := map[string][]rulefmt.RuleGroup{
		"inference-thresholds.rules.yml": {o.group("inference-thresholds", fast, o.records(thresholdRecords(o.Objectives)))},
		"inference-records.rules.yml": {
			o.group("inference-records", fast, o.records(basicRecords())),
			o.group("inference-baselines", slow, o.records(baselineRecords())),
		},
		"inference-alerts.rules.yml": {o.group("inference-alerts", fast, alerts)},
	}
	files := map[string][]byte{}
	for name, list := range groups {
		data, err := o.write("inferctl rules", list...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = data
	}
	return files, nil
}

func (o *Options) group(name string, interval time.Duration, list []rulefmt.Rule) rulefmt.RuleGroup {
	return rulefmt.RuleGroup{Name: name, Interval: model.Duration(o.scaled(interval)), Rules: list}
}

func (o *Options) scaled(d time.Duration) time.Duration { return d / time.Duration(o.Scale) }

func (o *Options) records(list []record) (rules []rulefmt.Rule) {
	for _, r := range list {
		rules = append(rules, rulefmt.Rule{Record: r.name, Labels: r.labels, Expr: r.expr})
	}
	return rules
}

// alerts are those of the table, as the objectives file changes them.
func (o *Options) alerts() (rules []rulefmt.Rule, err error) {
	var errs []error
	known := map[string]bool{}
	for _, a := range Table() {
		known[a.Name] = true
		change := o.Objectives.Alerts[a.Name]
		errs = append(errs, a.change(change))
		if !change.Off {
			rules = append(rules, o.alert(&a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Objectives.Alerts)) {
		if !known[name] {
			errs = append(errs, fmt.Errorf("alerts.%s: there is no alert of this name that can be changed; docs/alerts.md has them (those of error budgets follow from the objectives)", name))
		}
	}
	return rules, errors.Join(errs...)
}

// change makes the change of an objectives file.
func (a *Alert) change(c objectives.Override) error {
	var errs []error
	key := "alerts." + a.Name
	if c.Threshold != nil {
		if a.Threshold == 0 {
			errs = append(errs, fmt.Errorf("%s.threshold: it has none of its own, change the thresholds of models", key))
		} else if *c.Threshold <= 0 {
			errs = append(errs, fmt.Errorf("%s.threshold: %v, give more than 0", key, *c.Threshold))
		}
		a.Threshold = *c.Threshold
	}
	if c.For != "" {
		d, err := model.ParseDuration(c.For)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s.for: %q, give a time such as 10m", key, c.For))
		}
		a.For = time.Duration(d)
	}
	if c.Severity != "" {
		if !slices.Contains([]string{P0, P1, P2}, c.Severity) {
			errs = append(errs, fmt.Errorf("%s.severity: %q, give P0, P1 or P2", key, c.Severity))
		}
		a.Severity = c.Severity
	}
	return errors.Join(errs...)
}

func (o *Options) alert(a *Alert) rulefmt.Rule {
	kind := "symptom"
	if a.Cause {
		kind = "cause"
	}
	r := rulefmt.Rule{
		Alert: a.Name, For: model.Duration(o.scaled(a.For)),
		Expr: strings.NewReplacer("$threshold", strconv.FormatFloat(a.Threshold, 'g', -1, 64),
			"$min", strconv.Itoa(o.Objectives.MinRequests)).Replace(a.Expr),
		Labels: map[string]string{"severity": a.Severity, "kind": kind},
		Annotations: map[string]string{
			"summary": a.Title.EN + ": " + a.About.Name, "summary_zh": a.Title.ZH + "：" + a.About.Name,
			"description": a.Look.EN + ".", "description_zh": a.Look.ZH + "。",
			"value": a.value(), "duration": model.Duration(o.scaled(a.For)).String(),
			"dashboard":   o.link(a.About),
			"runbook_url": runbooks + "#" + strings.ToLower(a.Name),
		},
	}
	if a.About.isModel() {
		r.Annotations["model"] = "{{ $labels.inference_model_name }}"
	}
	limit := a.InWords()
	r.Annotations["threshold"] = limit.EN
	if limit.ZH != limit.EN {
		r.Annotations["threshold_zh"] = limit.ZH
	}
	return r
}

func (s *Subject) isModel() bool { return strings.Contains(s.Name, "inference_model_name") }

// value is the template of the value. A quantile in the last bucket is that bucket's lower bound:
// it was longer than that, nobody knows how much.
func (a *Alert) value() string {
	switch a.Unit {
	case Latency:
		return fmt.Sprintf(`{{ if or (ge $value %.1f) (and (eq $labels.slo "tpot") (ge $value %.1f)) }}over {{ end }}{{ humanizeDuration $value }}`,
			lastBound(inference.MetricRequestDuration), lastBound(inference.MetricCallTPOT))
	case Seconds:
		return "{{ humanizeDuration $value }}"
	case Share:
		return "{{ humanizePercentage $value }}"
	default:
		return "{{ humanize $value }}"
	}
}

// InWords is the threshold in words; it may have templates of labels.
func (a *Alert) InWords() Text {
	number := strconv.FormatFloat(a.Threshold, 'g', -1, 64)
	switch {
	case a.Threshold == 0 && a.Limit == Text{}:
		return Text{"{{ $labels.threshold }}", "{{ $labels.threshold }}"}
	case a.Unit == Share:
		number = strconv.FormatFloat(100*a.Threshold, 'g', 4, 64) + "%"
	case a.Unit == Seconds && a.Limit == Text{}:
		number = seconds(a.Threshold).String()
	}
	if (a.Limit == Text{}) {
		return Text{number, number}
	}
	with := func(s string) string { return strings.ReplaceAll(s, "$threshold", number) }
	return Text{with(a.Limit.EN), with(a.Limit.ZH)}
}

// link is the template of the address of a dashboard that shows what the alert is about.
func (o *Options) link(about Subject) string {
	variables := make([]string, len(about.Variables))
	for i, v := range about.Variables {
		variables[i] = fmt.Sprintf("var-%s={{ $labels.%s | urlquery }}", v.Name, v.Label)
	}
	link := o.Grafana + "/d/" + about.Dashboard
	if len(variables) > 0 {
		link += "?" + strings.Join(variables, "&")
	}
	return link
}

// write scales the groups and returns their file, after Prometheus' own parser has found nothing
// wrong with it.
func (o *Options) write(command string, groups ...rulefmt.RuleGroup) ([]byte, error) {
	promql := parser.NewParser(parser.Options{})
	for _, g := range groups {
		for i := range g.Rules {
			expr, err := promql.ParseExpr(strings.ReplaceAll(g.Rules[i].Expr, "$id", id))
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", g.Rules[i].Record, g.Rules[i].Alert, err)
			}
			o.scale(expr)
			g.Rules[i].Expr = parser.Prettify(expr)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Code generated by %s. DO NOT EDIT: change slo.yaml (docs/alerts.md).\n", command)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(rulefmt.RuleGroups{Groups: groups}), e.Close()); err != nil {
		return nil, err
	}
	_, errs := rulefmt.Parse(b.Bytes(), false, model.LegacyValidation, promql, promslog.NewNopLogger())
	return b.Bytes(), errors.Join(errs...)
}

// scale divides every window and offset of an expression.
func (o *Options) scale(expr parser.Expr) {
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.MatrixSelector:
			n.Range = o.scaled(n.Range)
		case *parser.SubqueryExpr:
			n.Range, n.Step, n.OriginalOffset = o.scaled(n.Range), o.scaled(n.Step), o.scaled(n.OriginalOffset)
		case *parser.VectorSelector:
			n.OriginalOffset = o.scaled(n.OriginalOffset)
		}
		return nil
	})
}
