//go:build linux && cgo

package nvmlreceiver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gpu"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadatatest"
)

// Scenario: a logs pipeline alone; a GPU falls off the bus, an error has no code, and one is of
// a MIG instance.
// Guarantees: the GPUs are found without a metrics pipeline; one record for each, with all of it.
func TestLogRecords(t *testing.T) {
	if alone(t) {
		return
	}
	gi, ci := 2, 0
	s := nvmltest.DGX(2, nvmltest.H200())
	s.Events = []nvmltest.Event{
		{AtS: 5, Device: 1, Xid: 79},
		{AtS: 10, Device: 0, Xid: 43, GI: &gi, CI: &ci},
		{AtS: 15, Device: 0, Type: 0x2},
	}
	r := newRig(t, s)
	r.real = true
	r.configure(t, nil)
	r.startLogs(r.logs)
	var records []plog.LogRecord
	for i := range s.Events {
		r.awaitListening(2)
		r.set(i + 2)
		require.Eventually(t, func() bool { return r.logs.LogRecordCount() > i }, 10*time.Second, 5*time.Millisecond)
		logs := r.logs.AllLogs()[i]
		records = append(records, logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0))
		assert.Equal(t, metadata.ScopeName, logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().Name())
	}
	r.stop()
	assert.Equal(t, 1, r.world.Calls().Of("nvmlInit_v2"))

	fell := records[0]
	assert.Equal(t, "nvidia.gpu.xid", fell.EventName())
	assert.Equal(t, plog.SeverityNumberFatal, fell.SeverityNumber())
	assert.Equal(t, "Fatal", fell.SeverityText())
	assert.Contains(t, fell.Body().Str(), "Xid 79: ")
	assert.WithinDuration(t, time.Now(), fell.Timestamp().AsTime(), time.Minute)
	assert.Equal(t, fell.Timestamp(), fell.ObservedTimestamp())
	assert.Equal(t, map[string]any{
		"hw.id": "GPU-00000000-0000-4000-8000-000000000001", "hw.name": "NVIDIA H200", "hw.type": "gpu", "nvidia.xid.code": int64(79),
	}, fell.Attributes().AsRaw())
	assert.Equal(t, map[string]any{
		"hw.id": "GPU-00000000-0000-4000-8000-000000000000", "hw.name": "NVIDIA H200", "hw.type": "gpu", "nvidia.xid.code": int64(43),
		"nvidia.mig.gpu_instance.id": int64(2), "nvidia.mig.compute_instance.id": int64(0),
	}, records[1].Attributes().AsRaw())
	assert.Equal(t, "nvidia.gpu.ecc.double_bit", records[2].EventName())
	assert.NotContains(t, records[2].Attributes().AsRaw(), "nvidia.xid.code")
}

// refusing is a consumer that refuses.
type refusing struct {
	consumer.Logs
	times atomic.Int64 // that are left
	with  error
}

func (c *refusing) ConsumeLogs(ctx context.Context, logs plog.Logs) error {
	if c.times.Add(-1) >= 0 {
		return c.with
	}
	return c.Logs.ConsumeLogs(ctx, logs)
}

// inBubble runs a logs receiver before a consumer that refuses some times.
func inBubble(t *testing.T, times int64, with error, f func(t *testing.T, r *rig, l *logsReceiver)) {
	t.Helper()
	r := newRig(t, silent(nvmltest.DGX(1, nvmltest.H200())))
	synctest.Test(t, func(t *testing.T) {
		r.configure(t, nil)
		next := &refusing{Logs: r.logs, with: with}
		next.times.Store(times)
		r.startLogs(next)
		time.Sleep(time.Second)
		f(t, r, r.running[0].(*logsReceiver))
	})
}

var fallen = gpu.Event{
	Time: time.Unix(1_768_471_200, 0), UUID: "GPU-0", Name: "NVIDIA H200", Type: driver.EventXid, Data: 79,
	GPUInstance: -1, ComputeInstance: -1,
}

// Scenario: the driver does not say whose event it is.
// Guarantees: the record has no identity, rather than an empty one.
func TestRecordOfNoGPU(t *testing.T) {
	logs := record(gpu.Event{Type: driver.EventXid, Data: 31, GPUInstance: -1, ComputeInstance: -1}, "")
	assert.Equal(t, map[string]any{"hw.type": "gpu", "nvidia.xid.code": int64(31)},
		logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw())
}

// Scenario: the consumer refuses for 20 s.
// Guarantees: no event is lost, and each keeps its time and order.
func TestLogsRetried(t *testing.T) {
	if alone(t) {
		return
	}
	inBubble(t, 4, errors.New("full"), func(t *testing.T, r *rig, l *logsReceiver) {
		t.Helper()
		for _, xid := range []uint64{79, 31, 31} {
			e := fallen
			e.Data = xid
			l.Event(e)
		}
		time.Sleep(19 * time.Second)
		assert.Zero(t, r.logs.LogRecordCount())
		time.Sleep(2 * time.Second)
		require.Equal(t, 3, r.logs.LogRecordCount())
		for i, want := range []int64{79, 31, 31} {
			record := r.logs.AllLogs()[i].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
			code, _ := record.Attributes().Get("nvidia.xid.code")
			assert.Equal(t, want, code.Int())
			assert.Equal(t, fallen.Time.UTC(), record.Timestamp().AsTime())
		}
		assert.Zero(t, r.own("dropped_events"))
		r.stop()
	})
}

func drops(reason string, n int64) []metricdata.DataPoint[int64] {
	return []metricdata.DataPoint[int64]{{Value: n, Attributes: attribute.NewSet(attribute.String("reason", reason))}}
}

// Scenario: the consumer refuses an event for good.
// Guarantees: it is counted, and the next is sent.
func TestLogsRefusedForGood(t *testing.T) {
	if alone(t) {
		return
	}
	inBubble(t, 1, consumererror.NewPermanent(errors.New("bad")), func(t *testing.T, r *rig, l *logsReceiver) {
		t.Helper()
		l.Event(fallen)
		l.Event(fallen)
		time.Sleep(time.Second)
		assert.Equal(t, 1, r.logs.LogRecordCount())
		metadatatest.AssertEqualReceiverNvmlDroppedEvents(t, r.tel, drops("refused", 1), metricdatatest.IgnoreTimestamp())
		r.stop()
	})
}

// Scenario: a storm of events before a consumer that takes nothing, and then a shutdown.
// Guarantees: what waits for events is not blocked, memory is bounded, and all that is lost is counted.
func TestLogsStorm(t *testing.T) {
	if alone(t) {
		return
	}
	inBubble(t, 1<<40, errors.New("full"), func(t *testing.T, r *rig, l *logsReceiver) {
		t.Helper()
		l.Event(fallen)
		synctest.Wait() // it is being sent
		for range maxEvents + 7 {
			l.Event(fallen)
		}
		metadatatest.AssertEqualReceiverNvmlDroppedEvents(t, r.tel, drops("queue_full", 7), metricdatatest.IgnoreTimestamp())
		began := time.Now()
		require.NoError(t, l.Shutdown(t.Context()))
		r.running = nil
		assert.Less(t, time.Since(began), time.Second)
		assert.Equal(t, int64(maxEvents+8), r.own("dropped_events"))
		r.stop()
	})
}
