package spanphaseconnector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/hub"
)

// shared is what the instances of one component id have in common: the service makes one for each
// output, and gives every span to each of them.
var shared hub.Hub[*Config, *requests]

// instance is the connector from traces to metrics, or to logs.
type instance struct {
	set     connector.Settings
	cfg     *Config
	metrics consumer.Metrics // nil: it is to logs
	logs    consumer.Logs    // nil: it is to metrics

	requests *requests // from Start on
	once     sync.Once // Shutdown
}

// Capabilities of the consumer: it reads only.
func (*instance) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// Start joins the other instances of this id. Goroutines are started for requests to be closed and
// for each output: a slow pipeline must not keep requests open, nor hold up the other.
func (i *instance) Start(context.Context, component.Host) error {
	c, err := shared.Join(i.cfg, func() (*requests, error) { //nolint:contextcheck // conditions are evaluated per span, without a context
		c, err := newRequests(i.set, i.cfg)
		if err == nil {
			c.closer.start(c.closing)
		}
		return c, err
	})
	if err != nil {
		return err
	}
	i.requests = c
	c.join(i) //nolint:contextcheck // Start's context ends with it
	return nil
}

// ConsumeTraces takes the facts of td, if no other instance does.
func (i *instance) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	if i.requests.feeder.Load() == i {
		i.requests.consume(td)
	}
	return nil
}

// Shutdown observes every open request, while all outputs are alive. The last instance of an output
// flushes it.
func (i *instance) Shutdown(ctx context.Context) (err error) {
	i.once.Do(func() {
		c := i.requests
		if c == nil {
			return
		}
		c.settle(c.assembler.Drain)
		err = errors.Join(c.leave(ctx, i), shared.Leave(i.cfg, func(c *requests) error {
			err := c.closer.end(ctx)
			c.telemetry.shutdown()
			return err
		}))
	})
	return err
}

// members are the instances that use the same requests.
type members struct {
	// feeder is the one of which spans are taken, so that none comes twice.
	feeder atomic.Pointer[instance]

	joining sync.Mutex // held while an instance joins or leaves
	list    []*instance
}

func (m *members) add(i *instance) {
	m.list = append(m.list, i)
	m.feeder.Store(m.list[0])
}

func (m *members) remove(i *instance) {
	m.list = slices.DeleteFunc(m.list, func(other *instance) bool { return other == i })
	if len(m.list) > 0 {
		m.feeder.Store(m.list[0])
	}
}

// count returns the instances of an output.
func (m *members) count(output func(*instance) bool) (n int) {
	for _, i := range m.list {
		if output(i) {
			n++
		}
	}
	return n
}

func toMetrics(i *instance) bool { return i.metrics != nil }
func toLogs(i *instance) bool    { return i.logs != nil }

// join adds an instance. The first of an output starts it.
func (c *requests) join(i *instance) {
	c.joining.Lock()
	defer c.joining.Unlock()
	c.add(i)
	switch {
	case toMetrics(i) && c.count(toMetrics) == 1:
		c.next = i.metrics
		c.flusher.start(c.flushing)
	case toLogs(i) && c.count(toLogs) == 1:
		c.log.Start(i.logs)
		c.logged.Store(true)
	}
}

// leave removes an instance. The last of an output flushes and ends it.
func (c *requests) leave(ctx context.Context, i *instance) error {
	c.joining.Lock()
	defer c.joining.Unlock()
	c.remove(i)
	switch {
	case toMetrics(i) && c.count(toMetrics) == 0:
		err := c.flusher.end(ctx)
		c.flush(ctx, true)
		if err != nil {
			err = fmt.Errorf("the metrics pipeline did not take a flush in time: %w", err)
		}
		return err
	case toLogs(i) && c.count(toLogs) == 0:
		c.logged.Store(false)
		return c.log.Stop(ctx)
	}
	return nil
}
