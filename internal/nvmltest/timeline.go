package nvmltest

import (
	"maps"
	"slices"
	"time"
)

// at is the ret that holds after the elapsed time.
func (i Init) at(elapsed time.Duration) string {
	for _, step := range i {
		if step.UntilS == 0 || elapsed.Seconds() < step.UntilS {
			return step.Ret
		}
	}
	return "SUCCESS"
}

func (c Change) holds(elapsed time.Duration, scrape int) bool {
	return scrape >= c.Scrape && elapsed.Seconds() >= c.AtS
}

// devicesAt are the GPUs by index at a moment.
func (s Scenario) devicesAt(elapsed time.Duration, scrape int) []Device {
	devices := make([]Device, len(s.NVML.Devices))
	for i, d := range s.NVML.Devices {
		devices[i] = d.Clone()
	}
	slices.SortStableFunc(devices, func(a, b Device) int { return a.Index - b.Index })
	removed := map[int]bool{}
	var swaps []Swap
	for _, c := range s.Timeline {
		if !c.holds(elapsed, scrape) {
			continue
		}
		for i := range devices {
			if c.Device == nil || *c.Device == i {
				devices[i].change(c)
				removed[i] = removed[i] || c.Remove
			}
		}
		if len(c.SwapIndex) == 2 {
			swaps = append(swaps, c.SwapIndex)
		}
	}
	for _, swap := range swaps {
		a, b := swap[0], swap[1]
		devices[a], devices[b] = devices[b], devices[a]
		removed[a], removed[b] = removed[b], removed[a]
	}
	left := make([]Device, 0, len(devices))
	for i, d := range devices {
		if !removed[i] {
			left = append(left, d)
		}
	}
	return left
}

// change applies what a change says of this device.
func (d *Device) change(c Change) {
	if c.AllCalls != "" {
		d.AllCalls = c.AllCalls
	}
	if c.Handle != "" {
		d.Handle = c.Handle
	}
	if c.BlockSeconds != 0 && c.Call == "" {
		d.BlockSeconds = c.BlockSeconds
	}
	if c.Call != "" {
		d.Set(c.Call, d.Calls[c.Call].but(Answer{BlockSeconds: c.BlockSeconds}))
	}
	for name, a := range c.Calls {
		d.Set(name, d.Calls[name].but(a))
	}
	if c.MIG != "" {
		d.MIG = c.MIG
	}
	if c.MIG != "" || c.MIGDevices != nil {
		d.MIGDevices = c.MIGDevices
	}
}

// but is the answer with another's return code, wait and values where it has them.
func (a Answer) but(b Answer) Answer {
	values := maps.Clone(a.Values)
	if values == nil {
		values = map[string]int64{}
	}
	maps.Copy(values, b.Values)
	a.Values = values
	if b.Ret != "" {
		a.Ret = b.Ret
	}
	if b.BlockSeconds != 0 {
		a.BlockSeconds = b.BlockSeconds
	}
	return a
}

// Set replaces the answer of a call.
func (d *Device) Set(call string, a Answer) {
	if d.Calls == nil {
		d.Calls = map[string]Answer{}
	}
	d.Calls[call] = a
}

// SetField replaces or adds a field.
func (d *Device) SetField(f Field) {
	for i, old := range d.Fields {
		if old.ID == f.ID && old.Scope == f.Scope {
			d.Fields[i] = f
			return
		}
	}
	d.Fields = append(d.Fields, f)
}

// Clone shares nothing that Set and SetField, or writes to maps and lists, would change.
func (d Device) Clone() Device {
	d.Calls = maps.Clone(d.Calls)
	for name, a := range d.Calls {
		a.Values = maps.Clone(a.Values)
		d.Calls[name] = a
	}
	d.Fields = slices.Clone(d.Fields)
	d.Samples = maps.Clone(d.Samples)
	d.GPM = maps.Clone(d.GPM)
	d.GPMErrors = maps.Clone(d.GPMErrors)
	d.Compute = slices.Clone(d.Compute)
	d.Graphics = slices.Clone(d.Graphics)
	d.MPS = slices.Clone(d.MPS)
	d.ProcessUtilization = slices.Clone(d.ProcessUtilization)
	d.MIGDevices = slices.Clone(d.MIGDevices)
	for i, m := range d.MIGDevices {
		d.MIGDevices[i] = m.Clone()
	}
	return d
}

// OK is a successful answer with fields and their values in turn.
func OK(fields ...any) Answer {
	a := Answer{Values: map[string]int64{}}
	for pair := range slices.Chunk(fields, 2) {
		a.Values[pair[0].(string)] = int64(pair[1].(int))
	}
	return a
}

// Fails is an answer with a return code, as NOT_SUPPORTED.
func Fails(ret string) Answer { return Answer{Ret: ret} }
