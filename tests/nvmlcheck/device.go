package main

import "slices"

// device is a GPU or a GPU instance of MIG as one side sees it.
type device struct {
	// title is for the table.
	title string
	// uuid and pci are of the GPU, instance is the MIG instance or "".
	uuid, pci, instance string
	values              map[series]*values
}

// series is one line of the table: a metric, or an attribute that tells what the GPU is, and
// which of its points, by the values of the other attributes.
type series struct{ metric, which string }

// values are all that one side said of a series.
type values struct {
	numbers []float64
	texts   []string // each once
	unit    string
}

func newDevice() *device { return &device{values: map[series]*values{}} }

func (d *device) at(metric, which string) *values {
	s := series{metric, which}
	if d.values[s] == nil {
		d.values[s] = &values{}
	}
	return d.values[s]
}

func (d *device) number(metric, which string, v float64) {
	at := d.at(metric, which)
	at.numbers = append(at.numbers, v)
}

func (d *device) text(metric, which, s string) {
	if s == "" {
		return
	}
	if at := d.at(metric, which); !slices.Contains(at.texts, s) {
		at.texts = append(at.texts, s)
	}
}

func (v *values) least() float64 { return slices.Min(v.numbers) }
func (v *values) most() float64  { return slices.Max(v.numbers) }

func (v *values) mean() float64 {
	var sum float64
	for _, n := range v.numbers {
		sum += n
	}
	return sum / float64(len(v.numbers))
}
