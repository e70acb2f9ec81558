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
	)
}

func createTracesToMetrics(
	_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics,
) (connector.Traces, error) {
	return newConnector(set, cfg.(*Config), next) //nolint:contextcheck // conditions are evaluated per span, without a context
}
