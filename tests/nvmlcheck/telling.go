package main

import (
	"fmt"
	"strconv"
	"strings"
)

// telling gathers the documents of nvidia-smi, in the receiver's names and units.
type telling struct {
	mig      migList
	devices  map[string]*device
	order    []*device
	readings int
}

func (t *telling) add(doc *document) {
	t.readings++
	for i := range doc.GPUs {
		g := &doc.GPUs[i]
		uuid, _ := g.UUID.said()
		d := t.device(uuid, "", fmt.Sprintf("GPU %d: %s, %s", i, strings.TrimSpace(string(g.Name)), uuid))
		d.pci = strings.ToUpper(strings.TrimSpace(string(g.PCI.BusID)))
		tellIdentity(d, doc, g)
		// nvidia-smi prints the GPUs in the order of their indices.
		d.number("nvidia.gpu.index", "", float64(i))
		tellMemory(d, &g.Memory)
		if reserved, ok := g.Memory.Reserved.number(); ok {
			d.number("nvidia.gpu.memory.reserved", "", reserved)
		}
		tellLoad(d, g)
		tellPower(d, g)
		tellThermal(d, g)
		tellClocks(d, g)
		tellErrors(d, g)
		tellLinks(d, g)
		t.tellProcesses(d, g, i)
		for j := range g.MIG {
			t.addMIG(d, &g.MIG[j], i)
		}
	}
}

// addMIG takes a MIG device, which is a compute instance, to its GPU instance: memory belongs
// to that.
func (t *telling) addMIG(parent *device, m *migDevice, index int) {
	instance, _ := m.GPUInstance.said()
	d := t.device(parent.uuid, instance, fmt.Sprintf("GPU %d, MIG instance %s", index, instance))
	compute, _ := m.ComputeInstance.said()
	d.number("nvidia.gpu.mig.info", compute, 1)
	tellMemory(d, &m.Memory)
	n, err := strconv.Atoi(strings.TrimSpace(string(m.Index)))
	if err != nil {
		return
	}
	if known, ok := t.mig[parent.uuid][n]; ok {
		d.text("hw.id", compute, known.uuid)
		d.text("nvidia.mig.profile", compute, known.profile)
	}
}

func (t *telling) device(uuid, instance, title string) *device {
	key := uuid + " " + instance
	if t.devices[key] == nil {
		d := newDevice()
		d.uuid, d.instance, d.title = uuid, instance, title
		t.devices[key] = d
		t.order = append(t.order, d)
	}
	return t.devices[key]
}

// tell records a number where there is one.
func tell(d *device, metric, which string, t text) {
	if v, ok := t.number(); ok {
		d.number(metric, which, v)
	}
}

// tellFlag records a yes or no.
func tellFlag(d *device, metric, which string, t text) {
	if v, ok := t.flag(); ok {
		d.number(metric, which, v)
	}
}

func tellMemory(d *device, m *memory) {
	total, hasTotal := m.Total.number()
	used, hasUsed := m.Used.number()
	if hasTotal {
		d.number("hw.gpu.memory.limit", "", total)
	}
	if hasUsed {
		d.number("hw.gpu.memory.usage", "", used)
	}
	if hasTotal && hasUsed && total > 0 {
		d.number("hw.gpu.memory.utilization", "", used/total)
	}
}

func tellIdentity(d *device, doc *document, g *gpu) {
	for name, t := range map[string]text{
		"hw.id":                   g.UUID,
		"hw.name":                 g.Name,
		"hw.driver_version":       doc.Driver,
		"nvidia.cuda.version":     doc.CUDA,
		"hw.firmware_version":     g.VBIOS,
		"hw.serial_number":        g.Serial,
		"nvidia.gpu.pci.address":  text(strings.ToUpper(string(g.PCI.BusID))),
		"nvidia.gpu.architecture": architecture(g.Architecture),
	} {
		if s, ok := t.said(); ok {
			d.text(name, "", s)
		}
	}
}

// architecture turns "Ada Lovelace" into ada.
func architecture(t text) text {
	s, _ := t.said()
	first, _, _ := strings.Cut(strings.ToLower(s), " ")
	return text(first)
}
