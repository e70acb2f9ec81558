package spans

import (
	"context"
	"fmt"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// The styles of a [Writer].
const (
	StyleStages = "stages"
	StyleVLLM   = "vllm"
)

// Writer writes the spans of requests as their moments come.
type Writer interface {
	// Observe takes the next moment and returns the span context of the
	// request's root span, which ends with the moment [engine.Ended].
	Observe(m engine.Moment) trace.SpanContext
}

// Setup is what a writer needs.
type Setup struct {
	// Style is [StyleStages] or [StyleVLLM].
	Style string
	// Identity is the service that answers requests. In vllm style it lends
	// its namespace, environment, instance and host to gateway and engine.
	Identity Identity
	IDs      *IDs
	// Timestamp turns virtual time into the time that spans bear.
	Timestamp func(time.Duration) time.Time
	Processor sdktrace.SpanProcessor
	Book      *truth.Book
}

// CheckStyle tells if there is a writer of the style.
func CheckStyle(style string) error {
	if style != StyleStages && style != StyleVLLM {
		return fmt.Errorf("--style: %q, give %s or %s", style, StyleStages, StyleVLLM)
	}
	return nil
}

// NewWriter returns a writer of the style.
func NewWriter(s Setup) (Writer, error) {
	if err := CheckStyle(s.Style); err != nil {
		return nil, err
	}
	if s.Style == StyleVLLM {
		return newVLLM(s), nil
	}
	return newStages(s), nil
}

// roots are the root spans of the requests in flight.
type roots map[*engine.Request]root

type root struct {
	ctx  context.Context // holds the span, for its children
	span trace.Span
}

// open starts the root span of a request.
func (r roots) open(q *engine.Request, tracer trace.Tracer, name string, options ...trace.SpanStartOption) root {
	ctx, span := tracer.Start(context.Background(), name, append(options, trace.WithSpanKind(trace.SpanKindServer))...)
	r[q] = root{ctx, span}
	return r[q]
}

// close ends the root span of a request.
func (r roots) close(q *engine.Request, at time.Time) {
	r[q].span.End(trace.WithTimestamp(at))
	delete(r, q)
}
