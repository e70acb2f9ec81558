package spanphaseconnector

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

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
	reading   *dialect.Options
	assembler *assembly.Assembler
	store     *series.Store
	telemetry *selfTelemetry
	reporter  *reporter

	stop    context.CancelFunc
	once    sync.Once // Shutdown
	stopped sync.WaitGroup
	failing atomic.Bool // the last flush failed
}

func newConnector(set connector.Settings, cfg *Config, next consumer.Metrics) (*tracesToMetrics, error) {
	reading, err := cfg.reading(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := &tracesToMetrics{cfg: cfg, logger: set.Logger, next: next, reading: reading, store: newStore(cfg, &set)}
	c.assembler = assembly.New(cfg.assembler(), func(r *inference.Request) { observe(c.store, time.Now(), r) })
	c.telemetry, err = newSelfTelemetry(set.TelemetrySettings, c.assembler.Stats(), c.store)
	if err != nil {
		return nil, err
	}
	cfg.warnOfDimensions(set.Logger)
	c.reporter = newReporter(set.Logger, c.assembler.Stats(), c.store, c.telemetry)
	return c, nil
}

// Start starts the goroutines that close requests and flush. They are two: a
// slow metrics pipeline must not keep requests open.
func (c *tracesToMetrics) Start(context.Context, component.Host) error { //nolint:contextcheck // that context ends with it
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	c.stopped.Go(func() { c.closing(ctx) })
	c.stopped.Go(func() { c.flushing(ctx) })
	return nil
}

// Capabilities of the consumer: it reads only.
func (*tracesToMetrics) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// ConsumeTraces takes the facts of td. It keeps no part of td and never fails:
// what it cannot read is none of the sender's business.
func (c *tracesToMetrics) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	dialect.With(td, c.reading, func(spans []dialect.Span, orphans int) {
		c.telemetry.orphans.Add(int64(orphans))
		c.assembler.Add(time.Now(), spans)
	})
	return nil
}

// Shutdown observes every open request and flushes a last time.
func (c *tracesToMetrics) Shutdown(ctx context.Context) error {
	var err error
	c.once.Do(func() {
		if c.stop != nil {
			c.stop()
			err = c.wait(ctx)
			c.assembler.Drain(time.Now())
			c.flush(ctx, true)
			c.reporter.report(time.Now())
		}
		c.telemetry.shutdown()
	})
	return err
}

// wait waits for the goroutines, but not for a consumer that ignores its own
// deadline longer than ctx allows.
func (c *tracesToMetrics) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		c.stopped.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the metrics pipeline did not take a flush in time: %w", ctx.Err())
	}
}

// closing closes requests each second, or each flush interval if that is
// shorter.
func (c *tracesToMetrics) closing(ctx context.Context) {
	tick := time.NewTicker(min(time.Second, c.cfg.FlushInterval))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.assembler.Advance(time.Now())
		}
	}
}

// flushing flushes each flush interval. A flush that is under way when the
// connector is shut down is given up: the last one follows.
func (c *tracesToMetrics) flushing(ctx context.Context) {
	tick := time.NewTicker(c.cfg.FlushInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.flush(ctx, false)
			c.reporter.report(time.Now())
		}
	}
}

// flush exports the series, within the configured time. What a failed flush did
// not bring, the next one does.
func (c *tracesToMetrics) flush(ctx context.Context, last bool) {
	now := time.Now()
	metrics := c.store.Export(now, last)
	if metrics.DataPointCount() == 0 {
		c.store.Confirm(now)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	err := c.next.ConsumeMetrics(ctx, metrics)
	if err == nil {
		c.store.Confirm(now)
	} else {
		c.store.Refuse()
		c.telemetry.builder.ConnectorSpanPhaseFailedFlushes.Add(ctx, 1)
		if !c.failing.Load() {
			c.logger.Warn("The metrics pipeline refused a flush; the series stay, and the next flush brings what is missing. "+
				"This is logged once until a flush succeeds.", zap.Error(err))
		}
	}
	c.failing.Store(err != nil)
}
