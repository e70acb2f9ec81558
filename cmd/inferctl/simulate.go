package main

import (
	"context"
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

	fmt.Fprintf(cmd.ErrOrStderr(), "simulating requests in %s style to %s; Ctrl-C stops arrivals\n", o.Style, o.Target.Endpoint)
	o.Progress = cmd.ErrOrStderr()
	account, err := play.Run(ctx, o)
	if account == nil {
		return err
	}
	if writeErr := writeTruth(cmd, account, truthFile); writeErr != nil {
		return writeErr
	}
	return err
}

// writeTruth prints the table, on standard error if the JSON takes standard output.
func writeTruth(cmd *cobra.Command, t *truth.Truth, file string) error {
	table := cmd.OutOrStdout()
	switch file {
	case "":
	case "-":
		table = cmd.ErrOrStderr()
		if err := t.WriteJSON(cmd.OutOrStdout()); err != nil {
			return err
		}
	default:
		if err := writeFile(file, t.WriteJSON); err != nil {
			return fmt.Errorf("--truth: %w", err)
		}
	}
	return t.WriteTable(table)
}

func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name) //nolint:gosec // the user names the file
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	return write(f)
}
