package bench

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// row is a line of the table at the end of a run.
type row struct {
	name, per      string
	target         float64 // ns; 0: none
	mid, best      float64 // ns
	gc             float64 // ns, in both
	allocs         float64
	rounds, sample int
}

func rowOf(name, per string, target float64, costs []cost) row {
	best := slices.MinFunc(costs, func(x, y cost) int { return cmp.Compare(x.cpu, y.cpu) })
	return row{
		name: name, per: per, target: target, mid: median(costs, cpuOf), best: best.cpu,
		gc: median(costs, gcOf), allocs: median(costs, allocsOf), rounds: 1, sample: len(costs),
	}
}

var table []row

// TestMain prints all figures beside their targets. Of several rounds (-count) it prints the
// lowest: the others were disturbed.
func TestMain(m *testing.M) {
	code := m.Run()
	if len(table) > 0 {
		printTable()
	}
	os.Exit(code)
}

func printTable() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nCPU\tmedian ns\tbest ns\tof it GC\ttarget ns\tof target\tallocs\trounds x sections")
	for _, r := range table {
		target, share := "-", "-"
		if r.target > 0 {
			target, share = fmt.Sprintf("%.0f", r.target), fmt.Sprintf("%.2f", r.mid/r.target)
		}
		fmt.Fprintf(w, "%s per %s\t%.0f\t%.0f\t%.0f\t%s\t%s\t%.1f\t%d x %d\n",
			strings.TrimPrefix(r.name, "Benchmark"), r.per, r.mid, r.best, r.gc, target, share, r.allocs, r.rounds, r.sample)
	}
	_ = w.Flush()
}

// score reports costs per unit, and keeps them for the table. A target of 0 is none.
func score(b *testing.B, per string, target float64, costs []cost) {
	b.Helper()
	r := rowOf(b.Name(), per, target, costs)
	tabulate(r)
	// Of one unit, not of one turn of the loop, which also makes the inputs. The last two are
	// printed as whole numbers.
	b.ReportMetric(r.mid, "ns/op")
	b.ReportMetric(r.best, "best-ns/op")
	b.ReportMetric(r.gc, "gc-ns/op")
	b.ReportMetric(median(costs, bytesOf), "B/op")
	b.ReportMetric(r.allocs, "allocs/op")
}

func tabulate(r row) {
	for i := range table {
		if t := &table[i]; t.name == r.name && t.per == r.per {
			t.best, t.mid = min(t.best, r.best), min(t.mid, r.mid)
			t.gc, t.allocs = min(t.gc, r.gc), min(t.allocs, r.allocs)
			t.rounds++
			return
		}
	}
	table = append(table, r)
}
