package nvmlreceiver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gpu"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/xid"
)

const (
	// maxEvents is how many events wait for a consumer that refuses them.
	maxEvents = 1000
	// retryEvents is the time between two attempts.
	retryEvents = 5 * time.Second
)

// logsReceiver sends one log record for each critical event.
type logsReceiver struct {
	member
	next      consumer.Logs
	obs       *receiverhelper.ObsReport
	telemetry *metadata.TelemetryBuilder

	events chan gpu.Event
	quit   chan struct{}
	wait   sync.WaitGroup
}

func newLogsReceiver(set receiver.Settings, cfg *Config, next consumer.Logs) (*logsReceiver, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &logsReceiver{
		member: member{set: set, cfg: cfg}, next: next, obs: obs, telemetry: telemetry,
		events: make(chan gpu.Event, maxEvents), quit: make(chan struct{}),
	}, nil
}

// Start begins to listen for events.
func (l *logsReceiver) Start(ctx context.Context, host component.Host) error {
	if err := l.join(ctx, host); err != nil {
		return err
	}
	l.station.fleet.SetSink(l)
	// The goroutine's own: shutdown clears the member's.
	fleet := l.station.fleet
	l.wait.Go(l.deliver)
	l.wait.Go(func() { l.find(fleet) }) //nolint:contextcheck // it outlives the start
	return nil
}

// Shutdown ends the listening and sends what has been heard.
func (l *logsReceiver) Shutdown(ctx context.Context) error {
	if l.station == nil {
		l.telemetry.Shutdown()
		return nil
	}
	l.station.fleet.SetSink(nil)
	close(l.quit)
	l.wait.Wait()
	err := l.leave(ctx)
	l.telemetry.Shutdown()
	return err
}

// Event takes an event without blocking, since it is called by who waits for the next.
func (l *logsReceiver) Event(e gpu.Event) {
	select {
	case l.events <- e:
	default:
		l.dropped("queue_full")
	}
}

func (l *logsReceiver) dropped(reason string) {
	l.telemetry.ReceiverNvmlDroppedEvents.Add(context.Background(), 1,
		metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", reason))))
}

// find scrapes, without use for the outcome, where no metrics receiver of the same id does: GPUs
// have to be found before they can be listened to.
func (l *logsReceiver) find(fleet *gpu.Fleet) {
	ticker := time.NewTicker(l.cfg.CollectionInterval)
	defer ticker.Stop()
	for {
		// Not at once: what the driver tells only once is for the metrics receiver.
		select {
		case <-ticker.C:
		case <-l.quit:
			return
		}
		if time.Since(fleet.Scraped()) >= 2*l.cfg.CollectionInterval {
			fleet.Scrape(context.Background())
		}
	}
}

// deliver sends events, those that are left at the end as well.
func (l *logsReceiver) deliver() {
	for {
		select {
		case e := <-l.events:
			l.send(e)
		case <-l.quit:
			for {
				select {
				case e := <-l.events:
					l.send(e)
				default:
					return
				}
			}
		}
	}
}

// send tries until the consumer takes the record, refuses it for good, or the receiver shuts
// down, which allows one attempt.
func (l *logsReceiver) send(e gpu.Event) {
	for {
		ctx := l.obs.StartLogsOp(context.Background())
		err := l.next.ConsumeLogs(ctx, record(e, l.set.BuildInfo.Version))
		l.obs.EndLogsOp(ctx, metadata.Type.String(), 1, err)
		if err == nil {
			return
		}
		if consumererror.IsPermanent(err) {
			l.dropped("refused")
			return
		}
		select {
		case <-l.quit:
			l.dropped("refused")
			return
		case <-time.After(retryEvents):
		}
	}
}

// record is the log record of an event.
func record(e gpu.Event, version string) plog.Logs {
	logs := plog.NewLogs()
	sl := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	sl.Scope().SetName(metadata.ScopeName)
	sl.Scope().SetVersion(version)
	r := sl.LogRecords().AppendEmpty()
	// NVML gives no time; it tells events at once.
	r.SetTimestamp(pcommon.NewTimestampFromTime(e.Time))
	r.SetObservedTimestamp(pcommon.NewTimestampFromTime(e.Time))
	attrs := r.Attributes()
	if e.UUID != "" {
		attrs.PutStr("hw.id", e.UUID)
	}
	if e.Name != "" {
		attrs.PutStr("hw.name", e.Name)
	}
	attrs.PutStr("hw.type", "gpu")
	if e.GPUInstance >= 0 {
		attrs.PutInt("nvidia.mig.gpu_instance.id", int64(e.GPUInstance))
	}
	if e.ComputeInstance >= 0 {
		attrs.PutInt("nvidia.mig.compute_instance.id", int64(e.ComputeInstance))
	}
	name, severity, text := describe(e)
	r.SetEventName(name)
	r.SetSeverityNumber(severity)
	r.SetSeverityText(severity.String())
	r.Body().SetStr(text)
	if e.Type&driver.EventXid != 0 {
		attrs.PutInt("nvidia.xid.code", int64(e.Data))
	}
	return logs
}

func describe(e gpu.Event) (name string, severity plog.SeverityNumber, text string) {
	switch {
	case e.Type&driver.EventXid != 0:
		m := xid.Lookup(e.Data)
		return "nvidia.gpu.xid", m.Severity, fmt.Sprintf("Xid %d: %s", e.Data, m.Text)
	case e.Type&driver.EventDoubleBitECC != 0:
		return "nvidia.gpu.ecc.double_bit", plog.SeverityNumberError,
			"An uncorrectable memory error: results of what ran may be wrong. If it comes again, reset the GPU; see the row remapping of it."
	case e.Type&driver.EventFatalPoison != 0:
		return "nvidia.gpu.poison", plog.SeverityNumberFatal, "Poisoned data was consumed; what ran on the GPU was stopped. Reset the GPU."
	case e.Type&driver.EventGPUUnavailable != 0:
		return "nvidia.gpu.unavailable", plog.SeverityNumberFatal, "The GPU is unavailable. Reset it or reboot the node."
	case e.Type&driver.EventRecoveryAction != 0:
		return "nvidia.gpu.recovery_action", plog.SeverityNumberWarn,
			"What the driver asks for to recover the GPU has changed; see nvidia-smi -q, GPU Recovery Action."
	default:
		return "nvidia.gpu.event", plog.SeverityNumberWarn, fmt.Sprintf("A GPU event of type 0x%x.", uint64(e.Type))
	}
}
