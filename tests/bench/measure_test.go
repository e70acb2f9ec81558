// Package bench measures our components beside others that do comparable work, all in one run:
// on a shared machine only figures of the same minutes compare.
//
// All figures are CPU time of the whole process, goroutines in the background included. Inputs
// come off the wire, as those of a collector do: in hand-made ones the keys of attributes are Go
// constants, which compare sooner.
package bench

import (
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cost is what one section of a benchmark took per unit.
type cost struct {
	cpu    float64 // ns, with gc
	gc     float64 // ns
	allocs float64
	bytes  float64
}

func (c cost) minus(o cost) cost { return c.plus(o, -1) }

// plus adds a share of another cost.
func (c cost) plus(o cost, share float64) cost {
	return cost{c.cpu + share*o.cpu, c.gc + share*o.gc, c.allocs + share*o.allocs, c.bytes + share*o.bytes}
}

// measure returns what run costs per unit. Its inputs are to be made before.
//
// The collector of garbage is off meanwhile: a section would see one or none of its cycles, most
// of them because of the inputs. Its share is what one cycle takes per byte of the heap: as Go
// is set by default, it goes over one byte for each that is allocated.
func measure(tb testing.TB, units int, run func()) cost {
	tb.Helper()
	runtime.GC() // what is left of making the inputs
	begin := cpuTime(tb)
	runtime.GC()
	cycle := float64(cpuTime(tb) - begin)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	begin = cpuTime(tb)
	run()
	cpu := float64(cpuTime(tb) - begin)
	runtime.ReadMemStats(&to)
	n := float64(units)
	bytes := float64(to.TotalAlloc - from.TotalAlloc)
	gc := bytes * cycle / float64(from.HeapAlloc)
	return cost{(cpu + gc) / n, gc / n, float64(to.Mallocs-from.Mallocs) / n, bytes / n}
}

func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// median is what counts: most sections are disturbed by others on the machine, some are lucky.
func median(costs []cost, of func(cost) float64) float64 {
	values := make([]float64, 0, len(costs))
	for _, c := range costs {
		values = append(values, of(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func cpuOf(c cost) float64    { return c.cpu }
func gcOf(c cost) float64     { return c.gc }
func allocsOf(c cost) float64 { return c.allocs }
func bytesOf(c cost) float64  { return c.bytes }
