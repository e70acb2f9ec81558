package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/install"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/rules"
)

func newInstallCommand() *cobra.Command {
	o := rules.Options{Scale: 1}
	var prometheus, alertmanager, slo, from string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put rules and alert routes into a Prometheus and an Alertmanager that you have",
		Long: "Writes rule files beside prometheus.yml and names them in it; writes templates beside\n" +
			"alertmanager.yml, and routes, inhibition and receivers into it where they are missing. All\n" +
			"else in the two files stays, and they are kept as they were, as .bak. Do it again after a\n" +
			"change of objectives: rules and templates are written anew.",
		Example: "  inferctl install --prometheus /etc/prometheus/prometheus.yml --alertmanager /etc/alertmanager/alertmanager.yml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if prometheus == "" && alertmanager == "" {
				return errors.New("give --prometheus, --alertmanager, or both")
			}
			if prometheus != "" {
				if err := installRules(cmd, &o, slo, prometheus); err != nil {
					return err
				}
			}
			if alertmanager != "" {
				added, err := install.Alertmanager(alertmanager, from)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "receivers inference-P0, -P1 and -P2 are in %s: give them your addresses and secrets, then reload Alertmanager\n", alertmanager)
				if len(added) > 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "these settings are new there, and need your values: %s\n", strings.Join(added, ", "))
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&prometheus, "prometheus", "", "prometheus.yml to change")
	f.StringVar(&alertmanager, "alertmanager", "", "alertmanager.yml to change")
	f.StringVar(&slo, "slo", "distribution/prometheus/slo.yaml", "file of objectives")
	f.StringVar(&from, "from", "distribution/alertmanager", "folder of the Alertmanager configuration that is shipped")
	f.StringVar(&o.Grafana, "grafana", rules.DefaultGrafana, "address of Grafana, for links in messages")
	return cmd
}

func installRules(cmd *cobra.Command, o *rules.Options, slo, config string) error {
	if err := load(o, slo); err != nil {
		return err
	}
	files, err := rules.Files(*o)
	if err != nil {
		return fmt.Errorf("%s:\n%w", slo, err)
	}
	budgets, err := rules.SLO(*o)
	switch {
	case err == nil:
		files["inference-slo.rules.yml"] = budgets
	case !errors.Is(err, rules.ErrNoShare): // thresholds alone are fine
		return fmt.Errorf("%s:\n%w", slo, err)
	}
	dir, err := install.Prometheus(config, files)
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "rules are in %s and named in %s: reload Prometheus\n", dir, config)
	}
	return err
}
