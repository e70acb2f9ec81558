package play

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/logs"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/otlp"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/spans"
)

// The values of [Options.Logs] that are no file name.
const (
	LogsOff  = "off"
	LogsOTLP = "otlp"
)

// The values of [Options.LogsFormat].
const (
	FormatJSON = "json"
	FormatVLLM = "vllm"
)

// Options is everything there is to choose about a run.
type Options struct {
	// Engine is the service and its load.
	Engine engine.Config
	// Style is how spans are written, see [spans.NewWriter].
	Style string
	// RunID decides trace and request ids.
	RunID string
	// Identity is the resource of spans and logs.
	Identity spans.Identity
	// Target receives spans, and logs over OTLP.
	Target otlp.Target
	// Speed is virtual time per wall time; 0 is as fast as possible.
	Speed float64
	// Scatter tears traces apart, see [otlp.Scatter].
	Scatter bool
	// Progress is told, in words, while a run goes on after its arrivals; nil
	// is nobody.
	Progress io.Writer
	// Logs is [LogsOff], [LogsOTLP] or the name of a file.
	Logs string
	// LogsFormat is how the lines of the file are written; empty is [FormatJSON].
	LogsFormat string
}

// The batches of spans: short enough in time that what is seen live is fresh.
const (
	batchInterval = 200 * time.Millisecond
	batchTimeout  = time.Minute
)

// openSpans connects the span processor. It blocks when the receiver is slow,
// so that nothing is lost.
func (o *Options) openSpans(ctx context.Context, tally *otlp.Tally) (sdktrace.SpanProcessor, error) {
	exporter, err := o.Target.SpanExporter(ctx)
	if err != nil {
		return nil, err
	}
	exporter = otlp.CountSpans(exporter, tally)
	if o.Scatter {
		exporter = otlp.Scatter(exporter, o.Engine.Seed)
	}
	return sdktrace.NewBatchSpanProcessor(exporter, sdktrace.WithBlocking(),
		sdktrace.WithBatchTimeout(batchInterval), sdktrace.WithExportTimeout(max(batchTimeout, o.Target.RetryFor))), nil
}

// openLog opens the request log.
func (o *Options) openLog(ctx context.Context, tally *otlp.Tally) (logs.Log, error) {
	switch o.Logs {
	case LogsOff, "":
		return logs.Off{}, nil
	case LogsOTLP:
		exporter, err := o.Target.LogExporter(ctx)
		if err != nil {
			return nil, err
		}
		return logs.NewRecords(otlp.CountLogs(exporter, tally), o.Identity.Resource()), nil
	}
	if o.LogsFormat == FormatVLLM {
		return logs.OpenVLLM(o.Logs)
	}
	return logs.OpenJSON(o.Logs)
}

// CheckLogs tells if the request log can be written as asked.
func (o *Options) CheckLogs() error {
	switch {
	case !slices.Contains([]string{"", FormatJSON, FormatVLLM}, o.LogsFormat):
		return fmt.Errorf("--logs-format: %q, give %s or %s", o.LogsFormat, FormatJSON, FormatVLLM)
	case o.LogsFormat == FormatVLLM && slices.Contains([]string{"", LogsOff, LogsOTLP}, o.Logs):
		return fmt.Errorf("--logs-format: %s is the text of a file, give its name with --logs", FormatVLLM)
	}
	return nil
}
