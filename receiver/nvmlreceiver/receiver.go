package nvmlreceiver

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-inference/otelcol-inference/internal/hub"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gonvml"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gpu"
)

// stations are the fleets of this process, one per configuration: the metrics and the logs
// receiver of one id read the same GPUs.
var stations hub.Hub[*Config, *station]

// station is a fleet and what it needs.
type station struct {
	fleet  *gpu.Fleet
	lib    driver.Library
	lookup *workloads // nil where no metric of processes is on
}

// member is a receiver of one signal in its station.
type member struct {
	set     receiver.Settings
	cfg     *Config
	station *station
}

func (m *member) join(ctx context.Context, host component.Host) error {
	s, err := stations.Join(m.cfg, func() (*station, error) { return newStation(ctx, m.set, m.cfg) })
	if err != nil {
		return err
	}
	m.station = s
	s.fleet.SetHost(host)
	return nil
}

func (m *member) leave(ctx context.Context) error {
	if m.station == nil {
		return nil
	}
	m.station = nil
	return stations.Leave(m.cfg, func(s *station) error { return s.close(ctx) })
}

func newStation(ctx context.Context, set receiver.Settings, cfg *Config) (*station, error) {
	s := &station{}
	settings := gpu.Settings{
		Receiver: set, Metrics: cfg.MetricsBuilderConfig,
		Interval: cfg.CollectionInterval, Timeout: cfg.Timeout,
		SerialNumber: cfg.SerialNumber, MaxProcesses: cfg.Processes.MaxProcesses,
	}
	var ret driver.Return
	if s.lib, ret = gonvml.Acquire(cfg.LibraryPath); ret != driver.Success {
		s.lib = refused{ret: ret}
	}
	settings.Library = s.lib
	if cfg.wantsProcesses() {
		s.lookup = newWorkloads(set.Logger, &cfg.Processes)
		settings.Processes = s.lookup
	}
	var err error
	if s.fleet, err = gpu.New(settings); err != nil {
		gonvml.Release(s.lib)
		return nil, err
	}
	if s.lookup == nil {
		return s, nil
	}
	if err := s.lookup.start(ctx); err != nil {
		// Nobody leaves what could not be joined.
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

func (s *station) close(ctx context.Context) error {
	err := s.fleet.Close(ctx)
	if s.lookup != nil {
		err = errors.Join(err, s.lookup.resolver.Shutdown(ctx))
	}
	gonvml.Release(s.lib)
	return err
}

// refused is a library that cannot be had in this process.
type refused struct {
	driver.Library
	ret driver.Return
}

func (r refused) Init() driver.Return { return r.ret }

// metricsScraper is the metrics receiver.
type metricsScraper struct{ member }

func (m *metricsScraper) start(ctx context.Context, host component.Host) error {
	return m.join(ctx, host)
}

func (m *metricsScraper) scrape(ctx context.Context) (pmetric.Metrics, error) {
	out := m.station.fleet.Scrape(ctx)
	if m.station.lookup != nil {
		m.station.lookup.endScrape()
	}
	return out, nil
}

func (m *metricsScraper) shutdown(ctx context.Context) error { return m.leave(ctx) }
