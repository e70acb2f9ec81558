package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/objectives"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/rules"
)

func newRulesCommand() *cobra.Command {
	o := rules.Options{}
	var dir, slo string
	cmd := &cobra.Command{
		Use:   "rules --slo FILE --out DIR",
		Short: "Make Prometheus rules: recording rules, thresholds and alerts for your objectives",
		Long: "Writes three rule files: thresholds (those of the objectives file), recording rules, and\n" +
			"alerts. Name the folder under rule_files in prometheus.yml and reload Prometheus. What each\n" +
			"alert means, and how to change it, is in docs/alerts.md.",
		Example: "  inferctl rules --slo slo.yaml --out /etc/prometheus/inference --grafana https://grafana.example.com",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := load(&o, slo); err != nil {
				return err
			}
			files, err := rules.Files(o)
			if err != nil {
				return fmt.Errorf("%s:\n%w", slo, err)
			}
			errs := []error{os.MkdirAll(dir, 0o755)} //nolint:gosec // Prometheus runs as another user
			for name, data := range files {
				errs = append(errs, writeRules(filepath.Join(dir, name), data))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&dir, "out", "", "folder for the rule files")
	cmd.Flags().StringVar(&slo, "slo", "", "file of objectives, such as distribution/prometheus/slo.yaml")
	registerRules(cmd, &o)
	for _, flag := range []string{"out", "slo"} {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic(err) // a flag that was not defined above
		}
	}
	return cmd
}

func newSLOCommand() *cobra.Command {
	o := rules.Options{}
	var out string
	cmd := &cobra.Command{
		Use:   "slo FILE",
		Short: "Make Prometheus rules that watch error budgets, from a file of objectives",
		Long: "Writes recording rules of the share of requests that miss each objective, what is left of\n" +
			"its error budget, and alerts that fire when that burns too fast over a long and a short\n" +
			"window. An objective that could never alert is an error.",
		Example: "  inferctl slo slo.yaml --out /etc/prometheus/inference/inference-slo.rules.yml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := load(&o, args[0]); err != nil {
				return err
			}
			data, err := rules.SLO(o)
			if err != nil {
				return fmt.Errorf("%s:\n%w", args[0], err)
			}
			if out == "" {
				_, err = cmd.OutOrStdout().Write(data)
				return err
			}
			return writeRules(out, data)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "file to write (default standard output)")
	registerRules(cmd, &o)
	return cmd
}

func registerRules(cmd *cobra.Command, o *rules.Options) {
	cmd.Flags().IntVar(&o.Scale, "scale", 1, "divides every window and waiting time; 60 makes seconds of minutes, for tests")
	cmd.Flags().StringVar(&o.Grafana, "grafana", rules.DefaultGrafana, "address of Grafana, for links in messages")
}

func load(o *rules.Options, file string) error {
	var err error
	if o.Objectives, err = objectives.Load(file); err != nil {
		return errors.Join(err, o.Check())
	}
	return o.Check()
}

func writeRules(file string, data []byte) error {
	return os.WriteFile(file, data, 0o644) //nolint:gosec // Prometheus runs as another user
}
