package gpu

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

func sumOf(n int64) []metricdata.DataPoint[int64] { return []metricdata.DataPoint[int64]{{Value: n}} }

func ignoreTime() []metricdatatest.Option {
	return []metricdatatest.Option{metricdatatest.IgnoreTimestamp()}
}

func one(t *testing.T, d *fakeDevice) *rig {
	t.Helper()
	return newRig(t, &fakeLibrary{devices: []*fakeDevice{d}})
}

// A counter keeps the value of the driver, starts when it was first seen, begins anew when
// the driver resets it, and goes on over a wrap.
func TestCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		millijoules := uint64(5_000_000)
		d := &fakeDevice{uuid: uuidA, energy: func() (uint64, driver.Return) { return millijoules, driver.Success }}
		d.fields = map[[2]uint32]driver.FieldValue{{driver.FieldPCIeTransmitBytes, 0}: {Uint: math.MaxUint32 - 99, Wraps32: true}}
		r := one(t, d)
		defer r.close()
		first := time.Now()
		out := r.scrapes(1)
		p, _ := point(out, "hw.energy")
		assert.InDelta(t, 5000, p.DoubleValue(), 0)
		assert.Equal(t, timestamp(first), p.StartTimestamp())
		assert.Equal(t, timestamp(first), p.Timestamp())

		millijoules += 1500
		d.fields[[2]uint32{driver.FieldPCIeTransmitBytes, 0}] = driver.FieldValue{Uint: 100, Wraps32: true}
		out = r.scrapes(1)
		p, _ = point(out, "hw.energy")
		assert.InDelta(t, 5001.5, p.DoubleValue(), 0)
		assert.Equal(t, timestamp(first), p.StartTimestamp())
		assert.InDelta(t, 1<<32+100, value(t, out, "hw.gpu.io"), 0)

		millijoules = 10_000
		reset := time.Now()
		p, _ = point(r.scrapes(1), "hw.energy")
		assert.InDelta(t, 10, p.DoubleValue(), 0)
		assert.Equal(t, timestamp(reset), p.StartTimestamp())
	})
}

func TestCounterResetIsNoWrap(t *testing.T) {
	c := counters{}
	v, _ := c.observe(counterKey{"x", 0}, 1000, true, 1)
	assert.EqualValues(t, 1000, v)
	v, start := c.observe(counterKey{"x", 0}, 5, true, 2)
	assert.EqualValues(t, 5, v, "far from the end of 32 bits")
	assert.EqualValues(t, 2, start)
}

// The driver's samples since the last read are averaged; none, as on an idle GPU, falls back.
func TestMeanUtilization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given []driver.Sample
		var asked []uint64
		ret := driver.Success
		d := &fakeDevice{
			uuid: uuidA,
			samples: func(since uint64) ([]driver.Sample, driver.Return) {
				asked = append(asked, since)
				return given, ret
			},
			rates: func() (uint32, uint32, driver.Return) { return 7, 3, driver.Success },
		}
		r := one(t, d)
		defer r.close()
		// The buffer goes back further than one interval.
		given = []driver.Sample{{Time: 1_000_000, Value: 100}, {Time: 9_000_000, Value: 20}, {Time: 10_000_000, Value: 40}}
		general := func() float64 { return value(t, r.scrapes(1), "hw.gpu.utilization", "hw.gpu.task", "general") }
		assert.InDelta(t, 0.30, general(), 1e-9)
		given = []driver.Sample{{Time: 12_000_000, Value: 90}, {Time: 13_000_000, Value: 1000}, {Time: 14_000_000, Value: 10}}
		assert.InDelta(t, 0.50, general(), 1e-9, "a sample above 100 % is none")
		given, ret = nil, driver.NotFound
		assert.InDelta(t, 0.07, general(), 1e-9)
		given, ret = nil, driver.Success
		assert.InDelta(t, 0.07, general(), 1e-9)
		assert.Equal(t, []uint64{0, 10_000_000, 14_000_000, 14_000_000}, asked)
		assert.InDelta(t, 0.03, value(t, r.scrapes(1), "nvidia.gpu.memory.controller.utilization"), 1e-9)
	})
}

// What cannot be right is dropped and counted: the placeholders of drivers above all.
func TestPlaceholders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDevice{
			uuid:   uuidA,
			power:  func() (uint32, driver.Return) { return math.MaxUint32, driver.Success },
			rates:  func() (uint32, uint32, driver.Return) { return math.MaxUint32, 101, driver.Success },
			memory: func() (driver.Memory, driver.Return) { return driver.Memory{Total: 10, Used: 11}, driver.Success },
			energy: func() (uint64, driver.Return) { return math.MaxUint64, driver.Success },
		}
		r := one(t, d)
		defer r.close()
		out := r.scrapes(1)
		each(out, func(m pmetric.Metric, _ pmetric.NumberDataPoint) {
			assert.Contains(t, []string{"hw.status", "nvidia.gpu.index", "nvidia.gpu.info"}, m.Name())
		})
		got, err := r.tel.GetMetric("otelcol_receiver_nvml_discarded_values")
		require.NoError(t, err)
		assert.Len(t, got.Data.(metricdata.Sum[int64]).DataPoints, 5)
	})
}

// Fields hold anything: what no counter can say is no point, least of all a negative one.
func TestFieldsThatCannotBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const huge = 1<<63 + 5
		d := &fakeDevice{uuid: uuidA, fields: map[[2]uint32]driver.FieldValue{
			{driver.FieldNVLinkCount, 0}: {Uint: 1},
		}}
		for _, id := range []uint32{
			driver.FieldPCIeReplays, driver.FieldPCIeTransmitBytes, driver.FieldSWPowerCapTime, driver.FieldRecoveryAction,
			driver.FieldNVLinkReplayErrors,
		} {
			d.fields[[2]uint32{id, 0}] = driver.FieldValue{Uint: huge}
		}
		d.fields[[2]uint32{driver.FieldPCIeReceiveBytes, 0}] = driver.FieldValue{Value: -5}
		r := one(t, d)
		defer r.close()
		out := r.scrapes(2)
		each(out, func(m pmetric.Metric, _ pmetric.NumberDataPoint) {
			assert.Contains(t, []string{"hw.status", "nvidia.gpu.index", "nvidia.gpu.info"}, m.Name())
		})
		assert.Equal(t, "ok", status(t, out, uuidA), "no recovery action has this number")
	})
}

// What a GPU does not support is asked once, and again after a while.
func TestUnsupported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDevice{uuid: uuidA}
		r := one(t, d)
		defer r.close()
		r.scrapes(12)
		assert.Equal(t, 1, d.askedFor("power"))
		r.scrapes(1)
		assert.Equal(t, 2, d.askedFor("power"))
		lines := r.lines()
		require.Len(t, lines, 3, "told once: %v", lines)
		assert.Equal(t, 1, strings.Count(strings.Join(lines, "\n"), "GetPowerUsage NOT_SUPPORTED"))
		d.power = func() (uint32, driver.Return) { return 1000, driver.Success }
		assert.InDelta(t, 1, value(t, r.scrapes(12), "hw.power"), 0)
	})
}

func TestHealth(t *testing.T) {
	for name, test := range map[string]struct {
		device *fakeDevice
		want   string
	}{
		"fine": {&fakeDevice{limits: func() (driver.ClockLimit, driver.Return) {
			return driver.LimitIdle | driver.LimitSWPowerCap, driver.Success
		}}, "ok"},
		"hot":       {&fakeDevice{limits: func() (driver.ClockLimit, driver.Return) { return driver.LimitHWThermal, driver.Success }}, "degraded"},
		"brake":     {&fakeDevice{limits: func() (driver.ClockLimit, driver.Return) { return driver.LimitHWPowerBrake, driver.Success }}, "degraded"},
		"remapping": {&fakeDevice{remap: func() (driver.RemappedRows, driver.Return) { return driver.RemappedRows{Pending: true}, driver.Success }}, "predicted_failure"},
		"no rows":   {&fakeDevice{remap: func() (driver.RemappedRows, driver.Return) { return driver.RemappedRows{Failed: true}, driver.Success }}, "predicted_failure"},
		"recovery":  {&fakeDevice{fields: map[[2]uint32]driver.FieldValue{{driver.FieldRecoveryAction, 0}: {Uint: 1}}}, "degraded"},
		"recovered": {&fakeDevice{fields: map[[2]uint32]driver.FieldValue{{driver.FieldRecoveryAction, 0}: {Uint: 0}}}, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := test.device
				d.uuid = uuidA
				r := one(t, d)
				defer r.close()
				assert.Equal(t, test.want, status(t, r.scrapes(2), uuidA))
			})
		})
	}
}

// Each reason that the GPU knows has a point, so that one that begins is seen to begin.
func TestClockLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDevice{uuid: uuidA, limits: func() (driver.ClockLimit, driver.Return) { return driver.LimitSWPowerCap, driver.Success }}
		r := one(t, d)
		defer r.close()
		out := r.scrapes(1)
		assert.InDelta(t, 1, value(t, out, "nvidia.gpu.clock.limited", "nvidia.gpu.clock.limit_reason", "sw_power_cap"), 0)
		assert.InDelta(t, 0, value(t, out, "nvidia.gpu.clock.limited", "nvidia.gpu.clock.limit_reason", "idle"), 0)
		absent(t, out, "nvidia.gpu.clock.limited", "nvidia.gpu.clock.limit_reason", "hw_thermal")
	})
}

// The links of a GPU are summed; Blackwell counts in other fields; one that does not answer
// does not look like a reset.
func TestNVLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDevice{uuid: uuidA, fields: map[[2]uint32]driver.FieldValue{}}
		field := func(id, scope uint32, v uint64) { d.fields[[2]uint32{id, scope}] = driver.FieldValue{Uint: v} }
		field(driver.FieldNVLinkCount, 0, 2)
		field(driver.FieldNVLinkDataTransmit, driver.AllLinks, 10)
		field(driver.FieldNVLinkReplayErrors, 0, 3)
		field(driver.FieldNVLinkReplayErrors, 1, 4)
		r := one(t, d)
		defer r.close()
		out := r.scrapes(2)
		assert.InDelta(t, 10*1024, value(t, out, "nvidia.gpu.nvlink.io", "network.io.direction", "transmit"), 0)
		assert.InDelta(t, 7, value(t, out, "nvidia.gpu.nvlink.errors", "nvidia.gpu.nvlink.error.type", "replay"), 0)
		absent(t, out, "nvidia.gpu.nvlink.errors", "nvidia.gpu.nvlink.error.type", "crc")

		d.fields[[2]uint32{driver.FieldNVLinkReplayErrors, 1}] = driver.FieldValue{Return: driver.Unknown}
		assert.InDelta(t, 7, value(t, r.scrapes(1), "nvidia.gpu.nvlink.errors", "nvidia.gpu.nvlink.error.type", "replay"), 0)
	})
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDevice{uuid: uuidA, fields: map[[2]uint32]driver.FieldValue{
			{driver.FieldNVLinkCount, 0}:       {Uint: 2},
			{driver.FieldNVLink5Transmit, 0}:   {Uint: 100},
			{driver.FieldNVLink5Transmit, 1}:   {Uint: 200},
			{driver.FieldNVLink5Recoveries, 1}: {Uint: 5},
		}}
		r := one(t, d)
		defer r.close()
		out := r.scrapes(2)
		assert.InDelta(t, 300, value(t, out, "nvidia.gpu.nvlink.io", "network.io.direction", "transmit"), 0)
		assert.InDelta(t, 5, value(t, out, "nvidia.gpu.nvlink.errors", "nvidia.gpu.nvlink.error.type", "recovery"), 0)
	})
}

// A GPU that did not tell its name at first is asked again.
func TestNameIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := watts(uuidA, 1)
		d.nameless = true
		r := one(t, d)
		defer r.close()
		r.scrapes(2)
		d.nameless = false
		value(t, r.scrapes(12), "hw.power", "hw.name", "NVIDIA H200")
		assert.Equal(t, "ok", status(t, r.scrapes(1), uuidA))
	})
}

// A MIG device whose name does not tell the profile has none, rather than an empty one.
func TestMIGWithoutProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := watts(uuidA, 1)
		d.mig = func() (bool, driver.Return) { return true, driver.Success }
		d.parts = []*fakeDevice{{uuid: "MIG-1"}}
		r := one(t, d)
		defer r.close()
		p, ok := point(r.scrapes(1), "nvidia.gpu.mig.info", "hw.id", "MIG-1")
		require.True(t, ok)
		assert.Equal(t, map[string]any{
			"hw.id": "MIG-1", "hw.name": "NVIDIA H200", "hw.parent": uuidA,
			"nvidia.mig.gpu_instance.id": int64(1), "nvidia.mig.compute_instance.id": int64(0),
		}, p.Attributes().AsRaw())
	})
}

// Samples of the performance counters are means over the time since the last read, and are
// all given back.
func TestGPM(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := watts(uuidA, 1)
		d.gpm = true
		r := one(t, d)
		absent(t, r.scrapes(1), "nvidia.gpu.sm.utilization")
		out := r.scrapes(1)
		assert.InDelta(t, 0.5, value(t, out, "nvidia.gpu.sm.utilization"), 1e-9)
		assert.InDelta(t, 0.5, value(t, out, "nvidia.gpu.pipe.utilization", "nvidia.gpu.pipe", "tensor"), 1e-9)
		time.Sleep(time.Hour)
		absent(t, r.scrapes(1), "nvidia.gpu.sm.utilization")
		value(t, r.scrapes(1), "nvidia.gpu.sm.utilization")
		r.close()
		assert.Equal(t, d.taken, d.freed)
	})
}

// A measurement may be a little above 100 %, which is 100 %; more is none.
func TestGPMAboveAll(t *testing.T) {
	for percent, want := range map[float64]bool{100.4: true, 150: false} {
		synctest.Test(t, func(t *testing.T) {
			d := watts(uuidA, 1)
			d.gpm = true
			r := newRig(t, &fakeLibrary{devices: []*fakeDevice{d}, gpm: percent})
			defer r.close()
			p, ok := point(r.scrapes(2), "nvidia.gpu.sm.utilization")
			require.Equal(t, want, ok)
			if ok {
				assert.InDelta(t, 1, p.DoubleValue(), 0)
			}
		})
	}
}

// A library that does not wait for events is asked twice a second and not all the time.
func TestEventsWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits atomic.Int64
		r := newRig(t, &fakeLibrary{devices: []*fakeDevice{watts(uuidA, 1)}, events: make(chan driver.Event), waits: &waits})
		defer r.close()
		r.scrapes(2)
		assert.InDelta(t, 20, waits.Load(), 2)
	})
}

// An event of a GPU that nobody listens to has a series with a start all the same.
func TestXidOfAnotherGPU(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := &fakeLibrary{devices: []*fakeDevice{watts(uuidA, 1)}, events: make(chan driver.Event)}
		r := newRig(t, lib)
		defer r.close()
		r.scrapes(1)
		came := time.Now()
		lib.events <- driver.Event{Device: watts(uuidB, 1), Type: driver.EventXid, Data: 31}
		synctest.Wait()
		p, ok := point(r.scrapes(2), "nvidia.gpu.xid.errors", "hw.id", uuidB)
		require.True(t, ok)
		assert.Equal(t, timestamp(came), p.StartTimestamp())
	})
}

// An event is counted once, and its series begins at 0.
func TestXids(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := watts(uuidA, 1), watts(uuidB, 1)
		lib := &fakeLibrary{devices: []*fakeDevice{a, b}, events: make(chan driver.Event)}
		r := newRig(t, lib)
		defer r.close()
		var sunk []Event
		r.SetSink(sinkFunc(func(e Event) { sunk = append(sunk, e) }))
		started := time.Now()
		absent(t, r.scrapes(2), "nvidia.gpu.xid.errors")
		xid := func(code uint64) {
			lib.events <- driver.Event{Device: a, Type: driver.EventXid, Data: code, GPUInstance: -1, ComputeInstance: -1}
			synctest.Wait()
		}
		xid(31)
		assert.InDelta(t, 0, value(t, r.scrapes(1), "nvidia.gpu.xid.errors"), 0)
		out := r.scrapes(1)
		p, _ := point(out, "nvidia.gpu.xid.errors", "hw.id", uuidA, "nvidia.xid.code", "31")
		assert.EqualValues(t, 1, p.IntValue())
		assert.Equal(t, timestamp(started), p.StartTimestamp())
		xid(31)
		xid(79)
		out = r.scrapes(10)
		assert.InDelta(t, 2, value(t, out, "nvidia.gpu.xid.errors", "nvidia.xid.code", "31"), 0)
		assert.InDelta(t, 1, value(t, out, "nvidia.gpu.xid.errors", "nvidia.xid.code", "79"), 0)
		absent(t, out, "nvidia.gpu.xid.errors", "hw.id", uuidB)
		xid(1 << 63)
		sunk = sunk[:3]
		assert.InDelta(t, 1, value(t, r.scrapes(2), "nvidia.gpu.xid.errors", "nvidia.xid.code", "999"), 0)
		require.Len(t, sunk, 3)
		assert.Equal(t, Event{Time: sunk[2].Time, UUID: uuidA, Name: "NVIDIA H200", Type: driver.EventXid, Data: 79, GPUInstance: -1, ComputeInstance: -1}, sunk[2])
	})
}

type sinkFunc func(Event)

func (f sinkFunc) Event(e Event) { f(e) }

func TestVersions(t *testing.T) {
	assert.True(t, tellsThermalTimes("580.82.07"))
	assert.True(t, tellsThermalTimes("590.44.01"))
	assert.False(t, tellsThermalTimes("580.65.06"))
	assert.False(t, tellsThermalTimes("575.57"))
	assert.False(t, tellsThermalTimes(""))
}
