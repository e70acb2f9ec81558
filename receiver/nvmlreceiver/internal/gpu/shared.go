package gpu

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// Settings of a fleet.
type Settings struct {
	// Library is shared by all fleets of the process.
	Library  driver.Library
	Receiver receiver.Settings
	Metrics  metadata.MetricsBuilderConfig
	// Interval is the usual time between two scrapes.
	Interval time.Duration
	// Timeout bounds one scrape.
	Timeout time.Duration
	// SerialNumber puts the serial number of the board on nvidia.gpu.info.
	SerialNumber bool
	// Processes is nil where no metric of processes is enabled.
	Processes Processes
	// MaxProcesses bounds the processes of one GPU that are reported.
	MaxProcesses int
}

// shared is what all readers of a fleet use; none of it changes while a read runs.
type shared struct {
	lib          driver.Library
	versions     driver.Versions
	thermalTimes bool // the driver tells the times of thermal limits apart
	on           metadata.MetricsBuilderConfig
	set          receiver.Settings
	telemetry    *metadata.TelemetryBuilder
	log          *zap.Logger
	interval     time.Duration
	serialNumber bool
	processes    Processes
	maxProcesses int
}

// newBuilder returns a builder of points that begin now, except those of counters.
func (s *shared) newBuilder(now time.Time) *metadata.MetricsBuilder {
	return metadata.NewMetricsBuilder(s.on, s.set, metadata.WithStartTime(pcommon.NewTimestampFromTime(now)))
}

func (s *shared) countFailure(call string, ret driver.Return) {
	s.telemetry.ReceiverNvmlCallFailures.Add(context.Background(), 1, metric.WithAttributeSet(attribute.NewSet(
		attribute.String("call", call), attribute.String("return", ret.String()))))
}
