// Command inferctl is the companion of the otelcol-inference collector: it
// plays an inference service that the collector can watch, and shows what the
// collector makes of it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	if err := newRootCommand().ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "inferctl:", err)
		os.Exit(1)
	}
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "inferctl",
		Short:         "Companion of the otelcol-inference collector",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newSimulateCommand(), newPhasesCommand(), newGPUsCommand(), newMetricsCommand(), newDashboardsCommand(),
		newRulesCommand(), newSLOCommand(), newInstallCommand())
	return root
}
