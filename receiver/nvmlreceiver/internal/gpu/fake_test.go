package gpu

import (
	"cmp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// fakeLibrary is a driver in Go, for tests of time and of state; what C does is tested
// through the C library of internal/nvmltest.
type fakeLibrary struct {
	mu        sync.Mutex
	init      driver.Return
	inits     int
	shutdowns int
	count     driver.Return
	devices   []*fakeDevice
	events    chan driver.Event
	gpm       float64 // in percent; 0 is 50
	hangWait  *gate
	waits     *atomic.Int64 // if set, waiting for an event does not wait, and is counted
}

func (l *fakeLibrary) Init() driver.Return {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inits++
	return l.init
}

func (l *fakeLibrary) Shutdown() driver.Return {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shutdowns++
	return driver.Success
}

func (l *fakeLibrary) Versions() driver.Versions {
	return driver.Versions{Driver: "580.95.05", NVML: "13.580", CUDA: "13.0"}
}

func (l *fakeLibrary) DeviceCount() (int, driver.Return) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.devices), l.count
}

func (l *fakeLibrary) Device(i int) (driver.Device, driver.Return) {
	l.mu.Lock()
	d := l.devices[i]
	l.mu.Unlock()
	d.hangOpen.pass()
	return d, d.open
}

func (l *fakeLibrary) NewEventSet() (driver.EventSet, driver.Return) {
	if l.events == nil {
		return nil, driver.NotSupported
	}
	return fakeEvents{l.events, l.waits, l.hangWait}, driver.Success
}

func (l *fakeLibrary) GPMMetrics(_, _ driver.GPMSample, values []driver.GPMValue) driver.Return {
	for i := range values {
		values[i].Value = cmp.Or(l.gpm, 50)
	}
	return driver.Success
}

type fakeEvents struct {
	events chan driver.Event
	waits  *atomic.Int64
	hang   *gate
}

func (e fakeEvents) Register(driver.Device, driver.EventType) driver.Return { return driver.Success }
func (e fakeEvents) Free()                                                  {}
func (e fakeEvents) Wait(timeoutMillis uint32) (driver.Event, driver.Return) {
	if e.hang != nil {
		e.hang.pass()
	}
	if e.waits != nil {
		e.waits.Add(1)
		return driver.Event{}, driver.Timeout
	}
	select {
	case event := <-e.events:
		return event, driver.Success
	case <-time.After(time.Duration(timeoutMillis) * time.Millisecond):
		return driver.Event{}, driver.Timeout
	}
}

// fakeDevice answers what its functions say; the rest is not supported.
type fakeDevice struct {
	uuid     string
	nameless bool
	open     driver.Return
	hangOpen gate
	hangTell gate // what is asked for events
	power    func() (uint32, driver.Return)
	energy   func() (uint64, driver.Return)
	memory   func() (driver.Memory, driver.Return)
	limits   func() (driver.ClockLimit, driver.Return)
	remap    func() (driver.RemappedRows, driver.Return)
	samples  func(since uint64) ([]driver.Sample, driver.Return)
	rates    func() (uint32, uint32, driver.Return)
	fields   map[[2]uint32]driver.FieldValue
	mig      func() (bool, driver.Return)
	parts    []*fakeDevice // MIG devices
	gpm      bool
	freed    int
	taken    int
	mu       sync.Mutex
	asked    map[string]int
}

func (d *fakeDevice) note(call string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked == nil {
		d.asked = map[string]int{}
	}
	d.asked[call]++
}

func (d *fakeDevice) askedFor(call string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[call]
}

func (d *fakeDevice) UUID() (string, driver.Return) { return d.uuid, driver.Success }
func (d *fakeDevice) Identity() driver.Identity {
	if d.nameless {
		return driver.Identity{}
	}
	return driver.Identity{Name: "NVIDIA H200"}
}

func (d *fakeDevice) SupportedEvents() (driver.EventType, driver.Return) {
	d.hangTell.pass()
	return driver.EventXid, driver.Success
}

func (d *fakeDevice) Utilization() (uint32, uint32, driver.Return) {
	if d.rates == nil {
		return 0, 0, driver.NotSupported
	}
	return d.rates()
}

func (d *fakeDevice) Samples(_ driver.SampleKind, since uint64, buf []driver.Sample) ([]driver.Sample, driver.Return) {
	if d.samples == nil {
		return buf, driver.NotSupported
	}
	got, ret := d.samples(since)
	return append(buf, got...), ret
}

func (d *fakeDevice) Memory() (driver.Memory, driver.Return) {
	d.note("memory")
	if d.memory == nil {
		return driver.Memory{}, driver.NotSupported
	}
	return d.memory()
}

func (d *fakeDevice) Power() (uint32, driver.Return) {
	d.note("power")
	if d.power == nil {
		return 0, driver.NotSupported
	}
	return d.power()
}

func (d *fakeDevice) Energy() (uint64, driver.Return) {
	if d.energy == nil {
		return 0, driver.NotSupported
	}
	return d.energy()
}

func (d *fakeDevice) ClockLimits() (driver.ClockLimit, driver.Return) {
	if d.limits == nil {
		return 0, driver.NotSupported
	}
	return d.limits()
}

func (d *fakeDevice) RemappedRows() (driver.RemappedRows, driver.Return) {
	if d.remap == nil {
		return driver.RemappedRows{}, driver.NotSupported
	}
	return d.remap()
}

func (d *fakeDevice) FieldValues(values []driver.FieldValue) driver.Return {
	d.note("fields")
	if d.fields == nil {
		return driver.NotSupported
	}
	for i := range values {
		answer, ok := d.fields[[2]uint32{values[i].ID, values[i].Scope}]
		if !ok {
			answer.Return = driver.NotSupported
		}
		answer.ID, answer.Scope = values[i].ID, values[i].Scope
		answer.Value = cmp.Or(answer.Value, float64(answer.Uint))
		values[i] = answer
	}
	return driver.Success
}

func (d *fakeDevice) MIGMode() (bool, driver.Return) {
	if d.mig == nil {
		return false, driver.NotSupported
	}
	return d.mig()
}

func (d *fakeDevice) GPMSupported() (bool, driver.Return) { return d.gpm, driver.Success }
func (d *fakeDevice) GPMSample(int) (driver.GPMSample, driver.Return) {
	d.taken++
	return fakeSample{d}, driver.Success
}

type fakeSample struct{ d *fakeDevice }

func (s fakeSample) Free() { s.d.freed++ }

func (d *fakeDevice) EncoderUtilization() (uint32, driver.Return) { return 0, driver.NotSupported }
func (d *fakeDevice) DecoderUtilization() (uint32, driver.Return) { return 0, driver.NotSupported }
func (d *fakeDevice) Temperature() (int32, driver.Return)         { return 0, driver.NotSupported }
func (d *fakeDevice) TemperatureThreshold(driver.Threshold) (uint32, driver.Return) {
	return 0, driver.NotSupported
}
func (d *fakeDevice) TemperatureMargin() (int32, driver.Return)  { return 0, driver.NotSupported }
func (d *fakeDevice) PowerLimit() (uint32, driver.Return)        { return 0, driver.NotSupported }
func (d *fakeDevice) Fans() (int, driver.Return)                 { return 0, driver.NotSupported }
func (d *fakeDevice) FanSpeed(int) (uint32, driver.Return)       { return 0, driver.NotSupported }
func (d *fakeDevice) Clock(driver.Clock) (uint32, driver.Return) { return 0, driver.NotSupported }
func (d *fakeDevice) SupportedClockLimits() (driver.ClockLimit, driver.Return) {
	return driver.LimitIdle | driver.LimitSWPowerCap, driver.Success
}
func (d *fakeDevice) PerformanceState() (int, driver.Return)      { return 0, driver.NotSupported }
func (d *fakeDevice) ECCErrors(bool) (uint64, driver.Return)      { return 0, driver.NotSupported }
func (d *fakeDevice) PCIeThroughput(bool) (uint32, driver.Return) { return 0, driver.NotSupported }
func (d *fakeDevice) PCIeLink(driver.LinkValue) (uint32, driver.Return) {
	return 0, driver.NotSupported
}

func (d *fakeDevice) FabricState() (driver.FabricState, driver.Return) { return 0, driver.NotSupported }

func (d *fakeDevice) MaxMIGDevices() (int, driver.Return) { return len(d.parts), driver.Success }

func (d *fakeDevice) MIGDevice(i int) (driver.Device, driver.Return) {
	return d.parts[i], driver.Success
}

func (d *fakeDevice) MIGInstance() (uint32, uint32, driver.Return) { return 1, 0, driver.Success }

func (d *fakeDevice) MIGSlice() (driver.MIGSlice, driver.Return) {
	return driver.MIGSlice{}, driver.NotSupported
}

func (d *fakeDevice) Processes(driver.ProcessKind) ([]driver.Process, driver.Return) {
	return nil, driver.NotSupported
}

func (d *fakeDevice) ProcessUtilization(uint64) ([]driver.ProcessSample, driver.Return) {
	return nil, driver.NotSupported
}

func (d *fakeDevice) MemoryErrors(bool, bool, driver.MemoryLocation) (uint64, driver.Return) {
	return 0, driver.NotSupported
}

// watts is a GPU that answers one call.
func watts(uuid string, milliwatts uint32) *fakeDevice {
	return &fakeDevice{uuid: uuid, power: func() (uint32, driver.Return) { return milliwatts, driver.Success }}
}

// gate holds calls while it is shut.
type gate struct {
	mu   sync.Mutex
	shut chan struct{}
}

func (g *gate) pass() {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut != nil {
		<-shut
	}
}

// hold shuts the gate until the function that it returns is called.
func (g *gate) hold() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		close(g.shut)
		g.shut = nil
	}
}

// rig is a fleet on a fake.
type rig struct {
	*Fleet
	t    *testing.T
	logs *observer.ObservedLogs
	tel  *componenttest.Telemetry
}

func newRig(t *testing.T, lib driver.Library) *rig {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	tel := componenttest.NewTelemetry()
	set := receivertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	fleet, err := New(Settings{
		Library: lib, Receiver: set, Metrics: metadata.NewDefaultMetricsBuilderConfig(),
		Interval: 5 * time.Second, Timeout: 4 * time.Second, MaxProcesses: 10,
	})
	require.NoError(t, err)
	return &rig{fleet, t, logs, tel}
}

func (r *rig) close() {
	r.t.Helper()
	require.NoError(r.t, r.Close(r.t.Context()))
	require.NoError(r.t, r.tel.Shutdown(r.t.Context()))
}

// lines are the log lines since the last call.
func (r *rig) lines() []string {
	var all []string
	for _, e := range r.logs.TakeAll() {
		all = append(all, e.Message)
	}
	return all
}

// point is a live point of a metric with these attributes (key, value, ...), if there is one.
func point(out pmetric.Metrics, metric string, attrs ...string) (pmetric.NumberDataPoint, bool) {
	var found pmetric.NumberDataPoint
	n := 0
	each(out, func(m pmetric.Metric, p pmetric.NumberDataPoint) {
		if m.Name() != metric || p.Flags().NoRecordedValue() {
			return
		}
		for i := 0; i < len(attrs); i += 2 {
			if v, ok := p.Attributes().Get(attrs[i]); !ok || v.AsString() != attrs[i+1] {
				return
			}
		}
		found = p
		n++
	})
	if n > 1 {
		panic("more than one point of " + metric)
	}
	return found, n == 1
}

func each(out pmetric.Metrics, yield func(pmetric.Metric, pmetric.NumberDataPoint)) {
	for _, rm := range out.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range points(m).All() {
					yield(m, p)
				}
			}
		}
	}
}

// status is the state of a GPU that is 1.
func status(t *testing.T, out pmetric.Metrics, uuid string) string {
	t.Helper()
	state, states := "", 0
	each(out, func(m pmetric.Metric, p pmetric.NumberDataPoint) {
		id, _ := p.Attributes().Get("hw.id")
		if m.Name() != "hw.status" || id.Str() != uuid || p.Flags().NoRecordedValue() {
			return
		}
		states++
		if p.IntValue() == 1 {
			require.Empty(t, state, "two states at once")
			v, _ := p.Attributes().Get("hw.state")
			state = v.Str()
		}
	})
	if states != 0 {
		require.Equal(t, 4, states)
	}
	return state
}

func value(t *testing.T, out pmetric.Metrics, metric string, attrs ...string) float64 {
	t.Helper()
	p, ok := point(out, metric, attrs...)
	require.True(t, ok, "no point of %s %v", metric, attrs)
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(p.IntValue())
	}
	return p.DoubleValue()
}

func absent(t *testing.T, out pmetric.Metrics, metric string, attrs ...string) {
	t.Helper()
	_, ok := point(out, metric, attrs...)
	require.False(t, ok, "a point of %s %v", metric, attrs)
}

func timestamp(t time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(t) }
