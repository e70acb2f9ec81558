package spanphaseconnector

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// tracesToMetrics keeps the facts of spans until their request is whole,
// observes it, and exports what was observed each flush interval.
type tracesToMetrics struct {
	cfg       *Config
	logger    *zap.Logger
	next      consumer.Metrics
	boundary  dialect.Boundary
	assembler *assembly.Assembler
	store     *series.Store
	telemetry *selfTelemetry
	reporter  *reporter

	stop    chan struct{}
	stopped sync.WaitGroup
	failing bool // the last flush failed; of the flushing goroutine
}

func newConnector(set connector.Settings, cfg *Config, next consumer.Metrics) (*tracesToMetrics, error) {
	boundary, err := newBoundary(cfg.RequestBoundary, set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := &tracesToMetrics{cfg: cfg, logger: set.Logger, next: next, boundary: boundary}
	c.store = series.NewStore(series.Config{
		Scope:         metadata.ScopeName,
		ScopeVersion:  set.BuildInfo.Version,
		InstanceID:    instanceID(cfg.InstanceID, set.Resource),
		Bounds:        bucketBounds(cfg),
		Hold:          cfg.hold(),
		Expiry:        cfg.SeriesExpiry,
		MaxSeries:     cfg.MaxSeries,
		MaxModels:     cfg.MaxModels,
		MaxErrorTypes: cfg.MaxErrorTypes,
	})
	c.assembler = assembly.New(cfg.assembler(), func(r *inference.Request) { observe(c.store, time.Now(), r) })
	c.telemetry, err = newSelfTelemetry(set.TelemetrySettings, c.assembler.Stats(), c.store)
	if err != nil {
		return nil, err
	}
	c.reporter = newReporter(set.Logger, c.assembler.Stats(), c.store, c.telemetry)
	return c, nil
}

// Start starts the goroutine that closes requests and flushes.
func (c *tracesToMetrics) Start(context.Context, component.Host) error {
	c.stop = make(chan struct{})
	c.stopped.Go(func() { c.run(c.stop) }) //nolint:contextcheck // the context of Start ends with it
	return nil
}

// Capabilities of the consumer: it reads only.
func (*tracesToMetrics) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// batches holds the facts of one batch at a time.
var batches = sync.Pool{New: func() any { return new([]dialect.Span) }}

// ConsumeTraces takes the facts of td. It keeps no part of td and never fails:
// what it cannot read is none of the sender's business.
func (c *tracesToMetrics) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	batch := batches.Get().(*[]dialect.Span)
	spans, orphans := dialect.Read((*batch)[:0], td, c.boundary)
	c.telemetry.orphans.Add(int64(orphans))
	c.assembler.Add(time.Now(), spans)
	clear(spans)
	*batch = spans
	batches.Put(batch)
	return nil
}

// Shutdown observes every open request and flushes a last time.
func (c *tracesToMetrics) Shutdown(ctx context.Context) error {
	if c.stop != nil {
		close(c.stop)
		c.stopped.Wait()
		c.stop = nil
		c.assembler.Drain(time.Now())
		c.flush(ctx, true)
		c.reporter.report(time.Now())
	}
	c.telemetry.shutdown()
	return nil
}

// run advances the assembler each second, or each flush interval if that is
// shorter, and flushes.
func (c *tracesToMetrics) run(stop <-chan struct{}) {
	flush := time.NewTicker(c.cfg.FlushInterval)
	defer flush.Stop()
	advance := time.NewTicker(min(time.Second, c.cfg.FlushInterval))
	defer advance.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.stopped.Go(func() {
		select {
		case <-stop:
			cancel() // a flush into a blocked pipeline must not hold up the shutdown
		case <-ctx.Done():
		}
	})
	for {
		select {
		case <-stop:
			return
		case <-advance.C:
			c.assembler.Advance(time.Now())
		case <-flush.C:
			now := time.Now()
			c.assembler.Advance(now)
			c.flush(ctx, false)
			c.reporter.report(now)
		}
	}
}

// flush exports every series. The series are cumulative: what a failed flush
// did not bring, the next one does.
func (c *tracesToMetrics) flush(ctx context.Context, last bool) {
	metrics := c.store.Export(time.Now(), last)
	if metrics.DataPointCount() == 0 {
		return
	}
	err := c.next.ConsumeMetrics(ctx, metrics)
	if err != nil {
		c.telemetry.builder.ConnectorSpanPhaseFailedFlushes.Add(ctx, 1)
		if !c.failing {
			c.logger.Warn("The metrics pipeline refused a flush; the series stay, and the next flush brings what is missing. "+
				"This is logged once until a flush succeeds.", zap.Error(err))
		}
	}
	c.failing = err != nil
}
