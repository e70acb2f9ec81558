// Package otlp sends spans and log records to a receiver with the exporters of
// the OpenTelemetry SDK, and keeps count of what arrived and what did not.
package otlp

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The protocols of a [Target].
const (
	ProtocolGRPC = "grpc"
	ProtocolHTTP = "http"
)

// Target is where telemetry goes.
type Target struct {
	// Endpoint is host:port.
	Endpoint string
	// Protocol is [ProtocolGRPC] or [ProtocolHTTP] (protobuf over HTTP).
	Protocol string
	// Insecure sends without TLS.
	Insecure bool
	// Headers go with every export.
	Headers map[string]string
	// RetryFor bounds one export with all its retries.
	RetryFor time.Duration
}

// The waiting times between the tries of one export.
const (
	retryFirst = 200 * time.Millisecond
	retryMax   = 2 * time.Second
)

// Validate reports the first thing wrong with the target.
func (t *Target) Validate() error {
	if t.Protocol != ProtocolGRPC && t.Protocol != ProtocolHTTP {
		return fmt.Errorf("--protocol: %q, give %s or %s", t.Protocol, ProtocolGRPC, ProtocolHTTP)
	}
	if t.RetryFor <= 0 {
		return fmt.Errorf("--retry-for: %v, give a time above 0", t.RetryFor)
	}
	if strings.Contains(t.Endpoint, "://") {
		return fmt.Errorf("--endpoint: %q, give host:port without a scheme", t.Endpoint)
	}
	if _, _, err := net.SplitHostPort(t.Endpoint); err != nil {
		return fmt.Errorf("--endpoint: give host:port: %w", err)
	}
	return nil
}

// IsLoopback tells if an endpoint is on this machine.
func IsLoopback(endpoint string) bool {
	host, _, err := net.SplitHostPort(endpoint)
	if err != nil {
		return false
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// SpanExporter opens an exporter of spans.
func (t *Target) SpanExporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	if t.Protocol == ProtocolHTTP {
		return otlptracehttp.New(ctx, t.httpTraceOptions()...)
	}
	return otlptracegrpc.New(ctx, t.grpcTraceOptions()...)
}

func (t *Target) grpcTraceOptions() []otlptracegrpc.Option {
	options := []otlptracegrpc.Option{
		otlptracegrpc.WithEndpoint(t.Endpoint), otlptracegrpc.WithHeaders(t.Headers), otlptracegrpc.WithTimeout(t.RetryFor),
		otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMax, MaxElapsedTime: t.RetryFor,
		}),
	}
	if t.Insecure {
		options = append(options, otlptracegrpc.WithInsecure())
	}
	return options
}

func (t *Target) httpTraceOptions() []otlptracehttp.Option {
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpoint(t.Endpoint), otlptracehttp.WithHeaders(t.Headers), otlptracehttp.WithTimeout(t.RetryFor),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMax, MaxElapsedTime: t.RetryFor,
		}),
	}
	if t.Insecure {
		options = append(options, otlptracehttp.WithInsecure())
	}
	return options
}
