package spanphaseconnector

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/requestlog"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// requests keeps the facts of spans until their request is whole, and observes it: for metrics,
// which it exports each flush interval, and in the request log. The instances of one id share it.
type requests struct {
	cfg       *Config
	logger    *zap.Logger
	reading   *dialect.Options
	assembler *assembly.Assembler
	store     *series.Store
	log       *requestlog.Log
	telemetry *selfTelemetry
	reporter  *reporter

	settling sync.Mutex // held while requests are closed by time: none is under way when a sink ends
	closer   worker

	next    consumer.Metrics // of flusher
	flusher worker
	failing atomic.Bool // the last flush failed

	logged atomic.Bool // there is a logs pipeline

	members // who uses it
}

func newRequests(set connector.Settings, cfg *Config) (*requests, error) {
	reading, err := cfg.reading(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := &requests{cfg: cfg, logger: set.Logger, reading: reading, store: newStore(cfg, &set)}
	c.reading.RequestIDs = &c.logged
	c.log = requestlog.New(cfg.requestLog(set.BuildInfo.Version), set.Logger)
	c.assembler = assembly.New(cfg.assembler(), c.observe)
	c.telemetry, err = newSelfTelemetry(set.TelemetrySettings, c.assembler.Stats(), c.store, &c.log.Stats)
	if err != nil {
		return nil, err
	}
	cfg.warnOfDimensions(set.Logger)
	c.reporter = newReporter(set.Logger, c.assembler.Stats(), c.store, &c.log.Stats, c.telemetry)
	return c, nil
}

// observe takes a closed request, for the sinks that there are.
func (c *requests) observe(r *inference.Request) {
	if c.flusher.runs() {
		observe(c.store, time.Now(), r)
	}
	if c.logged.Load() {
		c.log.Add(r)
	}
}

// consume takes the facts of td. It keeps no part of td and never fails:
// what it cannot read is none of the sender's business.
func (c *requests) consume(td ptrace.Traces) {
	dialect.With(td, c.reading, func(spans []dialect.Span, orphans int) {
		c.telemetry.orphans.Add(int64(orphans))
		c.assembler.Add(time.Now(), spans)
	})
}

// closing closes requests each second, or each flush interval if that is
// shorter, and says each flush interval what is amiss.
func (c *requests) closing(ctx context.Context) {
	tick := time.NewTicker(min(time.Second, c.cfg.FlushInterval))
	defer tick.Stop()
	report := time.NewTicker(c.cfg.FlushInterval)
	defer report.Stop()
	for {
		select {
		case <-ctx.Done():
			c.reporter.report(time.Now())
			return
		case <-tick.C:
			c.settle(c.assembler.Advance)
		case <-report.C:
			c.reporter.report(time.Now())
		}
	}
}

// settle closes requests by time: those that are due, or all.
func (c *requests) settle(closeAt func(time.Time)) {
	c.settling.Lock()
	defer c.settling.Unlock()
	closeAt(time.Now())
}

// flushing flushes each flush interval. A flush that is under way when the
// connector is shut down is given up: the last one follows.
func (c *requests) flushing(ctx context.Context) {
	tick := time.NewTicker(c.cfg.FlushInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.flush(ctx, false)
		}
	}
}

// flush exports the series, within the configured time. What a failed flush did
// not bring, the next one does.
func (c *requests) flush(ctx context.Context, last bool) {
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

// worker is a goroutine that can be ended. The zero value does not run.
type worker struct {
	stop    context.CancelFunc
	done    chan struct{}
	running atomic.Bool
}

// start runs work, until its context ends.
func (w *worker) start(work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	w.stop, w.done = cancel, make(chan struct{})
	w.running.Store(true)
	go func() {
		defer close(w.done)
		work(ctx)
	}()
}

// runs reports whether it was started and has not ended.
func (w *worker) runs() bool { return w.running.Load() }

// end ends it and waits for it, but not for a consumer that ignores its own
// deadline longer than ctx allows.
func (w *worker) end(ctx context.Context) error {
	w.stop()
	defer w.running.Store(false)
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
