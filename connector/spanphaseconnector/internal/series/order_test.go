package series

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Of a bucket, which is a series of its own in Prometheus, no export has an exemplar that is older
// than the one of an export before: Prometheus would refuse it.
func TestExemplarsInOrder(t *testing.T) {
	for _, kind := range []Kind{Explicit, Exponential} {
		rng := rand.New(rand.NewPCG(1, uint64(kind)))
		store := storeOf(0, kind, false)
		now := time.Unix(1_780_000_000, 0)
		last, shown := map[int]time.Time{}, 0
		for range 2000 {
			for range rng.IntN(6) {
				now = now.Add(time.Duration(rng.IntN(3000)) * time.Millisecond)
				o := store.Observer(now)
				o.Of(labelsOf(1), [16]byte{1}, [8]byte{byte(rng.IntN(255) + 1)})
				o.Record(inference.MetricRequestDuration, rng.ExpFloat64(), Dims{})
				o.Done()
			}
			now = now.Add(time.Second)
			eachExemplar(store.Export(now, false), func(bucket int, e pmetric.Exemplar) {
				at := e.Timestamp().AsTime()
				assert.False(t, at.Before(last[bucket]), "bucket %d goes back", bucket)
				last[bucket] = at
				shown++
			})
			store.Confirm(now)
		}
		assert.Positive(t, shown)
	}
}

// eachExemplar calls f with the bucket of each, which is one for an exponential histogram.
func eachExemplar(md pmetric.Metrics, f func(bucket int, e pmetric.Exemplar)) {
	for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Type() == pmetric.MetricTypeExponentialHistogram {
			for _, p := range m.ExponentialHistogram().DataPoints().All() {
				for _, e := range p.Exemplars().All() {
					f(0, e)
				}
			}
			continue
		}
		for _, p := range m.Histogram().DataPoints().All() {
			for _, e := range p.Exemplars().All() {
				bucket := 0
				for _, b := range p.ExplicitBounds().All() {
					if e.DoubleValue() > b {
						bucket++
					}
				}
				f(bucket, e)
			}
		}
	}
}
