package spanphaseconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
)

// NewFactory returns the factory of the span_phase connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(
		metadata.Type,
		createDefaultConfig,
		connector.WithTracesToMetrics(createTracesToMetrics, metadata.TracesToMetricsStability),
		connector.WithTracesToLogs(createTracesToLogs, metadata.TracesToLogsStability),
	)
}

func createTracesToMetrics(
	_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics,
) (connector.Traces, error) {
	return &instance{set: set, cfg: cfg.(*Config), metrics: next}, nil
}

func createTracesToLogs(
	_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs,
) (connector.Traces, error) {
	return &instance{set: set, cfg: cfg.(*Config), logs: next}, nil
}
