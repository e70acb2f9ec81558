package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// options are the flags.
type options struct {
	duration  time.Duration
	library   string
	nvidiaSMI string
}

// run is main with what it uses as arguments; it returns the exit status.
func run(ctx context.Context, args []string, out, log io.Writer) int {
	o, err := parse(args, log)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	findings, err := check(ctx, o, log)
	var nothing nothingToCheck
	switch {
	case errors.As(err, &nothing):
		fmt.Fprintln(out, "nvml-check: nothing to check: "+nothing.Error())
		return 0
	case err != nil:
		fmt.Fprintln(log, "nvml-check: "+err.Error())
		return 1
	}
	write(out, findings)
	if failures(findings) > 0 {
		return 1
	}
	return 0
}

func parse(args []string, log io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("nvml-check", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.DurationVar(&o.duration, "duration", 30*time.Second, "how long to compare")
	flags.StringVar(&o.library, "library", "", "NVML library; empty is libnvidia-ml.so.1 as the dynamic linker finds it")
	flags.StringVar(&o.nvidiaSMI, "nvidia-smi", "nvidia-smi", "nvidia-smi to compare with")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.duration < time.Second {
		fmt.Fprintln(log, "nvml-check: takes flags only, and a duration of at least 1s")
		return o, errors.New("usage")
	}
	if o.library == "" {
		return o, nil
	}
	var err error
	// The receiver takes absolute paths only.
	o.library, err = filepath.Abs(o.library)
	return o, err
}

// check runs both sides at once and compares them. nvidia-smi comes first: where it finds
// nothing, there is nothing to compare with.
func check(ctx context.Context, o options, log io.Writer) ([]finding, error) {
	smi, err := findSMI(ctx, o.nvidiaSMI)
	if err != nil {
		return nil, err
	}
	defaults, err := defaultMetrics()
	if err != nil {
		return nil, err
	}
	got, err := startReceiver(ctx, o, log)
	if err != nil {
		return nil, err
	}
	told, err := smi.watch(ctx, o.duration)
	if err := errors.Join(err, got.stop(context.WithoutCancel(ctx))); err != nil {
		return nil, err
	}
	if told.readings < 2 {
		return nil, errors.New("nvidia-smi is too slow to be read twice; take a longer --duration")
	}
	return compare(told.devices, got.devices(), defaults), nil
}
