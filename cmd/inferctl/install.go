package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/dashboards"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/install"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/rules"
)

func newInstallCommand() *cobra.Command {
	o := rules.Options{Scale: 1}
	var prometheus, alertmanager, slo, from, folder string
	var withDashboards bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put rules, alert routes and dashboards into a Prometheus, an Alertmanager and a Grafana that you have",
		Long: "Writes rule files beside prometheus.yml and names them in it; writes templates beside\n" +
			"alertmanager.yml, and routes, inhibition and receivers into it where they are missing. All\n" +
			"else in the two files stays, and they are kept as they were, as .bak. Brings dashboards\n" +
			"into Grafana by its API: with the token of a service account with the role Editor in\n" +
			"GRAFANA_TOKEN, or name:password in GRAFANA_USER. Do it again after a change of objectives:\n" +
			"rules, templates and dashboards are written anew.",
		Example: "  GRAFANA_TOKEN=glsa_... inferctl install --prometheus /etc/prometheus/prometheus.yml \\\n" +
			"    --alertmanager /etc/alertmanager/alertmanager.yml --grafana http://127.0.0.1:3000 --dashboards",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if prometheus == "" && alertmanager == "" && !withDashboards {
				return errors.New("give --prometheus, --alertmanager, --dashboards, or all of them")
			}
			// All is looked at before anything is written.
			var ruleFiles, routes *install.Change
			var errs [2]error
			if prometheus != "" {
				ruleFiles, errs[0] = changeOfRules(&o, slo, prometheus)
			}
			if alertmanager != "" {
				routes, errs[1] = install.Alertmanager(alertmanager, from)
			}
			if err := errors.Join(errs[:]...); err != nil {
				return err
			}
			if ruleFiles != nil {
				if err := ruleFiles.Write(); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "rules are in %s and named in %s: reload Prometheus\n", ruleFiles.Dir, prometheus)
			}
			if routes != nil {
				if err := routes.Write(); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "receivers inference-P0, -P1 and -P2 are in %s: give them your addresses and secrets, then reload Alertmanager\n", alertmanager)
				if len(routes.Added) > 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "these settings are new there, and need your values: %s\n", strings.Join(routes.Added, ", "))
				}
			}
			if withDashboards {
				return installDashboards(cmd, &install.Grafana{
					URL: o.Grafana, Token: os.Getenv("GRAFANA_TOKEN"), User: os.Getenv("GRAFANA_USER"), Folder: folder,
				})
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&prometheus, "prometheus", "", "prometheus.yml to change")
	f.StringVar(&alertmanager, "alertmanager", "", "alertmanager.yml to change")
	f.StringVar(&slo, "slo", "distribution/prometheus/slo.yaml", "file of objectives")
	f.StringVar(&from, "from", "distribution/alertmanager", "folder of the Alertmanager configuration that is shipped")
	f.StringVar(&o.Grafana, "grafana", rules.DefaultGrafana, "address of Grafana, for links in messages and for --dashboards")
	f.BoolVar(&withDashboards, "dashboards", false, "bring the dashboards into Grafana")
	f.StringVar(&folder, "folder", "", "UID of the folder for the dashboards; none is Grafana's own first one")
	return cmd
}

func installDashboards(cmd *cobra.Command, g *install.Grafana) error {
	for _, d := range dashboards.All() {
		text, err := textOf(&d)
		if err == nil {
			err = g.Dashboard(cmd.Context(), text)
		}
		if err != nil {
			return fmt.Errorf("the dashboard %s was not taken by %s: %w", d.UID, g.URL, err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "a dashboard is at %s/d/%s\n", strings.TrimRight(g.URL, "/"), d.UID)
	}
	return nil
}

func changeOfRules(o *rules.Options, slo, config string) (*install.Change, error) {
	if err := load(o, slo); err != nil {
		return nil, err
	}
	files, err := rules.Files(*o)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", slo, err)
	}
	budgets, err := rules.SLO(*o)
	switch {
	case err == nil:
		files["inference-slo.rules.yml"] = budgets
	case !errors.Is(err, rules.ErrNoShare): // thresholds alone are fine
		return nil, fmt.Errorf("%s:\n%w", slo, err)
	}
	return install.Prometheus(config, files)
}
