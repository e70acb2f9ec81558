package main

import (
	"fmt"
	"strings"
)

// rule tells how far the two sides may be apart. To absolute and relative comes the distance
// between the least and the greatest of nvidia-smi's own readings.
type rule struct {
	// unit is what the receiver must state; "1" stands for counts of whatever, as {error}.
	unit               string
	absolute, relative float64
	// ratio: no value is above 1.
	ratio bool
	// lackIsZero: a receiver that says nothing agrees with 0.
	lackIsZero bool
	// mayLack: the receiver may be without it although it is on by default.
	mayLack bool
	// informative: both are shown and nothing is concluded.
	informative bool
}

const (
	mebibyte  = 1 << 20
	megahertz = 1e6
)

// rules by metric. What is not here has no counterpart in nvidia-smi -q.
var rules = map[string]rule{
	// nvidia-smi prints whole MiB; what the driver reserves is larger than what is allowed,
	// so that a receiver that counts it as used is found.
	"hw.gpu.memory.limit":             {unit: "By", absolute: 1 * mebibyte},
	"hw.gpu.memory.usage":             {unit: "By", absolute: 16 * mebibyte},
	"hw.gpu.memory.utilization":       {unit: "1", absolute: 0.002, ratio: true},
	"nvidia.gpu.memory.reserved":      {unit: "By", absolute: 2 * mebibyte},
	"nvidia.gpu.process.memory.usage": {unit: "By", absolute: 16 * mebibyte},

	// The receiver gives means of an interval, nvidia-smi what was last.
	"hw.gpu.utilization":                       {unit: "1", absolute: 0.2, ratio: true},
	"nvidia.gpu.memory.controller.utilization": {unit: "1", absolute: 0.2, ratio: true},

	"hw.power":                 {unit: "W", absolute: 5, relative: 0.1},
	"nvidia.gpu.power.instant": {unit: "W", absolute: 10, relative: 0.25},
	"nvidia.gpu.power.limit":   {unit: "W", absolute: 1},
	// Energy and power of a GPU are known to disagree; this finds a wrong unit.
	energyRate: {unit: "W", absolute: 10, relative: 0.8},

	"hw.temperature":                {unit: "Cel", absolute: 3},
	"hw.temperature.limit":          {unit: "Cel"},
	"nvidia.gpu.temperature.margin": {unit: "Cel", absolute: 3},
	"hw.fan.speed_ratio":            {unit: "1", absolute: 0.1},

	// nvidia-smi itself wakes a GPU that sleeps.
	"nvidia.gpu.clock.frequency":   {unit: "Hz", absolute: 30 * megahertz, relative: 0.2},
	"nvidia.gpu.performance_state": {unit: "1", absolute: 2},
	// Reasons come and go; what half of the scrapes saw, nvidia-smi must have seen.
	"nvidia.gpu.clock.limited": {unit: "1", absolute: 0.5, ratio: true, lackIsZero: true},
	// Drivers before 580.82 number the thermal ones otherwise, so the receiver does not ask.
	"nvidia.gpu.clock.limited.time": {unit: "s", absolute: 2, mayLack: true},

	"hw.errors":                         {unit: "1"},
	"nvidia.gpu.ecc.errors":             {unit: "1"},
	"nvidia.gpu.memory.row_remap.rows":  {unit: "1"},
	"nvidia.gpu.memory.row_remap.state": {unit: "1"},

	// A GPU that sleeps lowers its link.
	"nvidia.gpu.pcie.link.generation": {unit: "1", absolute: 1},
	"nvidia.gpu.pcie.link.width":      {unit: "1"},
	"nvidia.gpu.pcie.replays":         {unit: "1", absolute: 1},
	// Both look at 20 ms of it, at different times.
	"nvidia.gpu.pcie.throughput": {unit: "By/s", informative: true},
	"nvidia.gpu.fabric.state":    {unit: "1"},

	"nvidia.gpu.index":    {unit: "1"},
	"nvidia.gpu.mig.info": {unit: "1"},
}

// carriers are the texts that are compared, each with the metric whose default decides
// whether it may be absent.
var carriers = map[string]string{
	"hw.id":                   "nvidia.gpu.info",
	"hw.name":                 "nvidia.gpu.info",
	"hw.driver_version":       "nvidia.gpu.info",
	"hw.firmware_version":     "nvidia.gpu.info",
	"hw.serial_number":        "",
	"nvidia.cuda.version":     "nvidia.gpu.info",
	"nvidia.gpu.architecture": "",
	"nvidia.gpu.pci.address":  "nvidia.gpu.info",
	"nvidia.mig.profile":      "nvidia.gpu.mig.info",
}

// hasUnit tells whether a unit of the receiver is that of the rule.
func (r rule) hasUnit(unit string) bool {
	if strings.HasPrefix(unit, "{") && strings.HasSuffix(unit, "}") {
		unit = "1"
	}
	return unit == r.unit
}

// String is the tolerance for the table.
func (r rule) String() string {
	var parts []string
	switch {
	case r.informative:
		return ""
	case r.absolute == 0 && r.relative == 0:
		return "exact"
	case r.unit == "By":
		parts = append(parts, fmt.Sprintf("±%g MiB", r.absolute/mebibyte))
	case r.unit == "Hz":
		parts = append(parts, fmt.Sprintf("±%g MHz", r.absolute/megahertz))
	default:
		parts = append(parts, fmt.Sprintf("±%g", r.absolute))
	}
	if r.relative > 0 {
		parts = append(parts, fmt.Sprintf("±%g %%", r.relative*100))
	}
	return strings.Join(parts, " ")
}
