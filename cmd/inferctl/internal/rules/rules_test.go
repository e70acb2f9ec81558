package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/catalog"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
)

func options(t *testing.T, file string) Options {
	t.Helper()
	f, err := objectives.Parse([]byte(file))
	require.NoError(t, err)
	return Options{Objectives: f, Scale: 1, Grafana: DefaultGrafana}
}

const all = `
models:
  - model: "big/.*"
    request: {threshold: 2m, objective: 95%}
  - model: ".*"
    request: {threshold: 30s, objective: 99%}
    ttft: {threshold: 1s, objective: 95%}
    tpot: {threshold: 100ms, objective: 95%}
    availability: {objective: 99.5%}
`

type rule struct {
	Record, Alert, Expr string
	For                 model.Duration
	Labels, Annotations map[string]string
}

// rulesOf are all rules of all files.
func rulesOf(t *testing.T, o Options) (list []rule) {
	t.Helper()
	files, err := Files(o)
	require.NoError(t, err)
	files["slo"], err = SLO(o)
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var f struct{ Groups []struct{ Rules []rule } }
		require.NoError(t, yaml.Unmarshal(files[name], &f))
		for _, g := range f.Groups {
			list = append(list, g.Rules...)
		}
	}
	return list
}

// Guarantees: every metric that a rule looks at is emitted by the distribution with the labels that the rule
// names, or recorded by another rule; and what is recorded is looked at or is the budget.
func TestMetricsExist(t *testing.T) {
	list := rulesOf(t, options(t, all))
	recorded := map[string]bool{}
	for _, r := range list {
		if r.Record != "" {
			recorded[r.Record] = r.Record == "model:inference_slo_error_budget:remaining_ratio" // for dashboards
		}
	}
	promql := parser.NewParser(parser.Options{})
	for _, r := range list {
		expr, err := promql.ParseExpr(r.Expr)
		require.NoError(t, err)
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			s, ok := n.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			if _, ok := recorded[s.Name]; ok {
				recorded[s.Name] = true
				return nil
			}
			m, ok := catalog.Find(s.Name)
			if !assert.True(t, ok, "%s%s: nobody emits %s", r.Record, r.Alert, s.Name) {
				return nil
			}
			assert.False(t, m.Optional, "%s%s: %s is off by default", r.Record, r.Alert, s.Name)
			for _, matcher := range s.LabelMatchers {
				if matcher.Name != model.MetricNameLabel {
					assert.True(t, m.HasLabel(s.Name, matcher.Name), "%s%s: %s has no label %s", r.Record, r.Alert, s.Name, matcher.Name)
				}
			}
			return nil
		})
	}
	for name, used := range recorded {
		assert.True(t, used, "%s is recorded for nobody", name)
	}
}

// Guarantees: each alert has all that a message needs, in both languages, in one pair of severity and kind.
func TestAlertsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, a := range Table() {
		assert.False(t, names[a.Name], a.Name)
		names[a.Name] = true
		assert.Regexp(t, `^Inference[A-Z]\w+$`, a.Name)
		assert.Equal(t, strings.Contains(a.Expr, "$threshold"), a.Threshold != 0, "%s: threshold in expression and table", a.Name)
	}
	for _, r := range rulesOf(t, options(t, all)) {
		if r.Alert == "" {
			continue
		}
		assert.Contains(t, []string{P0, P1, P2}, r.Labels["severity"], r.Alert)
		assert.Contains(t, []string{"symptom", "cause"}, r.Labels["kind"], r.Alert)
		for _, key := range []string{"summary", "summary_zh", "description", "description_zh", "value", "threshold", "duration", "dashboard", "runbook_url"} {
			assert.NotEmpty(t, r.Annotations[key], "%s: %s", r.Alert, key)
		}
		for text, value := range r.Annotations {
			assert.NotContains(t, value, "$threshold", "%s: %s", r.Alert, text)
		}
		assert.Equal(t, strings.Contains(r.Annotations["summary"], "inference_model_name"), r.Annotations["model"] != "", r.Alert)
	}
}

// Guarantees: each link leads to a dashboard that is shipped, and sets variables that it has.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`/d/([\w-]+)(?:\?(.*))?$`)
	variable := regexp.MustCompile(`var-(\w+)=`)
	for _, r := range rulesOf(t, options(t, all)) {
		if r.Alert == "" {
			continue
		}
		parts := link.FindStringSubmatch(r.Annotations["dashboard"])
		require.NotNil(t, parts, r.Alert)
		data, err := os.ReadFile("../../../../distribution/grafana/dashboards/" + parts[1] + ".json")
		require.NoError(t, err, r.Alert)
		var d struct {
			UID        string
			Templating struct{ List []struct{ Name string } }
		}
		require.NoError(t, json.Unmarshal(data, &d))
		assert.Equal(t, parts[1], d.UID)
		for _, v := range variable.FindAllStringSubmatch(parts[2], -1) {
			assert.True(t, slices.ContainsFunc(d.Templating.List, func(have struct{ Name string }) bool { return have.Name == v[1] }),
				"%s: %s has no variable %s", r.Alert, d.UID, v[1])
		}
	}
}

// Guarantees: a scale divides every window, offset and waiting time, and no threshold.
func TestScale(t *testing.T) {
	o := options(t, all)
	window := regexp.MustCompile(`(?:\[|offset )(\w+)`)
	plain := rulesOf(t, o)
	o.Scale = 60
	for i, r := range rulesOf(t, o) {
		before, after := window.FindAllStringSubmatch(plain[i].Expr, -1), window.FindAllStringSubmatch(r.Expr, -1)
		require.Len(t, after, len(before), "%s%s", r.Record, r.Alert)
		for j := range before {
			from, err := model.ParseDuration(before[j][1])
			require.NoError(t, err)
			to, err := model.ParseDuration(after[j][1])
			require.NoError(t, err)
			assert.Equal(t, from/60, to, "%s%s", r.Record, r.Alert)
		}
		if r.Alert == "InferenceLatencyRising" {
			assert.Equal(t, model.Duration(15*time.Second), r.For)
			assert.Contains(t, r.Expr, "offset 15s")
			assert.Equal(t, "15s", r.Annotations["duration"])
		}
	}
	require.ErrorContains(t, (&Options{Scale: 0, Grafana: "x/"}).Check(), "--scale")
	require.ErrorContains(t, (&Options{Scale: 0, Grafana: "x/"}).Check(), "--grafana")
}

// Guarantees: the file of objectives changes threshold, waiting time and severity of an alert, switches it
// off, and is told of everything that cannot be.
func TestOverrides(t *testing.T) {
	list := rulesOf(t, options(t, all+`
alerts:
  InferenceErrorRateHigh: {threshold: 0.02, for: 1m, severity: P1}
  InferenceTruncated: {off: true}
`))
	found := false
	for _, r := range list {
		assert.NotEqual(t, "InferenceTruncated", r.Alert)
		if r.Alert == "InferenceErrorRateHigh" {
			found = true
			assert.Contains(t, r.Expr, "> 0.02")
			assert.Equal(t, model.Duration(time.Minute), r.For)
			assert.Equal(t, P1, r.Labels["severity"])
			assert.Equal(t, "2%", r.Annotations["threshold"])
			assert.Equal(t, "1m", r.Annotations["duration"])
		}
	}
	assert.True(t, found)

	_, err := Files(options(t, all+`
alerts:
  InferenceErrorRateHigh: {threshold: -1, for: soon, severity: P9}
  InferenceLatencyCritical: {threshold: 3}
  InferenceNothing: {off: true}
`))
	for _, key := range []string{
		"InferenceErrorRateHigh.threshold", "InferenceErrorRateHigh.for", "InferenceErrorRateHigh.severity",
		"InferenceLatencyCritical.threshold", "InferenceNothing: there is no alert",
	} {
		assert.ErrorContains(t, err, "alerts."+key)
	}
}

// Guarantees: thresholds are those of the file, and what is critical is never more than a histogram can tell.
func TestThresholds(t *testing.T) {
	o := options(t, `
models:
  - {model: "slow", request: {threshold: 400s}}
  - {model: "slower", request: {threshold: 900s}}
  - {model: ".*", tpot: {threshold: 50ms}}
`)
	got := map[string]string{}
	for _, r := range thresholdRecords(o.Objectives) {
		got[r.labels["slo"]+" "+r.labels["level"]+" "+r.labels["threshold"]] = regexp.MustCompile(`\S+$`).FindString(r.expr)
	}
	assert.Equal(t, map[string]string{
		"request objective 6m40s": "400", "request critical 10m0s": "600",
		"request objective 15m0s": "900", "request critical 15m0s": "900",
		"tpot objective 50ms": "0.05", "tpot critical 100ms": "0.1",
	}, got)
}

// Guarantees: factors follow from the window; none is below 1, and no pace is longer than the window.
func TestFactors(t *testing.T) {
	for days, want := range map[int][]float64{
		30: {14.4, 6, 3, 1}, 28: {13.44, 5.6, 2.8, 1}, 90: {43.2, 18, 9, 3}, 7: {3.36, 1.4, 1, 1}, 2: {1, 1, 1},
	} {
		window := time.Duration(days) * 24 * time.Hour
		var got []float64
		for _, p := range pacesOf(window) {
			got = append(got, p.factor(window))
		}
		assert.InDeltaSlice(t, want, got, 1e-9, "%d days", days)
	}
}

// Guarantees: objectives that could never alert are refused, all at once, and the ways out that are told lead out.
func TestImpossibleObjectives(t *testing.T) {
	file := `
window: %s
models:
  - {model: "a", request: {threshold: 1s, objective: %s}, availability: {objective: %s}}
`
	_, err := SLO(options(t, fmt.Sprintf(file, "30d", "90%", "93%")))
	require.Error(t, err)
	require.ErrorContains(t, err, "models[0].request.objective: 90% over 30d can never alert: to use up 2% of its budget within 1h, 144% of the requests would have to miss it; give more than 93.06%, or a window of less than 20d")
	require.ErrorContains(t, err, "models[0].availability.objective: 93% over 30d")
	for _, possible := range [][]any{{"30d", "93.06%", "99%"}, {"19d", "90%", "99%"}} {
		_, err = SLO(options(t, fmt.Sprintf(file, possible...)))
		require.NoError(t, err, "%v", possible)
	}
	_, err = SLO(options(t, `models: [{model: "a", request: {threshold: 1s}}]`))
	require.ErrorContains(t, err, "no objective has a share")
}

// Guarantees: a bucket is found however Prometheus writes its bound, and no other one is.
func TestBound(t *testing.T) {
	for d, want := range map[time.Duration][2][]string{
		10 * time.Second:       {{"10", "10.0"}, {"100", "1000", "10x0", "110"}},
		100 * time.Millisecond: {{"0.1"}, {"0x1", "0.15", "10.1"}},
		time.Hour:              {{"3600", "3600.0"}, {"36000"}},
	} {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr("x{" + atBound(d) + "}")
		require.NoError(t, err)
		for _, m := range expr.(*parser.VectorSelector).LabelMatchers {
			if m.Name != "le" {
				continue
			}
			for _, le := range want[0] {
				assert.True(t, m.Matches(le), "%s: %s", d, le)
			}
			for _, le := range want[1] {
				assert.False(t, m.Matches(le), "%s: %s", d, le)
			}
		}
	}
}
