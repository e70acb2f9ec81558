package main

import (
	"cmp"
	"maps"
	"slices"
)

// verdict is the outcome of one line.
type verdict string

const (
	agrees        verdict = "ok"
	differs       verdict = "differs"
	missing       verdict = "missing" // nvidia-smi shows it and the receiver, by default, should
	onlyHere      verdict = "only here"
	onlyThere     verdict = "only nvidia-smi"
	notComparable verdict = "not comparable"
)

func (v verdict) fails() bool { return v == differs || v == missing }

// finding is one line of the table.
type finding struct {
	device *device // as the table calls it
	series series
	here   *values // the receiver's, or nil
	there  *values // nvidia-smi's, or nil
	verdict
	note string
}

// compare puts the devices of nvidia-smi beside those of the receiver.
func compare(told, got []*device, defaults map[string]bool) []finding {
	var all []finding
	seen := map[*device]bool{}
	for _, there := range told {
		here := partner(there, got)
		seen[here] = true
		all = append(all, compareDevice(there, here, defaults)...)
	}
	for _, here := range got {
		if !seen[here] {
			all = append(all, finding{
				device: here, series: series{metric: "hw.id"}, here: here.values[series{metric: "hw.id"}],
				verdict: differs, note: "nvidia-smi does not show this device",
			})
		}
	}
	return all
}

// partner finds the device of the receiver. The PCI address comes first, so that a UUID that
// differs is one line of the table and not two devices.
func partner(there *device, got []*device) *device {
	for _, same := range []func(*device) bool{
		func(here *device) bool { return there.pci != "" && here.pci == there.pci },
		func(here *device) bool { return here.uuid == there.uuid },
	} {
		for _, here := range got {
			if here.instance == there.instance && same(here) {
				return here
			}
		}
	}
	return newDevice()
}

func compareDevice(there, here *device, defaults map[string]bool) []finding {
	lines := maps.Clone(there.values)
	maps.Copy(lines, here.values)
	var all []finding
	for s := range lines {
		f := finding{device: there, series: s, here: here.values[s], there: there.values[s]}
		f.judge(defaults)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.series.metric, b.series.metric), cmp.Compare(a.series.which, b.series.which))
	})
	return all
}

func (f *finding) judge(defaults map[string]bool) {
	if carrier, ok := carriers[f.series.metric]; ok {
		f.judgeText(defaults[carrier])
		return
	}
	r, known := rules[f.series.metric]
	switch {
	case f.here == nil && f.series.metric == energyRate:
		f.verdict = notComparable
	case f.here == nil:
		f.verdict = onlyThere
		quiet := r.lackIsZero && f.there.most() == 0
		if defaults[f.series.metric] && !r.mayLack && !quiet {
			f.verdict = missing
		}
	case known && !r.hasUnit(f.here.unit):
		f.verdict, f.note = differs, "the unit should be "+r.unit
	case known && r.ratio && f.here.most() > 1:
		f.verdict, f.note = differs, "a fraction above 1"
	case !known || r.informative:
		f.verdict = notComparable
	case f.there == nil:
		f.verdict = onlyHere
	default:
		f.verdict = differs
		if low, high := r.span(f.there); f.here.mean() >= low && f.here.mean() <= high {
			f.verdict = agrees
		}
	}
}

// span is where the receiver's mean may be.
func (r rule) span(there *values) (low, high float64) {
	least, most := there.least(), there.most()
	width := most - least
	return least - width - r.absolute - r.relative*least, most + width + r.absolute + r.relative*most
}

func (f *finding) judgeText(expected bool) {
	switch {
	case f.here == nil && expected:
		f.verdict = missing
	case f.here == nil:
		f.verdict = onlyThere
	case f.there == nil:
		f.verdict = onlyHere
	default:
		f.verdict = agrees
		for _, s := range f.here.texts {
			if !slices.Contains(f.there.texts, s) {
				f.verdict = differs
			}
		}
	}
}

func failures(all []finding) int {
	n := 0
	for i := range all {
		if all[i].fails() {
			n++
		}
	}
	return n
}
