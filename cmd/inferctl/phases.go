package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/page"
)

// errNothing is for a page that is served and says nothing yet.
var errNothing = errors.New("the page tells of no request yet: with the default waits the first numbers show a minute " +
	"after the first request (linger, then a flush, then first_point_hold)")

func newPhasesCommand() *cobra.Command {
	var url, format string
	var over time.Duration
	cmd := &cobra.Command{
		Use:   "phases",
		Short: "Show where requests spend their time, from a collector's metrics page",
		Long: "Reads the Prometheus page of a collector and prints count, p50, p95 and p99 of\n" +
			"every phase of every model, and of whole requests, TTFT and TPOT, since the\n" +
			"collector started, or of what it observes from now on (--over). Quantiles are\n" +
			"interpolated in buckets as Prometheus does.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format: %q, give table or json", format)
			}
			rows, err := readRows(cmd.Context(), url, over)
			if err != nil {
				return err
			}
			if format == "json" {
				return page.WriteJSON(cmd.OutOrStdout(), rows)
			}
			if len(rows) == 0 {
				return errNothing
			}
			return page.WriteTable(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:9464/metrics", "address of the metrics page")
	cmd.Flags().StringVar(&format, "format", "table", "table or json")
	cmd.Flags().DurationVar(&over, "over", 0, "wait so long, and show only what was observed meanwhile")
	return cmd
}

// readRows reads the page, or what it gains over a time.
func readRows(ctx context.Context, url string, over time.Duration) ([]page.Row, error) {
	before, err := page.Fetch(ctx, url)
	if err != nil || over <= 0 {
		return before.Rows(), err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(over):
	}
	after, err := page.Fetch(ctx, url)
	return after.RowsSince(before), err
}
