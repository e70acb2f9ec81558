// Command gendocs writes the page of alerts: what they mean comes from the table, the rest from alerts.md.tmpl.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"github.com/prometheus/common/model"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/rules"
)

//go:embed alerts.md.tmpl
var page string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gendocs FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// section is an alert as the page shows it.
type section struct {
	rules.Alert
	Means, For, Limit, Kind string
}

func write(file string) error {
	var list []section
	for _, a := range append(rules.Table(), rules.BudgetAlerts()...) {
		s := section{Alert: a, Means: plain(a.Title.EN), For: model.Duration(a.For).String(), Limit: plain(a.InWords().EN), Kind: "symptom"}
		if a.Cause {
			s.Kind = "cause"
		}
		if a.For == 0 {
			s.For = "at once"
		}
		list = append(list, s)
	}
	t, err := template.New(file).Funcs(template.FuncMap{"anchor": strings.ToLower, "trim": strings.TrimSpace}).Parse(page)
	if err != nil {
		return err
	}
	f, err := os.Create(file) //nolint:gosec // the Makefile names the file
	if err != nil {
		return err
	}
	defer f.Close()
	return t.Execute(f, struct {
		Alerts  []section
		Signals []objectives.Signal
	}{list, []objectives.Signal{objectives.Request, objectives.TTFT, objectives.TPOT, objectives.Availability}})
}

// plain says what stands for a label in a template.
func plain(s string) string {
	return strings.NewReplacer(
		"{{ $labels.threshold }}", "that of the objectives file",
		"{{ $labels.slo }} ({{ $labels.objective }})", "an objective",
		"{{ $labels.slo }}", "request, ttft or tpot",
		"{{ $labels.inference_phase }}", "of a call",
		"{{ $labels.nvidia_xid_code }}", "error",
		"{{ $labels.hw_state }}", "not ok",
		" ({{ $labels.nvidia_gpu_clock_limit_reason }})", "",
	).Replace(s)
}
