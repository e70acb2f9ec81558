package nvmltest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// lines of a state file.
type lines struct{ bytes.Buffer }

func (l *lines) add(key string, value any) {
	fmt.Fprintf(l, "%s %v\n", key, value)
}

func (l *lines) text(key, value string) {
	if value != "" {
		l.add(key, value)
	}
}

// State is the fake's state file after the elapsed time and as seen by the given scrape,
// which tests number as they like; changes hold from their scrape on.
func (s Scenario) State(elapsed time.Duration, scrape int) []byte {
	l := &lines{}
	n := s.NVML
	ret := n.Init.at(elapsed)
	l.add("init.ret", code(ret))
	if code(ret) != 0 {
		// For those that have come in before.
		l.add("all.ret", code("DRIVER_NOT_LOADED"))
	}
	l.add("driver_version", cmp.Or(n.DriverVersion, "580.95.05"))
	l.text("nvml_version", n.NVMLVersion)
	if n.CUDAVersion != 0 {
		l.add("cuda_version", n.CUDAVersion)
	}
	l.text("handles", n.Handles)
	for pid, name := range n.ProcessNames {
		l.add(fmt.Sprintf("process.%d", pid), name)
	}
	l.calls("", n.Calls)
	devices := s.devicesAt(elapsed, scrape)
	l.add("devices", len(devices))
	for i, d := range devices {
		l.device(fmt.Sprintf("device.%d", i), d)
	}
	l.events(s.Events, elapsed)
	return l.Bytes()
}

func (l *lines) events(events []Event, elapsed time.Duration) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.AtS, b.AtS) })
	n := 0
	for _, e := range events {
		prefix := fmt.Sprintf("device.%d.", e.Device)
		if e.Register != "" {
			l.add(prefix+"RegisterEvents.ret", code(e.Register))
			continue
		}
		if e.Device >= 0 {
			l.add(prefix+"GetSupportedEventTypes.ret", 0)
			l.add(prefix+"GetSupportedEventTypes.types", DefaultEvents|e.Type)
		}
		if elapsed.Seconds() >= e.AtS {
			l.add(fmt.Sprintf("event.%d", n), fmt.Sprintf("%d %d %d %s %s", e.Device,
				cmp.Or(e.Type, XidEvent), e.Xid, or(e.GI, "-1"), or(e.CI, "-1")))
		}
		n++
	}
}

func (l *lines) device(prefix string, d Device) {
	for key, value := range map[string]string{
		"uuid": d.UUID, "name": d.Name, "serial": d.Serial, "vbios": d.VBIOS, "pci": d.PCI,
		"cc": d.ComputeCapability, "mig": d.MIG,
	} {
		l.text(prefix+"."+key, value)
	}
	if d.Architecture != 0 {
		l.add(prefix+".arch", d.Architecture)
	}
	if d.MaxMIG != 0 {
		l.add(prefix+".mig_max", d.MaxMIG)
	}
	if d.Handle != "" {
		l.add(prefix+".handle.ret", code(d.Handle))
	}
	if d.AllCalls != "" {
		l.add(prefix+".all.ret", code(d.AllCalls))
	}
	l.block(prefix+".all", d.BlockSeconds)
	l.calls(prefix+".", d.answers())
	l.fields(prefix, d.Fields)
	for kind, s := range d.Samples {
		l.samples(fmt.Sprintf("%s.samples.%d", prefix, kind), s)
	}
	l.gpm(prefix, d)
	l.processes(prefix, d)
	for i, m := range d.MIGDevices {
		l.mig(prefix, d, m, i)
	}
}

func (l *lines) block(key string, seconds float64) {
	if seconds != 0 {
		l.add(key+".block_ms", int64(seconds*1000))
	}
}

func (l *lines) calls(prefix string, calls map[string]Answer) {
	for name, a := range calls {
		l.add(prefix+name+".ret", code(a.Ret))
		l.block(prefix+name, a.BlockSeconds)
		for field, value := range a.Values {
			l.add(prefix+name+"."+field, value)
		}
	}
}

func (l *lines) fields(prefix string, fields []Field) {
	for _, f := range fields {
		value := f.Value
		if value == nil {
			value = 0
		}
		l.add(fmt.Sprintf("%s.field.%d.%d", prefix, f.ID, f.Scope),
			fmt.Sprintf("%d %d %v", code(f.Ret), valueType(cmp.Or(f.Type, "ulonglong")), value))
	}
}

func (l *lines) samples(key string, s Samples) {
	row := []string{itoa(valueType(cmp.Or(s.Type, "uint")))}
	for _, sample := range s.List {
		row = append(row, fmt.Sprintf("%d:%d", sample.Time, sample.Value))
	}
	l.add(key, strings.Join(row, " "))
}

// The levels of a MIG device are those of its GPU instance.
func (l *lines) gpm(prefix string, d Device) {
	var row []string
	for _, id := range slices.Sorted(maps.Keys(d.GPM)) {
		row = append(row, fmt.Sprintf("%d=%v", id, d.GPM[id]))
	}
	for _, id := range slices.Sorted(maps.Keys(d.GPMErrors)) {
		row = append(row, fmt.Sprintf("%d=!%d", id, code(d.GPMErrors[id])))
	}
	if row != nil {
		l.add(prefix+".gpm", strings.Join(row, " "))
	}
}

func (l *lines) processes(prefix string, d Device) {
	for kind, list := range map[string][]Process{"compute": d.Compute, "graphics": d.Graphics, "mps": d.MPS} {
		var row []string
		for _, p := range list {
			memory := "-"
			if p.Memory != nil {
				memory = strconv.FormatUint(*p.Memory, 10)
			}
			row = append(row, fmt.Sprintf("%d:%s:%s:%s", p.PID, memory, or(p.GI, "-"), or(p.CI, "-")))
		}
		l.text(prefix+"."+kind, strings.Join(row, " "))
	}
	var row []string
	for _, p := range d.ProcessUtilization {
		row = append(row, fmt.Sprintf("%d:%d:%d:%d:%d:%d", p.PID, p.Time, p.SM, p.Memory, p.Encoder, p.Decoder))
	}
	l.text(prefix+".process_utilization", strings.Join(row, " "))
}

// or is the number, or what the file says where there is none.
func or(n *int, none string) string {
	if n == nil {
		return none
	}
	return strconv.Itoa(*n)
}

func (l *lines) mig(prefix string, parent, d Device, place int) {
	slot := cmp.Or(d.Slot, place)
	if d.Name == "" {
		d.Name = parent.Name + " MIG " + d.Profile
	}
	key := fmt.Sprintf("%s.mig.%d", prefix, slot)
	l.add(key+".gi", d.GI)
	l.add(key+".ci", d.CI)
	l.gpm(fmt.Sprintf("%s.gi.%d", prefix, d.GI), d)
	d.GPM, d.GPMErrors = nil, nil
	l.device(key, d)
}
