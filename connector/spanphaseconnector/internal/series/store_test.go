package series

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// storeOf returns a store of sets with ten histograms each, of which every one counted.
func storeOf(sets int, kind Kind, delta bool) *Store {
	cfg := Config{
		InstanceID: "test", Delta: delta, Expiry: time.Hour,
		MaxSeries: 1e6, MaxModels: 1e6, MaxModelVersions: 1e6, MaxErrorTypes: 1e6,
	}
	for id := range inference.NumMetrics {
		m := inference.Registry(id)
		cfg.Metrics = append(cfg.Metrics, Metric{
			Name: m.Name, Unit: m.Unit, Attributes: m.Attributes, Kind: kind, Bounds: m.Bounds, MaxSize: 160,
		})
	}
	s := NewStore(cfg)
	for i := range sets {
		record(s, time.Unix(1e9, 0), i)
	}
	return s
}

// record makes ten observations of a model.
func record(s *Store, now time.Time, model int) {
	o := s.Observer(now)
	defer o.Done()
	o.Of(labelsOf(model), [16]byte{1}, [8]byte{2})
	o.Record(inference.MetricRequestDuration, 1, Dims{})
	o.Record(inference.MetricRequestTTFT, 0.1, Dims{})
	o.Record(inference.MetricCallDuration, 0.9, Dims{"server", "measured"})
	o.Record(inference.MetricCallTTFT, 0.09, Dims{"server", "measured"})
	for p := range inference.NumPhases {
		o.Record(inference.MetricPhaseDuration, 0.01*float64(p+1), Dims{p.String(), "server", "measured"})
	}
}

var models = func() (names [100]string) {
	for i := range names {
		names[i] = fmt.Sprintf("model-%d", i)
	}
	return names
}()

func labelsOf(i int) Labels {
	return Labels{Identity: inference.Identity{
		ServiceName: "chat", ServiceNamespace: "prod", Model: models[i%100], ModelVersion: models[i/100%100], Engine: "vllm",
	}}
}

// Scenario: all series exist.
// Guarantees: an observation allocates nothing, whatever counts it.
func TestRecordSteadyState(t *testing.T) {
	for _, kind := range []Kind{Explicit, Exponential} {
		for _, delta := range []bool{false, true} {
			s := storeOf(20, kind, delta)
			s.Export(time.Unix(1e9+1, 0), false)
			s.Confirm(time.Unix(1e9+1, 0))
			for i := range 20 {
				record(s, time.Unix(1e9+2, 0), i)
			}
			i := 0
			assert.Zero(t, testing.AllocsPerRun(100, func() {
				i++
				record(s, time.Unix(1e9+2, 0), i%20)
			}), "kind %d, delta %t", kind, delta)
		}
	}
}

// BenchmarkRecord measures one observation of ten of a request, over 2000 series.
func BenchmarkRecord(b *testing.B) {
	for name, kind := range map[string]Kind{"explicit": Explicit, "exponential": Exponential} {
		b.Run(name, func(b *testing.B) {
			s := storeOf(200, kind, false)
			now := time.Unix(1e9+2, 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				record(s, now, i%200)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/observation")
		})
	}
}

// BenchmarkExport measures an export of 20 000 series.
func BenchmarkExport(b *testing.B) {
	for name, kind := range map[string]Kind{"explicit": Explicit, "exponential": Exponential} {
		b.Run(name, func(b *testing.B) {
			s := storeOf(2000, kind, false)
			now := time.Unix(1e9+2, 0)
			b.ReportAllocs()
			var m pmetric.Metrics
			for b.Loop() {
				m = s.Export(now, true)
				s.Confirm(now)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.DataPointCount()), "ns/point")
		})
	}
}

// BenchmarkRecordParallel is BenchmarkRecord from several goroutines, which share a lock: -cpu 1,2,4
// shows what it costs. Requests of one set come together.
func BenchmarkRecordParallel(b *testing.B) {
	s := storeOf(200, Explicit, false)
	now := time.Unix(1e9+2, 0)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			record(s, now, i%200)
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/observation")
}

// BenchmarkRecordDuringExport observes while 20 000 series are exported again and again: observers wait for
// a copy of one set at most, which the quantiles of a request's ten observations show.
func BenchmarkRecordDuringExport(b *testing.B) {
	s := storeOf(2000, Explicit, false)
	now := time.Unix(1e9+2, 0)
	stop := make(chan struct{})
	var exporting sync.WaitGroup
	exporting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.Export(now, true)
				s.Confirm(now)
			}
		}
	})
	took := make([]time.Duration, 0, 1<<20)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		record(s, now, i%2000)
		if len(took) < cap(took) {
			took = append(took, time.Since(start))
		}
	}
	close(stop)
	exporting.Wait()
	slices.Sort(took)
	for name, share := range map[string]float64{"p50-ns": 0.5, "p99-ns": 0.99, "p99.9-ns": 0.999} {
		b.ReportMetric(float64(took[int(share*float64(len(took)-1))]), name)
	}
}
