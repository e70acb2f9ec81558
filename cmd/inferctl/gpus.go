package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/page"
)

func newGPUsCommand() *cobra.Command {
	var url, format string
	cmd := &cobra.Command{
		Use:   "gpus",
		Short: "Show the GPUs and what of them is used, from a collector's metrics page",
		Long: "Reads the Prometheus page of a collector with the nvml receiver and prints a line for\n" +
			"each GPU. BUSY is the time with a kernel resident; SM, TENSOR and DRAM, known on Hopper\n" +
			"and newer, are what of the GPU was used: a GPU that is 100% busy may be mostly idle.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format: %q, give table or json", format)
			}
			families, err := page.Fetch(cmd.Context(), url)
			if err != nil {
				return err
			}
			gpus := families.GPUs()
			switch {
			case format == "json":
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(gpus)
			case len(gpus) == 0:
				fmt.Fprintln(cmd.ErrOrStderr(), "the page tells of no GPU")
				return nil
			default:
				return page.WriteGPUs(cmd.OutOrStdout(), gpus)
			}
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:9464/metrics", "address of the metrics page")
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	return cmd
}
