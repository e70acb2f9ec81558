package logs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// The SDK's batch processor drops its oldest records when its queue is full, so
// the queue is flushed before it can be.
const (
	queueSize  = 2048
	flushEvery = queueSize / 4
	interval   = 200 * time.Millisecond
)

// Records is a log of OTLP records. Each bears the trace context natively, the
// JSON line as its body and the fields of the line as attributes.
type Records struct {
	provider *sdklog.LoggerProvider
	logger   log.Logger
	held     int
}

// NewRecords logs to an exporter as a service with this resource.
func NewRecords(exporter sdklog.Exporter, from *resource.Resource) *Records {
	provider := sdklog.NewLoggerProvider(
		sdklog.WithResource(from),
		sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter,
			sdklog.WithMaxQueueSize(queueSize), sdklog.WithExportInterval(interval))),
	)
	return &Records{provider: provider, logger: provider.Logger("inference.request_log")}
}

// Observe emits the line of a request that has ended.
func (r *Records) Observe(m Moment) error {
	if m.Milestone != engine.Ended {
		return nil
	}
	return r.add(newLine(m), m.Span)
}

func (r *Records) add(line Line, span trace.SpanContext) error {
	body, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("request log: %w", err)
	}
	var record log.Record
	record.SetTimestamp(line.Timestamp)
	record.SetObservedTimestamp(line.Timestamp)
	record.SetSeverity(severities[line.Level])
	record.SetSeverityText(line.Level)
	record.SetBody(attribute.StringValue(string(body)))
	attributes, err := fields(body)
	if err != nil {
		return err
	}
	record.AddAttributes(attributes...)
	r.logger.Emit(trace.ContextWithSpanContext(context.Background(), span), record)
	if r.held++; r.held < flushEvery {
		return nil
	}
	r.held = 0
	return r.provider.ForceFlush(context.Background())
}

// Close sends what is held.
func (r *Records) Close() error {
	ctx := context.Background()
	return errors.Join(r.provider.ForceFlush(ctx), r.provider.Shutdown(ctx))
}

var severities = map[string]log.Severity{
	"INFO": log.SeverityInfo, "WARN": log.SeverityWarn, "ERROR": log.SeverityError,
}
