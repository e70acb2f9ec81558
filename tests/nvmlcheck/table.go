package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// write writes a table per device and what it comes to.
func write(out io.Writer, all []finding) {
	fmt.Fprintln(out, "Values are least..greatest. The receiver's mean has to be within nvidia-smi's, widened by their own spread and the tolerance.")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var last *device
	for i := range all {
		f := &all[i]
		if f.device != last {
			last = f.device
			_ = table.Flush()
			fmt.Fprintf(out, "\n%s\n", last.title)
			fmt.Fprintln(table, "metric\t\tunit\treceiver\tnvidia-smi\ttolerance\tresult")
		}
		f.write(table)
	}
	_ = table.Flush()
	counts := map[verdict]int{}
	for i := range all {
		counts[all[i].verdict]++
	}
	var parts []string
	for _, v := range []verdict{agrees, differs, missing, onlyHere, onlyThere, notComparable} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	fmt.Fprintf(out, "\nnvml-check: %s\n", strings.Join(parts, ", "))
}

func (f *finding) write(table io.Writer) {
	r, known := rules[f.series.metric]
	unit, tolerance := r.unit, ""
	if f.here != nil && f.here.unit != "" {
		unit = f.here.unit
	}
	if known {
		tolerance = r.String()
	}
	result := string(f.verdict)
	if f.note != "" {
		result += ": " + f.note
	}
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.series.metric, f.series.which, unit,
		f.here, f.there, tolerance, result)
}

// String is what a side said, for the table.
func (v *values) String() string {
	switch {
	case v == nil:
		return "-"
	case len(v.numbers) == 0:
		return strings.Join(v.texts, " | ")
	case v.least() == v.most():
		return number(v.least())
	default:
		return number(v.least()) + ".." + number(v.most())
	}
}

func number(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }
