package main

import (
	"context"
	"errors"
	"io"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver"
)

// optionalMetrics are off by default, and nvidia-smi can confirm them.
var optionalMetrics = []string{
	"hw.fan.speed_ratio",
	"hw.temperature.limit",
	"nvidia.gpu.ecc.errors",
	"nvidia.gpu.fabric.state",
	"nvidia.gpu.pcie.link.generation",
	"nvidia.gpu.pcie.link.width",
	"nvidia.gpu.pcie.throughput",
	"nvidia.gpu.performance_state",
	"nvidia.gpu.power.instant",
	"nvidia.gpu.process.memory.usage",
	"nvidia.gpu.temperature.margin",
}

// running is a receiver and all that it has sent.
type running struct {
	receiver receiver.Metrics
	mu       sync.Mutex
	points   points
}

func startReceiver(ctx context.Context, o options, log io.Writer) (*running, error) {
	factory := nvmlreceiver.NewFactory()
	cfg, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	if err := configure(cfg, o); err != nil {
		return nil, err
	}
	telemetry := componenttest.NewNopTelemetrySettings()
	telemetry.Logger = logger(log)
	r := &running{points: points{devices: map[string]*device{}}}
	sink, err := consumer.NewMetrics(r.take)
	if err != nil {
		return nil, err
	}
	r.receiver, err = factory.CreateMetrics(ctx, receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: telemetry,
	}, cfg, sink)
	if err != nil {
		return nil, err
	}
	return r, r.receiver.Start(ctx, componenttest.NewNopHost())
}

// configure keeps the defaults, except that a short check scrapes more often: it takes two
// scrapes until the performance counters tell something.
func configure(cfg *nvmlreceiver.Config, o options) error {
	cfg.LibraryPath, cfg.SerialNumber = o.library, true
	if interval := o.duration / 6; interval < cfg.CollectionInterval {
		cfg.CollectionInterval, cfg.InitialDelay = interval, 0
	}
	metrics := map[string]any{}
	for _, name := range optionalMetrics {
		metrics[name] = map[string]any{"enabled": true}
	}
	conf := confmap.NewFromStringMap(map[string]any{"metrics": metrics})
	return conf.Unmarshal(&cfg.MetricsBuilderConfig)
}

// defaultMetrics are the metrics by name; those that are on by default are true.
func defaultMetrics() (map[string]bool, error) {
	cfg, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	conf := confmap.New()
	if err := conf.Marshal(&cfg.MetricsBuilderConfig); err != nil {
		return nil, err
	}
	metrics, err := conf.Sub("metrics")
	if err != nil {
		return nil, err
	}
	on := map[string]bool{}
	for name := range metrics.ToStringMap() {
		on[name], _ = metrics.Get(name + confmap.KeyDelimiter + "enabled").(bool)
	}
	if len(on) == 0 {
		return nil, errors.New("the receiver's configuration has no metrics")
	}
	return on, nil
}

func defaultConfig() (*nvmlreceiver.Config, error) {
	cfg, ok := nvmlreceiver.NewFactory().CreateDefaultConfig().(*nvmlreceiver.Config)
	if !ok {
		return nil, errors.New("the receiver's configuration is of another type")
	}
	return cfg, nil
}

// logger shows what the receiver says of itself, such as what a GPU does not support.
func logger(out io.Writer) *zap.Logger {
	encoder := zap.NewDevelopmentEncoderConfig()
	encoder.CallerKey, encoder.TimeKey, encoder.StacktraceKey = "", "", ""
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.Lock(zapcore.AddSync(out)), zap.InfoLevel))
}

func (r *running) take(_ context.Context, metrics pmetric.Metrics) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.points.add(metrics)
	return nil
}

func (r *running) stop(ctx context.Context) error { return r.receiver.Shutdown(ctx) }

func (r *running) devices() []*device {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.points.finish()
}
