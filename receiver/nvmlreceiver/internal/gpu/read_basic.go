package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

const (
	// maxBytes, maxWatts, maxCelsius and maxMegahertz are beyond what any GPU can be, and
	// below the placeholders that drivers have been seen to give.
	maxBytes   = 1 << 50
	maxWatts   = 100_000
	maxCelsius = 250
	// minCelsius is below what a GPU is made to work at.
	minCelsius   = -60
	maxMegahertz = 100_000
)

func (r *reader) readMemory() {
	on := &r.on.Metrics
	enabled := on.HwGpuMemoryUsage.Enabled || on.HwGpuMemoryLimit.Enabled || on.HwGpuMemoryUtilization.Enabled ||
		on.NvidiaGpuMemoryReserved.Enabled || r.processes != nil
	if !r.wants(enabled, itemMemory) {
		return
	}
	m, ret := r.dev.Memory()
	if !r.ok(itemMemory, ret) || !r.recordMemory(m, r.uuid) {
		return
	}
	r.memory = m.Total
	if m.HasReserved {
		r.build.RecordNvidiaGpuMemoryReservedDataPoint(r.now, int64(m.Reserved), r.uuid, r.identity.Name)
	}
}

// recordMemory is for GPUs and MIG devices.
func (r *reader) recordMemory(m driver.Memory, uuid string, options ...metadata.MetricAttributeOption) bool {
	if !r.sane("memory", float64(m.Total), 1, maxBytes) || !r.sane("memory", float64(m.Used), 0, float64(m.Total)) {
		return false
	}
	name := r.identity.Name
	r.build.RecordHwGpuMemoryUsageDataPoint(r.now, int64(m.Used), uuid, name, options...)
	r.build.RecordHwGpuMemoryLimitDataPoint(r.now, int64(m.Total), uuid, name, options...)
	r.build.RecordHwGpuMemoryUtilizationDataPoint(r.now, float64(m.Used)/float64(m.Total), uuid, name, options...)
	return true
}

func (r *reader) readUtilization() {
	on := &r.on.Metrics
	general := on.HwGpuUtilization.Enabled
	var mean float64
	var sampled bool
	if r.wants(general, itemSamples) {
		mean, sampled = r.meanUtilization()
	}
	if r.wants(general && !sampled || on.NvidiaGpuMemoryControllerUtilization.Enabled, itemUtilization) {
		if gpu, memory, ret := r.dev.Utilization(); r.ok(itemUtilization, ret) {
			if !sampled {
				mean, sampled = float64(gpu), true
			}
			if v, ok := r.ratio("memory controller utilization", float64(memory)); ok {
				r.build.RecordNvidiaGpuMemoryControllerUtilizationDataPoint(r.now, v, r.uuid, r.identity.Name)
			}
		}
	}
	if sampled {
		r.recordTask(mean, metadata.AttributeHwGpuTaskGeneral)
	}
	if r.wants(general, itemEncoder) {
		if percent, ret := r.dev.EncoderUtilization(); r.ok(itemEncoder, ret) {
			r.recordTask(float64(percent), metadata.AttributeHwGpuTaskEncoder)
		}
	}
	if r.wants(general, itemDecoder) {
		if percent, ret := r.dev.DecoderUtilization(); r.ok(itemDecoder, ret) {
			r.recordTask(float64(percent), metadata.AttributeHwGpuTaskDecoder)
		}
	}
}

func (r *reader) recordTask(percent float64, task metadata.AttributeHwGpuTask) {
	if v, ok := r.ratio("utilization "+task.String(), percent); ok {
		r.build.RecordHwGpuUtilizationDataPoint(r.now, v, r.uuid, r.identity.Name, task)
	}
}

// meanUtilization is the mean of the driver's samples since the last read, in percent. One
// snapshot of a bursty load shows 0 or 100. An idle GPU may have no samples.
func (r *reader) meanUtilization() (float64, bool) {
	var ret driver.Return
	r.samples, ret = r.dev.Samples(driver.SampleUtilization, r.sampled, r.samples[:0])
	if !r.ok(itemSamples, ret) {
		return 0, false
	}
	oldest := r.sampled
	for _, s := range r.samples {
		r.sampled = max(r.sampled, s.Time)
	}
	if oldest == 0 {
		// The first time, the driver gives its whole buffer of up to 14 s.
		oldest = r.sampled - min(r.sampled, uint64(r.interval.Microseconds()))
	}
	var sum, n float64
	for _, s := range r.samples {
		if s.Time > oldest && s.Value >= 0 && s.Value <= 100 {
			sum += s.Value
			n++
		}
	}
	return sum / max(n, 1), n > 0
}

func (r *reader) readPower() {
	on := &r.on.Metrics
	if r.wants(on.HwPower.Enabled, itemPower) {
		if milliwatts, ret := r.dev.Power(); r.ok(itemPower, ret) {
			if watts := float64(milliwatts) / 1000; r.sane("power", watts, 0, maxWatts) {
				r.build.RecordHwPowerDataPoint(r.now, watts, r.uuid, r.identity.Name, metadata.AttributeHwTypeGpu)
			}
		}
	}
	if r.wants(on.NvidiaGpuPowerLimit.Enabled, itemPowerLimit) {
		if milliwatts, ret := r.dev.PowerLimit(); r.ok(itemPowerLimit, ret) {
			if watts := float64(milliwatts) / 1000; r.sane("power limit", watts, 0, maxWatts) {
				r.build.RecordNvidiaGpuPowerLimitDataPoint(r.now, watts, r.uuid, r.identity.Name)
			}
		}
	}
	if r.wants(on.HwEnergy.Enabled, itemEnergy) {
		if millijoules, ret := r.dev.Energy(); r.ok(itemEnergy, ret) && r.sane("energy", float64(millijoules), 0, 1<<62) {
			v := r.count("hw.energy", 0, millijoules, false)
			r.build.RecordHwEnergyDataPoint(r.now, float64(v)/1000, r.uuid, r.identity.Name, metadata.AttributeHwTypeGpu)
		}
	}
}

func (r *reader) readThermal() {
	on := &r.on.Metrics
	if r.wants(on.HwTemperature.Enabled, itemTemperature) {
		if celsius, ret := r.dev.Temperature(); r.ok(itemTemperature, ret) {
			r.recordTemperature(float64(celsius), metadata.AttributeHwSensorLocationGpu)
		}
	}
	if r.wants(on.NvidiaGpuTemperatureMargin.Enabled, itemTemperatureMargin) {
		if celsius, ret := r.dev.TemperatureMargin(); r.ok(itemTemperatureMargin, ret) &&
			r.sane("temperature margin", float64(celsius), -maxCelsius, maxCelsius) {
			r.build.RecordNvidiaGpuTemperatureMarginDataPoint(r.now, float64(celsius), r.uuid, r.identity.Name)
		}
	}
	r.readThreshold(driver.ThresholdSlowdown, itemSlowdownThreshold, metadata.AttributeHwLimitTypeHighDegraded)
	r.readThreshold(driver.ThresholdShutdown, itemShutdownThreshold, metadata.AttributeHwLimitTypeHighCritical)
	r.readFan()
}

func (r *reader) recordTemperature(celsius float64, where metadata.AttributeHwSensorLocation) {
	if r.sane("temperature "+where.String(), celsius, minCelsius, maxCelsius) {
		r.build.RecordHwTemperatureDataPoint(r.now, celsius, r.uuid, r.identity.Name, where)
	}
}

func (r *reader) readThreshold(which driver.Threshold, i item, kind metadata.AttributeHwLimitType) {
	if !r.wants(r.on.Metrics.HwTemperatureLimit.Enabled, i) {
		return
	}
	if celsius, ret := r.dev.TemperatureThreshold(which); r.ok(i, ret) &&
		r.sane("temperature limit", float64(celsius), 1, maxCelsius) {
		r.build.RecordHwTemperatureLimitDataPoint(r.now, float64(celsius), r.uuid, r.identity.Name, kind)
	}
}

// readFan reports the fastest fan: one that stands still beside one that turns is normal.
func (r *reader) readFan() {
	if !r.wants(r.on.Metrics.HwFanSpeedRatio.Enabled, itemFanSpeed) {
		return
	}
	fans := 1 // drivers before R470 do not count them
	if r.wants(true, itemFans) {
		if n, ret := r.dev.Fans(); r.ok(itemFans, ret) {
			fans = n
		}
	}
	fastest, found := uint32(0), false
	for fan := range min(fans, 16) {
		if !r.wants(true, itemFanSpeed) {
			break
		}
		if percent, ret := r.dev.FanSpeed(fan); r.ok(itemFanSpeed, ret) && r.sane("fan speed", float64(percent), 0, 200) {
			fastest, found = max(fastest, percent), true
		}
	}
	if found {
		r.build.RecordHwFanSpeedRatioDataPoint(r.now, float64(fastest)/100, r.uuid, r.identity.Name)
	}
}
