package main

import "fmt"

func tellErrors(d *device, g *gpu) {
	total := func(kind string, parts ...text) {
		if sum, ok := add(parts...); ok {
			d.number("hw.errors", kind, sum)
		}
	}
	v := &g.ECC.Volatile
	total("corrected", v.SRAMCorrected, v.DRAMCorrected, v.SingleBitTotal)
	total("uncorrected", v.SRAMUncorrected, v.SRAMParity, v.SRAMSECDED, v.DRAMUncorrected, v.DoubleBitTotal)
	tellPlaces(d, "volatile", v)
	tellPlaces(d, "aggregate", &g.ECC.Aggregate)

	tell(d, "nvidia.gpu.memory.row_remap.rows", "correctable", g.Remapped.Correctable)
	tell(d, "nvidia.gpu.memory.row_remap.rows", "uncorrectable", g.Remapped.Uncorrectable)
	tellFlag(d, "nvidia.gpu.memory.row_remap.state", "pending", g.Remapped.Pending)
	tellFlag(d, "nvidia.gpu.memory.row_remap.state", "failed", g.Remapped.Failed)
}

func tellPlaces(d *device, since string, c *eccCounts) {
	for place, parts := range map[string][]text{
		"corrected " + since + " sram":   {c.SRAMCorrected},
		"corrected " + since + " dram":   {c.DRAMCorrected},
		"uncorrected " + since + " sram": {c.SRAMUncorrected, c.SRAMParity, c.SRAMSECDED},
		"uncorrected " + since + " dram": {c.DRAMUncorrected},
	} {
		if sum, ok := add(parts...); ok {
			d.number("nvidia.gpu.ecc.errors", place, sum)
		}
	}
}

// add sums what there is of the parts.
func add(parts ...text) (sum float64, found bool) {
	for _, t := range parts {
		if v, ok := t.number(); ok {
			sum += v
			found = true
		}
	}
	return sum, found
}

// fabricStates are what nvidia-smi calls them.
var fabricStates = map[string]string{
	"Not Started": "not_started", "In Progress": "in_progress", "Completed": "completed",
}

func tellLinks(d *device, g *gpu) {
	tell(d, "nvidia.gpu.pcie.link.generation", "current", g.PCI.Gen)
	tell(d, "nvidia.gpu.pcie.link.generation", "max", g.PCI.MaxGen)
	tell(d, "nvidia.gpu.pcie.link.width", "current", g.PCI.Width)
	tell(d, "nvidia.gpu.pcie.link.width", "max", g.PCI.MaxWidth)
	tell(d, "nvidia.gpu.pcie.replays", "", g.PCI.Replays)
	tell(d, "nvidia.gpu.pcie.throughput", "transmit", g.PCI.Transmit)
	tell(d, "nvidia.gpu.pcie.throughput", "receive", g.PCI.Receive)
	state, _ := g.FabricState.said()
	if now := fabricStates[state]; now != "" {
		for _, which := range fabricStates {
			v := 0.0
			if which == now {
				v = 1
			}
			d.number("nvidia.gpu.fabric.state", which, v)
		}
	}
}

// tellProcesses tells of a process on the device that it runs on, as the receiver does. One that
// is listed twice, for compute and graphics, counts once there.
func (t *telling) tellProcesses(d *device, g *gpu, index int) {
	seen := map[string]bool{}
	for _, p := range g.ProcessesInfo {
		pid, ok := p.PID.said()
		if !ok {
			continue
		}
		on, instance := d, ""
		if instance, ok = p.GPUInstance.said(); ok && instance != "" {
			on = t.device(d.uuid, instance, fmt.Sprintf("GPU %d, MIG instance %s", index, instance))
		}
		if which := instance + " " + pid; !seen[which] {
			tell(on, "nvidia.gpu.process.memory.usage", pid, p.Memory)
			seen[which] = true
		}
	}
}
