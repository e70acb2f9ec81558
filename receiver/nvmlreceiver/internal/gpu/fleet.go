// Package gpu reads the GPUs of this host: it keeps the connection to the driver, follows
// which GPUs there are, and reads each on a goroutine of its own, so that one that is lost or
// hangs costs the others nothing.
package gpu

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// Fleet is all GPUs of the host. Its methods may be called at once; scrapes follow each other.
type Fleet struct {
	shared

	timeout time.Duration
	report  reporter
	events  *watcher

	mu      sync.Mutex
	session session
	attempt *attempt // to initialise the driver, while one runs
	// control runs the calls that are not of one GPU.
	control *lane
	openers []*opener // by index
	build   *metadata.MetricsBuilder
	series  *series
	readers map[string]*reader
	// order is the order in which the GPUs were found, so that output is stable.
	order   []*reader
	denied  map[int]driver.Return // GPUs that could not be opened, by index
	scraped time.Time
	closed  bool
}

// New returns a fleet that has not yet touched the driver.
func New(set Settings) (*Fleet, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.Receiver.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	f := &Fleet{
		shared: shared{
			lib: set.Library, on: set.Metrics, set: set.Receiver, telemetry: telemetry, log: set.Receiver.Logger,
			interval: set.Interval, serialNumber: set.SerialNumber,
			processes: set.Processes, maxProcesses: set.MaxProcesses,
		},
		timeout: set.Timeout,
		// A stack says nothing about a GPU.
		report:  reporter{log: set.Receiver.Logger.WithOptions(zap.AddStacktrace(zap.FatalLevel))},
		control: newLane(),
		series:  newSeries(),
		readers: map[string]*reader{},
		denied:  map[int]driver.Return{},
	}
	f.build = f.newBuilder(time.Now())
	f.events = newWatcher(f.lib, set.Metrics.Metrics.NvidiaGpuXidErrors.Enabled, set.Receiver.Logger)
	return f, nil
}

// SetHost says to whom changes of state are told.
func (f *Fleet) SetHost(host component.Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report.host = host
}

// SetSink says who gets critical events; it is called before the first scrape.
func (f *Fleet) SetSink(sink EventSink) { f.events.setSink(sink) }

// Scraped is when the last scrape began.
func (f *Fleet) Scraped() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.scraped
}

// Scrape reads all GPUs within the timeout. A GPU that does not answer in time is reported as
// degraded, and is not asked again before it has answered. Without a driver there is nothing
// to report, which is no error.
func (f *Fleet) Scrape(ctx context.Context) pmetric.Metrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return pmetric.NewMetrics()
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	f.scraped = time.Now()
	out := f.scrape(ctx)
	f.series.end(out, pcommon.NewTimestampFromTime(f.scraped))
	return out
}

// scrape is Scrape without the marks of what ended.
//
//nolint:contextcheck // the collector's own counters take no part in the deadline of a scrape
func (f *Fleet) scrape(ctx context.Context) pmetric.Metrics {
	if !f.connect(ctx) {
		return f.unreached()
	}
	all, ok := f.enumerate(ctx)
	if !ok {
		return f.unreached()
	}
	return f.collect(all, f.readAll(ctx, all.present))
}

// readAll reads the GPUs that are present and returns those that did not answer in time.
func (f *Fleet) readAll(ctx context.Context, present map[*reader]bool) map[*reader]bool {
	unread := map[*reader]bool{}
	done := map[*reader]<-chan struct{}{}
	for _, r := range f.order {
		if !present[r] {
			continue
		}
		if r.lane.busy.Load() {
			unread[r] = true
			continue
		}
		// The lane is idle, so the reader is the fleet's until it runs.
		r.when, r.index, r.dev = f.scraped, r.foundIndex, r.foundDevice
		done[r], _ = r.lane.run(r.read)
	}
	for r, d := range done {
		if !wait(ctx, d) {
			unread[r] = true
		}
	}
	return unread
}

// collect puts the scrape together and draws the conclusions for the next.
func (f *Fleet) collect(all found, unread map[*reader]bool) pmetric.Metrics {
	now := pcommon.NewTimestampFromTime(f.scraped)
	out := pmetric.NewMetrics()
	lost := false
	processes := 0
	for _, r := range f.order {
		switch {
		case unread[r] || !all.present[r] && all.stuck[r.foundIndex]:
			f.telemetry.ReceiverNvmlUnreadGpus.Add(context.Background(), 1)
			f.report.gpu(r.uuid, r.foundName, gpuHung)
			f.recordStatus(r)
		case !all.present[r]:
			// It was there before: it fell off the bus, was taken away, or cannot be opened.
			lost = true
			why := closedState(all.denied[r.foundIndex])
			r.gone = why != gpuClosed
			f.report.gpu(r.uuid, r.foundName, why)
			f.recordStatus(r)
		default:
			if r.foundName != r.identity.Name {
				r.foundName = r.identity.Name
				f.events.name(r.uuid, r.foundName)
			}
			f.report.gpu(r.uuid, r.foundName, stateOf(r.fault))
			f.report.unsupported(r.uuid, r.foundName, r.news)
			r.gone = r.fault.Lost()
			lost = lost || r.gone
			processes += r.reported
			if r.fault.Broken() {
				f.session.lose(r.fault, f.scraped)
			}
			merge(out, r.out)
		}
	}
	merge(out, f.emit(now))
	if lost {
		f.session.renewSoon(f.scraped)
	} else {
		f.session.healthy(f.scraped)
	}
	f.telemetry.ReceiverNvmlGpus.Record(context.Background(), int64(len(all.present)))
	if f.processes != nil {
		f.telemetry.ReceiverNvmlProcesses.Record(context.Background(), int64(processes))
	}
	return out
}

// unreached is a scrape without a driver, or with one that hangs. GPUs that were there before
// are not silent: they stay failed if they were, and are degraded otherwise.
func (f *Fleet) unreached() pmetric.Metrics {
	now := pcommon.NewTimestampFromTime(f.scraped)
	for _, r := range f.order {
		f.recordStatus(r)
	}
	f.telemetry.ReceiverNvmlGpus.Record(context.Background(), 0)
	return f.emit(now)
}

// recordStatus is for a GPU that was not read.
func (f *Fleet) recordStatus(r *reader) {
	state := metadata.AttributeHwStateDegraded
	if r.gone {
		state = metadata.AttributeHwStateFailed
	}
	recordStatus(f.build, pcommon.NewTimestampFromTime(f.scraped), r.uuid, r.foundName, state)
}

// emit adds the counts of events to what the fleet itself has recorded.
func (f *Fleet) emit(now pcommon.Timestamp) pmetric.Metrics {
	var starts []pcommon.Timestamp
	f.events.counts(func(key xidKey, n uint64, since pcommon.Timestamp) {
		name := ""
		if r := f.readers[key.uuid]; r != nil {
			name = r.foundName
		}
		f.build.RecordNvidiaGpuXidErrorsDataPoint(now, int64(n), key.uuid, name, int64(key.code))
		starts = append(starts, since)
	})
	return emit(f.build, map[string][]pcommon.Timestamp{"nvidia.gpu.xid.errors": starts})
}

// Close stops everything and releases the driver. What hangs is left behind after the timeout
// of a scrape; the library then stays open, since it is still in use.
func (f *Fleet) Close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	ctx, cancel := context.WithTimeout(ctx, max(f.timeout, stopWait))
	defer cancel()
	idle := f.events.stop(ctx)
	idle = f.quiet(ctx) && idle
	if f.session.connected && idle {
		f.letGo()
		if ret := f.lib.Shutdown(); ret != driver.Success {
			f.log.Warn("The GPU driver could not be released: " + ret.String())
		}
	}
	for _, r := range f.order {
		r.lane.close()
	}
	for _, o := range f.openers {
		o.lane.close()
	}
	f.control.close()
	f.telemetry.Shutdown()
	if !idle {
		return errors.New("the GPU driver did not return from a call; the library stays loaded")
	}
	return nil
}

func (f *Fleet) countInit(ret driver.Return) {
	f.telemetry.ReceiverNvmlInitializations.Add(context.Background(), 1,
		metric.WithAttributeSet(attribute.NewSet(attribute.String("return", ret.String()))))
}
