package main

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// energyRate is a line of its own: nvidia-smi tells no energy, but the power that must come
// out of it shows its unit.
const energyRate = "hw.energy per second"

// points gathers what the receiver sends.
type points struct {
	devices map[string]*device
	order   []*device
	energy  map[*device][]pmetric.NumberDataPoint
}

func (p *points) add(metrics pmetric.Metrics) {
	for _, rm := range metrics.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				p.addMetric(m)
			}
		}
	}
}

func (p *points) addMetric(m pmetric.Metric) {
	var all pmetric.NumberDataPointSlice
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		all = m.Gauge().DataPoints()
	case pmetric.MetricTypeSum:
		all = m.Sum().DataPoints()
	default:
		return
	}
	for _, point := range all.All() {
		// A marker of the end of a series.
		if !point.Flags().NoRecordedValue() {
			p.addPoint(m, point)
		}
	}
}

func (p *points) addPoint(m pmetric.Metric, point pmetric.NumberDataPoint) {
	attrs := point.Attributes()
	d := p.device(attrs)
	switch m.Name() {
	case "nvidia.gpu.info":
		identify(d, attrs)
		return
	case "nvidia.gpu.mig.info":
		compute := attribute(attrs, "nvidia.mig.compute_instance.id")
		d.text("hw.id", compute, attribute(attrs, "hw.id"))
		d.text("nvidia.mig.profile", compute, attribute(attrs, "nvidia.mig.profile"))
	case "hw.energy":
		if p.energy == nil {
			p.energy = map[*device][]pmetric.NumberDataPoint{}
		}
		p.energy[d] = append(p.energy[d], point)
	}
	if d.instance == "" {
		d.text("hw.id", "", attribute(attrs, "hw.id"))
		d.text("hw.name", "", attribute(attrs, "hw.name"))
	}
	which := which(attrs)
	d.at(m.Name(), which).unit = m.Unit()
	d.number(m.Name(), which, value(point))
}

// device is the GPU of a point, or, of a MIG device, its GPU instance.
func (p *points) device(attrs pcommon.Map) *device {
	uuid, instance := attribute(attrs, "hw.id"), ""
	if parent := attribute(attrs, "hw.parent"); parent != "" {
		uuid, instance = parent, attribute(attrs, "nvidia.mig.gpu_instance.id")
	}
	key := uuid + " " + instance
	if p.devices[key] == nil {
		d := newDevice()
		d.uuid, d.instance = uuid, instance
		d.title = uuid
		if instance != "" {
			d.title += ", MIG instance " + instance
		}
		p.devices[key] = d
		p.order = append(p.order, d)
	}
	return p.devices[key]
}

// identify takes what the GPU is.
func identify(d *device, attrs pcommon.Map) {
	for name, v := range attrs.All() {
		if name != "hw.vendor" {
			d.text(name, "", v.AsString())
		}
	}
	d.pci = attribute(attrs, "nvidia.gpu.pci.address")
}

// finish adds what only all points together tell.
func (p *points) finish() []*device {
	for d, energy := range p.energy {
		first, last := energy[0], energy[len(energy)-1]
		seconds := last.Timestamp().AsTime().Sub(first.Timestamp().AsTime()).Seconds()
		// The driver counts now and then; a counter that stands still tells nothing.
		if joules := value(last) - value(first); joules > 0 && seconds > 0 {
			d.number(energyRate, "", joules/seconds)
			d.at(energyRate, "").unit = "W"
		}
	}
	return p.order
}

// common are the attributes that do not tell apart the points of a device: what the device is,
// and what a process is.
var common = []string{
	"hw.id", "hw.name", "hw.type", "hw.parent", "nvidia.mig.profile", "nvidia.gpu.context.type",
	"process.executable.name", "container.id",
	"k8s.pod.uid", "k8s.pod.name", "k8s.namespace.name", "k8s.container.name",
}

func which(attrs pcommon.Map) string {
	var names []string
	for name := range attrs.All() {
		ofDevice := name == "nvidia.mig.gpu_instance.id" && attribute(attrs, "hw.parent") != ""
		if !slices.Contains(common, name) && !ofDevice {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = attribute(attrs, name)
	}
	return strings.Join(names, " ")
}

func attribute(attrs pcommon.Map, name string) string {
	v, ok := attrs.Get(name)
	if !ok {
		return ""
	}
	return v.AsString()
}

func value(point pmetric.NumberDataPoint) float64 {
	if point.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(point.IntValue())
	}
	return point.DoubleValue()
}
