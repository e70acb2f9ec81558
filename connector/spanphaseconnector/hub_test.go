package spanphaseconnector

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// twin is a connector used from traces to metrics and from traces to logs, as the service makes it:
// two instances with one configuration, each of which gets all spans.
type twin struct {
	rig  // to metrics
	logs connector.Traces
	log  *consumertest.LogsSink
	said *observer.ObservedLogs
}

// newTwin makes both instances and starts none.
func newTwin(t *testing.T, change func(*Config), between func(consumer.Logs) consumer.Logs) *twin {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.InstanceID, cfg.SeriesExpiry = "test", time.Hour
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	require.NoError(t, cfg.RequestLog.Validate())
	w := &twin{rig: rig{sink: &consumertest.MetricsSink{}, telemetry: componenttest.NewTelemetry()}, log: &consumertest.LogsSink{}}
	set := connectortest.NewNopSettings(metadata.Type)
	set.ID = component.NewID(metadata.Type)
	set.TelemetrySettings = w.telemetry.NewTelemetrySettings()
	core, said := observer.New(zap.InfoLevel)
	set.Logger, w.said = zap.New(core), said
	var err error
	w.Traces, err = NewFactory().CreateTracesToMetrics(t.Context(), set, cfg, w.sink)
	require.NoError(t, err)
	var next consumer.Logs = w.log
	if between != nil {
		next = between(next)
	}
	w.logs, err = NewFactory().CreateTracesToLogs(t.Context(), set, cfg, next)
	require.NoError(t, err)
	return w
}

// startTwin makes and starts both.
func startTwin(t *testing.T, change func(*Config), between func(consumer.Logs) consumer.Logs) *twin {
	t.Helper()
	w := newTwin(t, change, between)
	w.start(t, w.Traces, w.logs)
	return w
}

func (*twin) start(t *testing.T, instances ...connector.Traces) {
	t.Helper()
	for _, i := range instances {
		require.NoError(t, i.Start(t.Context(), componenttest.NewNopHost()))
	}
}

// send gives both a read-only batch, as the service's fan-out does.
func (w *twin) send(t *testing.T, td ptrace.Traces) {
	t.Helper()
	w.rig.send(t, td)
	shared := ptrace.NewTraces()
	td.CopyTo(shared)
	shared.MarkReadOnly()
	require.NoError(t, w.logs.ConsumeTraces(t.Context(), shared))
}

// stop shuts both down, that to logs first.
func (w *twin) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, w.logs.Shutdown(t.Context()))
	require.NoError(t, w.Shutdown(t.Context()))
	require.NoError(t, w.telemetry.Shutdown(t.Context()))
	assert.Zero(t, shared.Len(), "nothing is shared by what has ended")
}

// play sends the steps of a case at their times and waits until all is closed.
func (w *twin) play(t *testing.T, c casetest.Case) {
	t.Helper()
	start := time.Now()
	for _, s := range c.Steps {
		time.Sleep(s.At - time.Since(start))
		w.send(t, s.Traces)
	}
	time.Sleep(20 * time.Minute)
}

// Scenario: a connector to metrics and logs starts and stops in every order; its request is open at
// the first shutdown.
// Guarantees: both outputs get the request, once, and nothing is left.
func TestOrders(t *testing.T) {
	for _, logsFirst := range []bool{false, true} {
		for _, logsStopFirst := range []bool{false, true} {
			t.Run(fmt.Sprint("logs start first ", logsFirst, ", stop first ", logsStopFirst), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newTwin(t, nil, nil)
					starts, stops := []connector.Traces{w.Traces, w.logs}, []connector.Traces{w.Traces, w.logs}
					if logsFirst {
						starts[0], starts[1] = starts[1], starts[0]
					}
					if logsStopFirst {
						stops[0], stops[1] = stops[1], stops[0]
					}
					w.start(t, starts...)
					w.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
					time.Sleep(time.Minute)
					w.send(t, casetest.Trace(2, engine, casetest.Stages("m")...))
					require.NoError(t, stops[0].Shutdown(t.Context()))
					assert.Equal(t, 1, shared.Len())
					require.NoError(t, stops[1].Shutdown(t.Context()))
					require.NoError(t, stops[1].Shutdown(t.Context()), "again")
					assert.Zero(t, shared.Len())
					w.requireCount(t, "request", 2)
					w.requireCount(t, "calls", 2)
					w.requireCount(t, "phase.queue", 2)
					assert.Equal(t, 2, w.log.LogRecordCount())
					require.NoError(t, w.telemetry.Shutdown(t.Context()))
				})
			})
		}
	}
}

// Scenario: one output ends while spans still come.
// Guarantees: the other gets all of them, once, and with their request ids only while there are logs.
func TestOneOutputEnds(t *testing.T) {
	for _, logsEnd := range []bool{false, true} {
		t.Run(fmt.Sprint("logs ", logsEnd), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := startTwin(t, nil, nil)
				w.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
				ends, stays := w.Traces, w.logs
				if logsEnd {
					ends, stays = w.logs, w.Traces
				}
				require.NoError(t, ends.Shutdown(t.Context()))
				w.send(t, casetest.Trace(2, engine, casetest.Stages("m")...))
				time.Sleep(time.Minute)
				require.NoError(t, stays.Shutdown(t.Context()))
				if logsEnd {
					w.requireCount(t, "request", 2)
					assert.Equal(t, 1, w.log.LogRecordCount())
				} else {
					w.requireCount(t, "request", 1)
					assert.Equal(t, 2, w.log.LogRecordCount())
				}
				require.NoError(t, w.telemetry.Shutdown(t.Context()))
			})
		})
	}
}

// Scenario: a connector is used to logs alone, and one is shut down that never started.
// Guarantees: it works, and no error.
func TestLogsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTwin(t, nil, nil)
		w.start(t, w.logs)
		require.NoError(t, w.logs.ConsumeTraces(t.Context(), casetest.Trace(1, engine, casetest.Stages("m")...)))
		time.Sleep(time.Minute)
		assert.Equal(t, 1, w.log.LogRecordCount())
		assert.Zero(t, w.value(t, "series", ""), "no output of metrics, no series")
		w.stop(t)
		assert.Empty(t, w.sink.AllMetrics())
	})
}

// Scenario: two connectors of one collector, each with its own configuration.
// Guarantees: they share nothing.
func TestTwoConnectors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := startTwin(t, nil, nil), startTwin(t, nil, nil)
		assert.Equal(t, 2, shared.Len())
		first.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(time.Minute)
		require.NoError(t, second.logs.Shutdown(t.Context()))
		require.NoError(t, second.Shutdown(t.Context()))
		assert.Zero(t, second.log.LogRecordCount())
		first.stop(t)
		assert.Equal(t, 1, first.log.LogRecordCount())
	})
}

// ended is a metrics pipeline that ends before the connector's output of logs does.
type ended struct {
	consumer.Metrics
	at *bool
}

func (e ended) ConsumeMetrics(ctx context.Context, m pmetric.Metrics) error {
	if *e.at {
		panic("the pipeline has ended")
	}
	return e.Metrics.ConsumeMetrics(ctx, m)
}

// Scenario: the metrics pipeline ends right after the connector's instance to metrics, long before
// that to logs.
// Guarantees: nothing is handed to it any more.
func TestNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTwin(t, nil, nil)
		over := false
		w.Traces.(*instance).metrics = ended{w.sink, &over}
		w.start(t, w.Traces, w.logs)
		require.NoError(t, w.Shutdown(t.Context()))
		over = true
		w.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(time.Hour)
		require.NoError(t, w.logs.Shutdown(t.Context()))
		assert.Equal(t, 1, w.log.LogRecordCount())
		require.NoError(t, w.telemetry.Shutdown(t.Context()))
	})
}

// Scenario: two traces pipelines send at once to both outputs, while requests close and are evicted,
// and the outputs end one after the other, on the real clock.
// Guarantees: no race; each request is in the metrics once and leaves one record.
func TestTwinConcurrency(t *testing.T) {
	w := startTwin(t, func(cfg *Config) {
		cfg.FlushInterval, cfg.RequestLog.FlushInterval = 100*time.Millisecond, 5*time.Millisecond
		cfg.RequestLog.MaxBatch = 7
		cfg.Assembly.Linger, cfg.Assembly.IdleTimeout = 20*time.Millisecond, 50*time.Millisecond
		cfg.Assembly.MaxTraces = 512
	}, nil)
	var senders sync.WaitGroup
	for sender := range byte(8) {
		senders.Go(func() {
			for i := range byte(30) {
				td := casetest.Trace(sender*30+i, engine, casetest.Stages("m")...)
				td.MarkReadOnly()
				assert.NoError(t, w.ConsumeTraces(t.Context(), td))
				assert.NoError(t, w.logs.ConsumeTraces(t.Context(), td))
			}
		})
	}
	senders.Wait()
	var stops sync.WaitGroup
	for _, i := range []connector.Traces{w.Traces, w.logs} {
		stops.Go(func() { assert.NoError(t, i.Shutdown(t.Context())) })
	}
	stops.Wait()
	w.requireCount(t, "request", 240)
	w.requireCount(t, "phase.inference", 240)
	assert.Equal(t, 240, w.log.LogRecordCount())
	assert.Zero(t, shared.Len())
}
