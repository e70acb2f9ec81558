package logcorrelationprocessor

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// NewFactory returns the factory of the log_correlation processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
		processor.WithLogs(createLogs, metadata.LogsStability),
	)
}

func createTraces(
	_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces,
) (processor.Traces, error) {
	c := cfg.(*Config)
	if c.SampledFor == set.ID {
		return nil, fmt.Errorf("sampled_for: names this processor itself; behind the sampler use another, such as %s/sampled", set.ID)
	}
	if c.SampledFor != (component.ID{}) {
		return &sampledTap{id: c.SampledFor, log: set.Logger, next: next}, nil
	}
	return &tap{member: member{set: set, cfg: c}, next: next}, nil
}

func createLogs(
	_ context.Context, set processor.Settings, cfg component.Config, next consumer.Logs,
) (processor.Logs, error) {
	c := cfg.(*Config)
	if c.SampledFor != (component.ID{}) {
		return nil, errors.New("sampled_for: is for traces pipelines; in a logs pipeline use the processor that it names")
	}
	return &join{member: member{set: set, cfg: c}, next: next}, nil
}
