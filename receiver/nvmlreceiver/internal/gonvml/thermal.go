//go:build linux && cgo

package gonvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// Temperature implements driver.Device. nvmlDeviceGetTemperature is deprecated since NVML 13.
func (d device) Temperature() (celsius int32, ret driver.Return) {
	if ret = d.enter(symTemperatureV, symTemperature); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	ret = driver.FunctionNotFound
	if d.has(symTemperatureV) {
		// The zero SensorType that the binding asks for is the GPU.
		reading, code := d.handle.GetTemperatureV().V1()
		celsius, ret = reading.Temperature, driver.Return(code)
	}
	if d.has(symTemperature) && outdated(ret) {
		var reading uint32
		reading, ret = checked(d.handle.GetTemperature(nvml.TEMPERATURE_GPU))
		celsius = int32(reading)
	}
	if ret != driver.Success {
		return 0, ret
	}
	return celsius, driver.Success
}

// TemperatureThreshold implements driver.Device.
func (d device) TemperatureThreshold(threshold driver.Threshold) (celsius uint32, ret driver.Return) {
	if ret = d.enter(symTemperatureThreshold); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetTemperatureThreshold(nvml.TemperatureThresholds(threshold)))
}

// TemperatureMargin implements driver.Device. -1 is a margin: the limit is passed.
func (d device) TemperatureMargin() (celsius int32, ret driver.Return) {
	if ret = d.enter(symMarginTemperature); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	margin, code := d.handle.GetMarginTemperature()
	if code != nvml.SUCCESS {
		return 0, driver.Return(code)
	}
	return margin.MarginTemperature, driver.Success
}

// Power implements driver.Device.
func (d device) Power() (milliwatts uint32, ret driver.Return) {
	if ret = d.enter(symPowerUsage); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetPowerUsage())
}

// PowerLimit implements driver.Device: the lowest of all limits.
func (d device) PowerLimit() (milliwatts uint32, ret driver.Return) {
	if ret = d.enter(symEnforcedPowerLimit); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetEnforcedPowerLimit())
}

// Energy implements driver.Device.
func (d device) Energy() (millijoules uint64, ret driver.Return) {
	if ret = d.enter(symTotalEnergy); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetTotalEnergyConsumption())
}

// Fans implements driver.Device.
func (d device) Fans() (count int, ret driver.Return) {
	if ret = d.enter(symNumFans); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	return checked(d.handle.GetNumFans())
}

// FanSpeed implements driver.Device. The first version of the function knows one fan.
func (d device) FanSpeed(fan int) (speed uint32, ret driver.Return) {
	if ret = d.enter(symFanSpeedV2, symFanSpeed); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	ret = driver.FunctionNotFound
	if d.has(symFanSpeedV2) {
		speed, ret = checked(d.handle.GetFanSpeed_v2(fan))
	}
	if fan == 0 && d.has(symFanSpeed) && outdated(ret) {
		speed, ret = checked(d.handle.GetFanSpeed())
	}
	return speed, ret
}
