package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/otlp"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/play"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/spans"
)

// httpEndpoint is the default for OTLP over HTTP.
const httpEndpoint = "127.0.0.1:4318"

// simulateFlags are the flags of simulate as the user gave them.
type simulateFlags struct {
	play.Options
	models string
	faults []string
	truth  string
}

func newSimulateFlags() *simulateFlags {
	return &simulateFlags{
		Options: play.Options{
			Engine:     engine.DefaultConfig(),
			Style:      spans.StyleStages,
			Speed:      1,
			Logs:       play.LogsOff,
			LogsFormat: play.FormatJSON,
			Identity:   spans.Identity{Service: "inference-demo", Namespace: "demo", Version: "1.0.0", Environment: "demo"},
			Target:     otlp.Target{Endpoint: "127.0.0.1:4317", Protocol: otlp.ProtocolGRPC, RetryFor: 10 * time.Second},
		},
		models: defaultModels(),
	}
}

func (f *simulateFlags) register(flags *pflag.FlagSet) {
	f.registerLoad(flags)
	f.registerService(flags)
	f.registerOutput(flags)
}

func (f *simulateFlags) registerLoad(flags *pflag.FlagSet) {
	e := &f.Engine
	flags.Uint64Var(&e.Seed, "seed", e.Seed, "seed of every random draw")
	flags.Float64Var(&e.Rate, "rate", e.Rate, "mean arrivals per second")
	flags.DurationVar(&e.Duration, "duration", e.Duration, "how long requests arrive")
	flags.IntVar(&e.Requests, "requests", 0, "exact number of requests instead of --duration")
	flags.Float64Var(&e.ErrorRate, "error-rate", e.ErrorRate, "share of requests that the engine breaks on")
	flags.Float64Var(&e.AbortRate, "abort-rate", e.AbortRate, "share of clients that go away in mid-stream")
	flags.StringArrayVar(&f.faults, "fault", nil, "a fault to play, can be repeated (see above)")
	flags.Float64Var(&f.Speed, "speed", f.Speed, "seconds played per second; 0 is as fast as possible, ending now")
}

func (f *simulateFlags) registerService(flags *pflag.FlagSet) {
	e := &f.Engine
	flags.StringVar(&f.models, "models", f.models, "models as name@version=weight,...")
	flags.IntVar(&e.GPUs, "gpus", e.GPUs, "GPUs of each model")
	flags.IntVar(&e.MaxBatchSize, "max-batch-size", e.MaxBatchSize, "most sequences on a GPU at a time")
	flags.IntVar(&e.QueueLimit, "queue-limit", e.QueueLimit, "most requests that wait for a model, more are rejected")
	flags.IntVar(&e.CPUWorkers, "cpu-workers", e.CPUWorkers, "requests preprocessed at a time")
	flags.DurationVar(&e.Timeout, "timeout", e.Timeout, "time after which the service gives up on a request")
}

func (f *simulateFlags) registerOutput(flags *pflag.FlagSet) {
	t, i := &f.Target, &f.Identity
	flags.StringVar(&f.Style, "style", f.Style, "how spans are written: stages or vllm")
	flags.StringVar(&t.Endpoint, "endpoint", t.Endpoint, "host:port of the receiver (with http: "+httpEndpoint+")")
	flags.StringVar(&t.Protocol, "protocol", t.Protocol, "OTLP over grpc or http")
	flags.BoolVar(&t.Insecure, "insecure", false, "send without TLS (default true for this machine)")
	flags.StringToStringVar(&t.Headers, "headers", nil, "headers of every export, name=value,...")
	flags.DurationVar(&t.RetryFor, "retry-for", t.RetryFor, "how long one export is tried")
	flags.StringVar(&i.Service, "service-name", i.Service, "service.name of the service")
	flags.StringVar(&i.Environment, "environment", i.Environment, "deployment.environment.name of the service")
	flags.StringVar(&f.RunID, "run-id", "", "decides trace and request ids (default random)")
	flags.BoolVar(&f.Scatter, "scatter", false, "send each span of a request in another export, children first, shuffled")
	flags.StringVar(&f.Logs, "logs", f.Logs, "request log: off, otlp, or the name of a file")
	flags.StringVar(&f.LogsFormat, "logs-format", f.LogsFormat, "lines of the file: json, or vllm (its text, without trace ids)")
	flags.StringVar(&f.truth, "truth", "", "write the truth as JSON to this file, - for standard output")
}

// options turns the flags into what they mean.
func (f *simulateFlags) options(given *pflag.FlagSet) (play.Options, error) {
	o := f.Options
	var err error
	if o.Engine.Models, err = engine.ParseModels(f.models); err != nil {
		return o, fmt.Errorf("--models: %w", err)
	}
	if err = o.Engine.Inject(f.faults...); err != nil {
		return o, err
	}
	if o.Target.Protocol == otlp.ProtocolHTTP && !given.Changed("endpoint") {
		o.Target.Endpoint = httpEndpoint
	}
	if !given.Changed("insecure") {
		o.Target.Insecure = otlp.IsLoopback(o.Target.Endpoint)
	}
	o.RunID = cmp.Or(o.RunID, fmt.Sprintf("%08x", rand.Uint32()))
	o.Identity.Host, err = os.Hostname()
	o.Identity.Instance = o.Identity.Host + "-" + o.RunID
	return o, errors.Join(err, o.Engine.Validate(), o.Target.Validate(), spans.CheckStyle(o.Style), o.CheckLogs())
}

func defaultModels() string {
	var list []string
	for _, m := range engine.DefaultModels() {
		list = append(list, fmt.Sprintf("%s@%s=%v", m.Name, m.Version, m.Weight))
	}
	return strings.Join(list, ",")
}

func simulateHelp() string {
	var b strings.Builder
	b.WriteString("Plays an inference service as a discrete-event simulation, deterministic for a seed,\n" +
		"and sends its spans (and request logs) over OTLP. At the end it prints the truth:\n" +
		"exact quantiles of every phase as written to the spans.\n\nFaults:\n")
	for _, f := range engine.Faults() {
		fmt.Fprintf(&b, "  %-16s %s\n", f.Name, f.Effect)
	}
	return b.String()
}
