package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/dashboards"
)

func newDashboardsCommand() *cobra.Command {
	var output string
	var check bool
	cmd := &cobra.Command{
		Use:   "dashboards",
		Short: "Write the Grafana dashboards, or check what they ask for",
		Long: "Writes one JSON file for each dashboard, in the classic schema, which Grafana 10 to 13\n" +
			"load. Nothing is written unless every query asks for metrics and labels that the\n" +
			"distribution emits, rates have Grafana's interval, quantiles are of histograms, and\n" +
			"every panel has title, unit and description. With --check that is all that it does.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := dashboards.All()
			if err := dashboards.Check(list); err != nil {
				return err
			}
			if check {
				fmt.Fprintf(cmd.OutOrStdout(), "%d dashboards: nothing is wrong\n", len(list))
				return nil
			}
			return writeDashboards(output, list)
		},
	}
	cmd.Flags().StringVar(&output, "output", "distribution/grafana/dashboards", "folder to write to")
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, only check")
	return cmd
}

// textOf is a dashboard as Grafana loads it.
func textOf(d *dashboards.Dashboard) ([]byte, error) {
	made, err := d.Build()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.UID, err)
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.UID, err)
	}
	return text, nil
}

func writeDashboards(dir string, list []dashboards.Dashboard) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // for everybody
		return err
	}
	for _, d := range list {
		text, err := textOf(&d)
		if err != nil {
			return err
		}
		if err = os.WriteFile(filepath.Join(dir, d.UID+".json"), append(text, '\n'), 0o644); err != nil { //nolint:gosec // for everybody
			return err
		}
	}
	return nil
}
