//go:build linux && cgo

package nvmlreceiver

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/gonvml"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// benchmarked are machines by the number of their GPUs and MIG devices.
var benchmarked = []struct {
	name    string
	gpus    int
	machine func() nvmltest.Scenario
}{
	{"1", 1, func() nvmltest.Scenario { return nvmltest.DGX(1, nvmltest.H200()) }},
	{"8", 8, func() nvmltest.Scenario { return nvmltest.DGX(8, nvmltest.H200()) }},
	{"8x7", 8, func() nvmltest.Scenario { return nvmltest.DGX(8, nvmltest.WithMIG(nvmltest.H200(), "1g.18gb", 7)) }},
}

// library is one file for all benchmarks: a process binds to the first that it loads, and takes
// no other.
func library(tb testing.TB) string {
	tb.Helper()
	built := nvmltest.Library(tb)
	loaded.Do(func() {
		dir, err := os.MkdirTemp("", "nvml") //nolint:usetesting // it outlives the benchmark
		require.NoError(tb, err)
		loaded.path = filepath.Join(dir, "libnvidia-ml.so.1")
		data, err := os.ReadFile(built)
		require.NoError(tb, err)
		require.NoError(tb, os.WriteFile(loaded.path, data, 0o600))
	})
	return loaded.path
}

var loaded struct {
	sync.Once
	path string
}

// BenchmarkScrape measures scrapes, one after the other, of machines in the fake. What the fake
// itself takes is in it; BenchmarkCalls tells how much that is.
//
// Calls for performance counters are too close to each other to be made, but for the first; see
// TestScrapeAllocations.
func BenchmarkScrape(b *testing.B) {
	for _, m := range benchmarked {
		b.Run(m.name, func(b *testing.B) {
			s := benchScraper(b, silent(m.machine()))
			points := 0
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b.ReportAllocs()
			for b.Loop() {
				out, err := s.scrape(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				points = out.DataPointCount()
			}
			runtime.ReadMemStats(&after)
			gpus := float64(b.N * m.gpus)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/gpus, "ns/GPU")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/gpus, "allocs/GPU")
			b.ReportMetric(float64(points)/float64(m.gpus), "points/GPU")
			require.NoError(b, s.shutdown(b.Context()))
		})
	}
}

// BenchmarkCalls measures the three kinds of calls that a scrape makes, through the binding.
func BenchmarkCalls(b *testing.B) {
	s := benchScraper(b, silent(nvmltest.DGX(1, nvmltest.H200())))
	lib, ret := gonvml.Acquire(s.cfg.LibraryPath)
	require.Equal(b, driver.Success, ret)
	defer gonvml.Release(lib)
	require.Equal(b, driver.Success, lib.Init())
	gpu, ret := lib.Device(0)
	require.Equal(b, driver.Success, ret)
	fields := make([]driver.FieldValue, 70)
	for name, call := range map[string]func(){
		"power":  func() { _, _ = gpu.Power() },
		"memory": func() { _, _ = gpu.Memory() },
		"fields": func() { _ = gpu.FieldValues(fields) },
		"uuid":   func() { _, _ = gpu.UUID() },
		"open":   func() { _, _ = lib.Device(0) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
	require.NoError(b, s.shutdown(b.Context()))
}

func benchScraper(tb testing.TB, s nvmltest.Scenario) *metricsScraper {
	tb.Helper()
	world := nvmltest.New(tb, s.State(0, 1))
	world.Enter(tb)
	// Counting calls costs the fake a file per scrape.
	require.NoError(tb, os.Unsetenv("NVMLTEST_CALLS"))
	cfg := createDefaultConfig().(*Config)
	cfg.LibraryPath = library(tb)
	m := &metricsScraper{member: member{set: receivertest.NewNopSettings(metadata.Type), cfg: cfg}}
	require.NoError(tb, m.start(tb.Context(), componenttest.NewNopHost()))
	return m
}

// Scenario: scrapes that are 5 s apart, with performance counters.
// Guarantees: allocations are those of the points themselves, which are 8 to 10 each: the point,
// its value, and for each label the value and the growth of the list.
func TestScrapeAllocations(t *testing.T) {
	for _, m := range benchmarked {
		t.Run(m.name, func(t *testing.T) {
			if alone(t) {
				return
			}
			r := newRig(t, silent(m.machine()))
			synctest.Test(t, func(t *testing.T) {
				r.configure(t, nil)
				s := &metricsScraper{member: member{set: receivertest.NewNopSettings(metadata.Type), cfg: r.cfg}}
				require.NoError(t, s.start(t.Context(), componenttest.NewNopHost()))
				points := 0
				once := func() {
					out, err := s.scrape(t.Context())
					require.NoError(t, err)
					points = out.DataPointCount()
					time.Sleep(5 * time.Second)
				}
				once()
				once()
				allocs := testing.AllocsPerRun(20, once)
				perGPU, perPoint := allocs/float64(m.gpus), allocs/float64(points)
				t.Logf("%.0f allocations per GPU, %.1f per point", perGPU, perPoint)
				assert.Less(t, perPoint, 14.0)
				require.NoError(t, s.shutdown(t.Context()))
			})
		})
	}
}
