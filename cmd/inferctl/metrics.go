package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/catalog"
)

func newMetricsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "List every metric that the distribution emits, with its name and labels in Prometheus",
		Long: "Lists what the collector emits with the shipped configurations: each metric's name in\n" +
			"OTLP and on a Prometheus page, its type, who emits it, and its labels. Those marked\n" +
			"optional are off until a configuration turns them on.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "table":
				return writeMetrics(cmd.OutOrStdout(), catalog.All())
			case "json":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(catalog.All())
			default:
				return fmt.Errorf("--format: %q, give table or json", format)
			}
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}

func writeMetrics(w io.Writer, list []*catalog.Metric) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROMETHEUS\tTYPE\tOTLP\tUNIT\tFROM\tLABELS")
	for _, m := range list {
		from := string(m.Source)
		if m.Optional {
			from += " (optional)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", m.Family, m.Type, m.Name, m.Unit, from, strings.Join(m.Labels, ","))
	}
	return t.Flush()
}
