package main

import "strings"

func tellLoad(d *device, g *gpu) {
	tell(d, "hw.gpu.utilization", "general", g.Utilization.GPU)
	tell(d, "hw.gpu.utilization", "encoder", g.Utilization.Encoder)
	tell(d, "hw.gpu.utilization", "decoder", g.Utilization.Decoder)
	tell(d, "nvidia.gpu.memory.controller.utilization", "", g.Utilization.Memory)
}

// tellPower compares the mean of a second where nvidia-smi tells it, as the receiver does.
// GPUs that have no mean tell what they draw now on both sides.
func tellPower(d *device, g *gpu) {
	p := &g.Power
	if *p == (power{}) {
		p = &g.PowerOld
	}
	for _, t := range []text{p.Average, p.Draw, p.Instant} {
		if _, ok := t.number(); ok {
			tell(d, "hw.power", "", t)
			tell(d, energyRate, "", t)
			break
		}
	}
	tell(d, "nvidia.gpu.power.instant", "gpu", p.Instant)
	tell(d, "nvidia.gpu.power.instant", "module", g.ModulePower.Instant)
	limit := p.Limit
	if _, ok := limit.number(); !ok {
		limit = p.Enforced
	}
	tell(d, "nvidia.gpu.power.limit", "", limit)
}

func tellThermal(d *device, g *gpu) {
	tell(d, "hw.temperature", "gpu", g.Temperature.GPU)
	tell(d, "hw.temperature", "memory", g.Temperature.Memory)
	tell(d, "nvidia.gpu.temperature.margin", "", g.Temperature.Margin)
	tell(d, "hw.temperature.limit", "high.degraded", g.Temperature.Slowdown)
	tell(d, "hw.temperature.limit", "high.critical", g.Temperature.Shutdown)
	tell(d, "hw.fan.speed_ratio", "", g.Fan)
}

// limitReasons are the names of nvidia-smi without what they begin with.
var limitReasons = map[string]string{
	"gpu_idle":                    "idle",
	"applications_clocks_setting": "application_clocks",
	"sw_power_cap":                "sw_power_cap",
	"hw_slowdown":                 "hw_slowdown",
	"sync_boost":                  "sync_boost",
	"sw_thermal_slowdown":         "sw_thermal",
	"hw_thermal_slowdown":         "hw_thermal",
	"hw_power_brake_slowdown":     "hw_power_brake",
	"display_clocks_setting":      "display",
	// The counters have names of their own.
	"sw_therm_slowdown": "sw_thermal",
	"hw_therm_slowdown": "hw_thermal",
	"hw_power_brake":    "hw_power_brake",
}

func tellClocks(d *device, g *gpu) {
	const frequency = "nvidia.gpu.clock.frequency"
	tell(d, frequency, "graphics", g.Clocks.Graphics)
	tell(d, frequency, "sm", g.Clocks.SM)
	tell(d, frequency, "memory", g.Clocks.Memory)
	tell(d, frequency, "video", g.Clocks.Video)
	for prefix, all := range map[string]list{
		"clocks_event_reason_":    g.Events,
		"clocks_throttle_reason_": g.Throttle,
	} {
		for _, item := range all.Items {
			if reason := limitReasons[strings.TrimPrefix(item.XMLName.Local, prefix)]; reason != "" {
				tellFlag(d, "nvidia.gpu.clock.limited", reason, item.Text)
			}
		}
	}
	for _, item := range g.EventTimes.Items {
		name := strings.TrimPrefix(item.XMLName.Local, "clocks_event_reasons_counters_")
		if reason := limitReasons[name]; reason != "" {
			tell(d, "nvidia.gpu.clock.limited.time", reason, item.Text)
		}
	}
	if state, ok := g.PState.said(); ok {
		tell(d, "nvidia.gpu.performance_state", "", text(strings.TrimPrefix(state, "P")))
	}
}
