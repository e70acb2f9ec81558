package lokiexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
)

// disabled is an exporter without an endpoint: a configuration that takes it from an environment
// variable runs without, too.
func disabled(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	nothing := func(context.Context, plog.Logs) error { return nil }
	return exporterhelper.NewLogs(ctx, set, cfg, nothing,
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithStart(func(context.Context, component.Host) error {
			set.Logger.Info("endpoint is empty: nothing is sent to Loki")
			return nil
		}))
}

// NewFactory returns the factory of the loki exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(
		metadata.Type,
		createDefaultConfig,
		exporter.WithLogs(createLogs, metadata.LogsStability),
	)
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	c := cfg.(*Config)
	if c.Endpoint == "" {
		return disabled(ctx, set, cfg)
	}
	e, err := newLoki(set, c)
	if err != nil {
		return nil, err
	}
	return xexporterhelper.NewLogsRequest(ctx, set, e.convert, e.push,
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		// The client has the timeout: it is one push's, and a request may be several.
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
		exporterhelper.WithRetry(c.RetryConfig),
		xexporterhelper.WithQueueBatch(c.QueueConfig, xexporterhelper.QueueBatchSettings{Encoding: encoding{}}),
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
	)
}
