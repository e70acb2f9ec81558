package logcorrelationprocessor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/hub"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

const (
	// tick is how often deadlines are looked at.
	tick = 100 * time.Millisecond
	// startup is when all pipelines have started.
	startup = 10 * time.Second
)

// correlators are shared by the instances of one component id: the tap in traces pipelines and
// the join in logs pipelines. byID finds one for a tap behind a sampler.
var (
	correlators hub.Hub[*Config, *correlator]
	byID        sync.Map // component.ID -> *correlator
	samplers    sync.Map // component.ID -> *atomic.Int32, the taps behind samplers that run for it
)

// samplersFor counts the taps behind samplers that run for an id.
func samplersFor(id component.ID) *atomic.Int32 {
	n, _ := samplers.LoadOrStore(id, new(atomic.Int32))
	return n.(*atomic.Int32)
}

// correlator is what the instances of one id share.
type correlator struct {
	id        component.ID
	core      *correlate.Core
	extractor *extract.Extractor
	reading   dialect.Options // of spans
	holder    *holder
	cfg       *Config
	telemetry *metadata.TelemetryBuilder
	log       *zap.Logger
	taps      atomic.Int32 // in traces pipelines

	// flow is held while records are on their way from the core to the queue of their pipeline,
	// which may close only in between.
	flow  sync.RWMutex
	joins []*join

	quit chan struct{}
	done chan struct{}
}

// member is an instance in its correlator.
type member struct {
	set processor.Settings
	cfg *Config
	*correlator
	joined bool
}

func (m *member) join() error {
	c, err := correlators.Join(m.cfg, func() (*correlator, error) { return newCorrelator(m.set, m.cfg) })
	m.correlator, m.joined = c, err == nil
	return err
}

// leave keeps the correlator: a batch may be on its way through it.
func (m *member) leave() error {
	if !m.joined {
		return nil
	}
	m.joined = false
	return correlators.Leave(m.cfg, func(c *correlator) error {
		c.close()
		return nil
	})
}

func newCorrelator(set processor.Settings, cfg *Config) (*correlator, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	extractor, err := extract.New(cfg.Config)
	if err != nil {
		return nil, err
	}
	custom, err := cfg.Dialects.Compile(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	sampling := samplersFor(set.ID)
	c := &correlator{
		id: set.ID, cfg: cfg, extractor: extractor, reading: dialect.Options{Custom: custom}, holder: newHolder(cfg), telemetry: telemetry, log: set.Logger,
		core: correlate.New(correlate.Config{
			MaxTraces: cfg.MaxTraces, MaxSpansPerTrace: cfg.MaxSpansPerTrace,
			MaxHeldBytes: cfg.MaxHeldBytes, MaxHeldPerTrace: cfg.MaxHeldPerTrace,
			TTL: cfg.TTL, Linger: cfg.Linger,
			Sampling:     func() bool { return sampling.Load() > 0 },
			SampledAfter: cfg.SampledAfter, WaitForSampled: cfg.WaitForSampled, DefaultModel: cfg.DefaultModel,
		}),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	if err := c.observe(); err != nil {
		return nil, err
	}
	byID.Store(set.ID, c)
	go c.run()
	return c, nil
}

func (c *correlator) close() {
	byID.CompareAndDelete(c.id, c)
	close(c.quit)
	<-c.done
	c.telemetry.Shutdown()
}

// run lets go what has waited long enough.
func (c *correlator) run() {
	defer close(c.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	started := time.After(startup)
	for {
		select {
		case <-started:
			c.warn()
		case now := <-ticker.C:
			c.release(func(core *correlate.Core) []*correlate.Parcel { return core.Advance(now) })
		case <-c.quit:
			return
		}
	}
}

// warn tells of what is likely a mistake, once all pipelines have started.
func (c *correlator) warn() {
	c.flow.RLock()
	joins := len(c.joins)
	c.flow.RUnlock()
	if joins > 0 && c.taps.Load() == 0 {
		c.log.Warn("No traces pipeline has this processor, so that records wait in vain: add " + c.id.String() +
			" to the processors of the traces pipeline that gets the traces of the same requests")
	}
	if c.cfg.WaitForSampled && c.cfg.SampledAfter >= c.cfg.Wait && samplersFor(c.id).Load() > 0 {
		c.log.Warn("wait_for_sampled: wait is not above sampled_after, so that records of traces that are not sampled leave as unknown")
	}
}

// release delivers what a call of the core releases.
func (c *correlator) release(call func(*correlate.Core) []*correlate.Parcel) {
	c.flow.RLock()
	defer c.flow.RUnlock()
	c.deliver(call(c.core))
}

// deliver gives released parcels to the pipelines that they came from.
func (c *correlator) deliver(released []*correlate.Parcel) {
	for _, p := range released {
		p.Owner.(*join).out.add(p)
	}
}

// backlog is what the pipelines have not taken yet.
func (c *correlator) backlog() (bytes int64) {
	c.flow.RLock()
	defer c.flow.RUnlock()
	for _, j := range c.joins {
		bytes += j.out.backlog()
	}
	return bytes
}

// observe registers the numbers that are read when they are asked for.
func (c *correlator) observe() error {
	t, s := c.telemetry, &c.core.Stats
	gauge := func(read func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(read())
			return nil
		}
	}
	labelled := func(key string, read func(observe func(value string, n int64))) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			read(func(value string, n int64) {
				o.Observe(n, metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value))))
			})
			return nil
		}
	}
	for _, err := range []error{
		t.RegisterProcessorLogCorrelationBacklogBytesCallback(gauge(c.backlog)),
		t.RegisterProcessorLogCorrelationHeldBytesCallback(gauge(s.HeldBytes.Load)),
		t.RegisterProcessorLogCorrelationHeldRecordsCallback(gauge(s.HeldRecords.Load)),
		t.RegisterProcessorLogCorrelationTracesCallback(gauge(s.Traces.Load)),
		t.RegisterProcessorLogCorrelationRequestIdsCallback(gauge(s.RequestIDs.Load)),
		t.RegisterProcessorLogCorrelationLateSpansCallback(gauge(s.LateSpans.Load)),
		t.RegisterProcessorLogCorrelationRefusedFactsCallback(labelled("reason", func(observe func(string, int64)) {
			observe("max_traces", s.EvictedTraces.Load())
			observe("max_spans_per_trace", s.RefusedSpans.Load())
			observe("max_request_ids_per_trace", s.RefusedIDs.Load())
		})),
		t.RegisterProcessorLogCorrelationReleasedRecordsCallback(labelled("cause", func(observe func(string, int64)) {
			for cause := range correlate.NumCauses {
				observe(cause.String(), s.Released[cause].Load())
			}
		})),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
