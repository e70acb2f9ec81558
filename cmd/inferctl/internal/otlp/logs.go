package otlp

import (
	"context"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// LogExporter opens an exporter of log records.
func (t *Target) LogExporter(ctx context.Context) (sdklog.Exporter, error) {
	if t.Protocol == ProtocolHTTP {
		return otlploghttp.New(ctx, t.httpLogOptions()...)
	}
	return otlploggrpc.New(ctx, t.grpcLogOptions()...)
}

func (t *Target) grpcLogOptions() []otlploggrpc.Option {
	options := []otlploggrpc.Option{
		otlploggrpc.WithEndpoint(t.Endpoint), otlploggrpc.WithHeaders(t.Headers), otlploggrpc.WithTimeout(t.RetryFor),
		otlploggrpc.WithRetry(otlploggrpc.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMax, MaxElapsedTime: t.RetryFor,
		}),
	}
	if t.Insecure {
		options = append(options, otlploggrpc.WithInsecure())
	}
	return options
}

func (t *Target) httpLogOptions() []otlploghttp.Option {
	options := []otlploghttp.Option{
		otlploghttp.WithEndpoint(t.Endpoint), otlploghttp.WithHeaders(t.Headers), otlploghttp.WithTimeout(t.RetryFor),
		otlploghttp.WithRetry(otlploghttp.RetryConfig{
			Enabled: true, InitialInterval: retryFirst, MaxInterval: retryMax, MaxElapsedTime: t.RetryFor,
		}),
	}
	if t.Insecure {
		options = append(options, otlploghttp.WithInsecure())
	}
	return options
}
