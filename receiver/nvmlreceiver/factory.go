package nvmlreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/scraper"
	"go.opentelemetry.io/collector/scraper/scraperhelper"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// NewFactory returns the factory of the nvml receiver.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(
		metadata.Type,
		createDefaultConfig,
		receiver.WithMetrics(createMetrics, metadata.MetricsStability),
		receiver.WithLogs(createLogs, metadata.LogsStability),
	)
}

func createMetrics(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics,
) (receiver.Metrics, error) {
	c := cfg.(*Config)
	m := &metricsScraper{member: member{set: set, cfg: c}}
	s, err := scraper.NewMetrics(m.scrape, scraper.WithStart(m.start), scraper.WithShutdown(m.shutdown))
	if err != nil {
		return nil, err
	}
	// The fleet bounds a scrape itself: a context cannot end a call into a library.
	controller := c.ControllerConfig
	controller.Timeout = 0
	return scraperhelper.NewMetricsController(&controller, set, next, scraperhelper.AddMetricsScraper(metadata.Type, s))
}

func createLogs(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs,
) (receiver.Logs, error) {
	return newLogsReceiver(set, cfg.(*Config), next)
}
