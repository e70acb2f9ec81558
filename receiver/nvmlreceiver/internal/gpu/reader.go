package gpu

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// askAgain is how long an answer of "not supported" is believed. It is true for the life of
// a driver in all but rare cases; asking costs up to milliseconds.
const askAgain = time.Minute

// reader reads one GPU. Its lane owns it while a read runs, the fleet otherwise.
type reader struct {
	*shared
	lane  *lane
	build *metadata.MetricsBuilder

	uuid string

	// What the fleet knows of the GPU; the lane never looks at it.
	foundIndex  int
	foundDevice driver.Device
	foundName   string
	gone        bool // it was lost or missing when last looked for

	// What the fleet sets before a read.
	dev   driver.Device
	index int
	when  time.Time

	// What a read leaves behind.
	out pmetric.Metrics
	// fault is why the GPU or the driver as a whole could not be read, else Success.
	fault driver.Return
	// news are calls that were found unsupported for the first time.
	news []string
	// reported is how many processes were reported.
	reported int

	identity  driver.Identity
	known     bool // identity was read
	now       pcommon.Timestamp
	asked     time.Time
	refused   [items]bool
	told      map[string]bool
	mig       bool
	instances map[int]string // UUID of the first MIG device of a GPU instance
	counters  counters
	starts    map[string][]pcommon.Timestamp
	health    health
	sampled   uint64 // time of the newest utilization sample, µs of the driver's clock
	samples   []driver.Sample
	limits    driver.ClockLimit // the reasons that the GPU knows; 0 is unknown
	fields    []driver.FieldValue
	links     links
	gpm       map[int]gpmWindow
	gpmValues []driver.GPMValue
	memory    uint64 // bytes of the whole GPU; 0 is unknown
	processed uint64 // time of the newest process sample
}

func newReader(s *shared, uuid string, now time.Time) *reader {
	return &reader{
		shared: s, uuid: uuid,
		lane:      newLane(),
		build:     s.newBuilder(now),
		told:      map[string]bool{},
		counters:  counters{},
		starts:    map[string][]pcommon.Timestamp{},
		gpm:       map[int]gpmWindow{},
		instances: map[int]string{},
	}
}

// read asks the GPU for everything that is enabled. A call that fails costs its own metric;
// only a lost GPU or driver ends the read, since each further call would hang or fail.
func (r *reader) read() {
	r.now = pcommon.NewTimestampFromTime(r.when)
	r.fault, r.news, r.health, r.reported = driver.Success, nil, health{}, 0
	for name, starts := range r.starts {
		r.starts[name] = starts[:0]
	}
	if r.when.Sub(r.asked) >= askAgain {
		r.askEverything()
	}
	if !r.known {
		r.identity = r.dev.Identity()
		r.known = true
	}
	r.readMode()
	r.readMemory()
	r.readUtilization()
	r.readPower()
	r.readThermal()
	r.readClocks()
	r.readErrors()
	r.readFields()
	r.readLinks()
	r.readGPM(wholeGPU, r.uuid)
	r.readMIG()
	r.readProcesses()
	r.recordIdentity()
	recordStatus(r.build, r.now, r.uuid, r.identity.Name, r.health.state(r.fault))
	r.out = emit(r.build, r.starts)
}

// renew forgets what was learned from the driver before it was initialised anew.
func (r *reader) renew() {
	r.known, r.limits = false, 0
	r.sampled, r.processed = 0, 0
	r.asked = time.Time{}
	r.freeSamples()
}

func (r *reader) askEverything() {
	r.asked = r.when
	r.refused = [items]bool{}
	r.known = r.known && r.identity.Name != ""
	r.planFields()
}

// wants tells whether an enabled item is worth a call.
func (r *reader) wants(enabled bool, i item) bool {
	return enabled && !r.refused[i] && r.fault == driver.Success
}

// ok sorts the answer of a call. Only Success is true.
func (r *reader) ok(i item, ret driver.Return) bool {
	if ret == driver.Success {
		r.health.answers = true
		return true
	}
	if ret.Unsupported() {
		r.refused[i] = true
		if i != itemSamples { // there is another way to the same number
			r.tell(itemNames[i], ret)
		}
		return false
	}
	r.failed(itemNames[i], ret)
	return false
}

// tell remembers for the log what the GPU does not support.
func (r *reader) tell(call string, ret driver.Return) {
	if !r.told[call] {
		r.told[call] = true
		r.news = append(r.news, call+" "+ret.String())
	}
}

// failed counts an answer that is neither data nor its known absence.
func (r *reader) failed(call string, ret driver.Return) {
	switch ret {
	case driver.NotFound, driver.NoData, driver.NotReady, driver.Timeout:
		return // nothing to report now
	}
	if ret.Lost() || ret.Broken() {
		r.fault = ret
	}
	r.health.fails = true
	r.countFailure(call, ret)
}

// sane drops and counts what cannot be right: placeholders such as -1 or 2^63, and readings
// of another unit or struct.
func (r *reader) sane(what string, value, lowest, highest float64) bool {
	if value >= lowest && value <= highest {
		return true
	}
	r.telemetry.ReceiverNvmlDiscardedValues.Add(context.Background(), 1,
		metric.WithAttributeSet(attribute.NewSet(attribute.String("value", what))))
	return false
}

// ratio turns percent into a fraction, if it is one.
func (r *reader) ratio(what string, percent float64) (float64, bool) {
	return percent / 100, r.sane(what, percent, 0, 100)
}

// count returns the value to report for a counter and notes the start of its point.
func (r *reader) count(name string, attr int, raw uint64, wraps32 bool) uint64 {
	value, start := r.counters.observe(counterKey{name, attr}, raw, wraps32, r.now)
	r.starts[name] = append(r.starts[name], start)
	return value
}

func (r *reader) recordIdentity() {
	r.build.RecordNvidiaGpuIndexDataPoint(r.now, int64(r.index), r.uuid, r.identity.Name)
	var options []metadata.MetricAttributeOption
	add := func(value string, with func(string) metadata.MetricAttributeOption) {
		if value != "" {
			options = append(options, with(value))
		}
	}
	add(r.versions.Driver, metadata.WithHwDriverVersionMetricAttribute)
	add(r.versions.CUDA, metadata.WithNvidiaCudaVersionMetricAttribute)
	add(r.identity.VBIOS, metadata.WithHwFirmwareVersionMetricAttribute)
	add(r.identity.Architecture, metadata.WithNvidiaGpuArchitectureMetricAttribute)
	add(r.identity.PCIAddress, metadata.WithNvidiaGpuPciAddressMetricAttribute)
	if r.serialNumber {
		add(r.identity.Serial, metadata.WithHwSerialNumberMetricAttribute)
	}
	r.build.RecordNvidiaGpuInfoDataPoint(r.now, 1, r.uuid, r.identity.Name, "NVIDIA", options...)
}

// emit takes what was recorded and gives the points of a counter their own starts, which the
// generated builder has no room for; it keeps the order of the records.
func emit(build *metadata.MetricsBuilder, starts map[string][]pcommon.Timestamp) pmetric.Metrics {
	out := build.Emit()
	for _, rm := range out.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for i, start := range starts[m.Name()] {
					m.Sum().DataPoints().At(i).SetStartTimestamp(start)
				}
			}
		}
	}
	return out
}

// migOptions are the attributes of a point of a MIG device.
func migOptions(parent string, instance int, profile string) []metadata.MetricAttributeOption {
	options := []metadata.MetricAttributeOption{
		metadata.WithHwParentMetricAttribute(parent),
		metadata.WithMigInstanceMetricAttribute(int64(instance)),
	}
	if profile != "" {
		options = append(options, metadata.WithMigProfileMetricAttribute(profile))
	}
	return options
}

// tellsThermalTimes tells whether a driver numbers the fields of thermal times as this program.
func tellsThermalTimes(version string) bool {
	return slices.Compare(parts(version), parts(driver.ThermalFieldsDriver)) >= 0
}

// parts are the numbers of a version as 580.82.07.
func parts(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		all = append(all, n)
	}
	return all
}
