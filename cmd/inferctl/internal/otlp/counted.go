package otlp

import (
	"context"

	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// CountSpans counts what an exporter sends. Its exports report no error: the
// tally has them all, and the SDK would only log them.
func CountSpans(next sdktrace.SpanExporter, tally *Tally) sdktrace.SpanExporter {
	return &countedSpans{next, tally}
}

type countedSpans struct {
	next  sdktrace.SpanExporter
	tally *Tally
}

func (c *countedSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.tally.export(len(spans), func() error { return c.next.ExportSpans(ctx, spans) })
	return nil
}

func (c *countedSpans) Shutdown(ctx context.Context) error { return c.next.Shutdown(ctx) }

// CountLogs does for log records what [CountSpans] does for spans.
func CountLogs(next sdklog.Exporter, tally *Tally) sdklog.Exporter {
	return &countedLogs{next, tally}
}

type countedLogs struct {
	next  sdklog.Exporter
	tally *Tally
}

func (c *countedLogs) Export(ctx context.Context, records []sdklog.Record) error {
	c.tally.export(len(records), func() error { return c.next.Export(ctx, records) })
	return nil
}

func (c *countedLogs) ForceFlush(ctx context.Context) error { return c.next.ForceFlush(ctx) }

func (c *countedLogs) Shutdown(ctx context.Context) error { return c.next.Shutdown(ctx) }
