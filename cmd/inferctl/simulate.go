package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/play"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

func newSimulateCommand() *cobra.Command {
	f := newSimulateFlags()
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Play an inference service: traces and request logs over OTLP, and the truth about them",
		Long:  simulateHelp(),
		Example: "  inferctl simulate --rate 5 --duration 1m --fault overload\n" +
			"  inferctl simulate --requests 1000 --speed 0 --style vllm --truth truth.json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := f.options(cmd.Flags())
			if err != nil {
				return err
			}
			return simulate(cmd, options, f.truth)
		},
	}
	f.register(cmd.Flags())
	return cmd
}

// simulate runs, and tells the truth also when the receiver did not take it all.
func simulate(cmd *cobra.Command, o play.Options, truthFile string) error {
	ctx, release := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer release()
	// The first signal stops the arrivals, the second one the program.
	context.AfterFunc(ctx, release)

	truthTo, err := openTruth(cmd, truthFile)
	if err != nil {
		return fmt.Errorf("--truth: %w", err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "simulating requests in %s style to %s; Ctrl-C stops arrivals\n", o.Style, o.Target.Endpoint)
	o.Progress = cmd.ErrOrStderr()
	account, err := play.Run(ctx, o)
	if account == nil {
		return errors.Join(err, truthTo.Close())
	}
	return errors.Join(err, writeTruth(cmd, account, truthTo, truthFile == "-"))
}

// openTruth opens what the JSON goes to before the run, so that a long one is
// not in vain.
func openTruth(cmd *cobra.Command, file string) (io.WriteCloser, error) {
	switch file {
	case "":
		return keepOpen{io.Discard}, nil
	case "-":
		return keepOpen{cmd.OutOrStdout()}, nil
	}
	return os.Create(file) //nolint:gosec // the user names the file
}

// keepOpen is a writer that is somebody else's to close.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }

// writeTruth prints the table, on standard error if the JSON takes standard output.
func writeTruth(cmd *cobra.Command, t *truth.Truth, to io.WriteCloser, tableToStderr bool) error {
	table := cmd.OutOrStdout()
	if tableToStderr {
		table = cmd.ErrOrStderr()
	}
	return errors.Join(t.WriteTable(table), t.WriteJSON(to), to.Close())
}
