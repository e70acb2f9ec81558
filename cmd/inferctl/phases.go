package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/page"
)

func newPhasesCommand() *cobra.Command {
	var url, format string
	cmd := &cobra.Command{
		Use:   "phases",
		Short: "Show where requests spend their time, from a collector's metrics page",
		Long: "Reads the Prometheus page of a collector and prints count, p50, p95 and p99 of\n" +
			"every phase of every model, and of whole requests, TTFT and TPOT, since the\n" +
			"collector started. Quantiles are interpolated in buckets as Prometheus does.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format: %q, give table or json", format)
			}
			families, err := page.Fetch(cmd.Context(), url)
			if err != nil {
				return err
			}
			rows := families.Rows()
			if format == "json" {
				return page.WriteJSON(cmd.OutOrStdout(), rows)
			}
			if len(rows) == 0 {
				return errors.New("the page has no inference_phase_duration_seconds yet: no request has been seen, or not flushed")
			}
			return page.WriteTable(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:9464/metrics", "address of the metrics page")
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}
