package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// waits show a new series at zero for three scrapes, so that Prometheus knows
// it before its first value.
const waits = `
connectors:
  span_phase:
    flush_interval: 1s
    first_point_hold: 3s
    assembly:
      linger: 1s
`

const (
	phaseCount  = "inference_phase_duration_seconds_count"
	phaseBucket = "inference_phase_duration_seconds_bucket"
	// window begins before any series of the test.
	window = "[5m]"

	patience = time.Minute
	glance   = 250 * time.Millisecond
)

// rig is a Prometheus that has scraped all that a simulation sent.
type rig struct {
	collector *collector.Collector
	*prometheus.Prometheus
	truth simulate.Truth
	// at is the time of the newest sample, which every series has: one scrape
	// gives all its samples the same.
	at string
}

func newRig(t *testing.T, style string) *rig {
	t.Helper()
	r := &rig{collector: collector.Start(t, waits)}
	r.Prometheus = prometheus.Start(t, r.collector.Page)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.InDelta(c, 1, r.total(t, c, "up"), 0)
	}, patience, glance, "the page is scraped")
	r.truth = simulate.Run(t, r.collector.GRPC, "--requests", "300", "--style", style)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.InDelta(c, seenRequests(&r.truth), r.total(t, c, "inference_request_duration_seconds_count"), 0)
	}, patience, glance, "all requests are scraped")
	for _, s := range r.Query(t, phaseCount+window, "") {
		require.NotEmpty(t, s.Values)
		require.Zero(t, s.Values[0].Value, "the first sample of %v", s.Labels)
		r.at = max(r.at, s.Values[len(s.Values)-1].At)
	}
	require.NotEmpty(t, r.at)
	return r
}

func (r *rig) total(t *testing.T, c *assert.CollectT, metric string) (sum float64) {
	t.Helper()
	list, err := r.TryQuery(t.Context(), metric, "")
	require.NoError(c, err)
	for _, s := range list {
		sum += s.Value.Value
	}
	return sum
}

func seenRequests(truth *simulate.Truth) (n uint64) {
	for i := range truth.Models {
		n += truth.Models[i].RequestDuration.Count
	}
	return n
}

// answers returns the value for each model and phase.
func (r *rig) answers(t *testing.T, query string) map[[2]string]float64 {
	t.Helper()
	values := map[[2]string]float64{}
	for _, s := range r.Query(t, query, r.at) {
		values[[2]string{s.Labels["inference_model_name"], s.Labels["inference_phase"]}] = s.Value.Value
	}
	return values
}

// Scenario: Prometheus scrapes the page each second from before the first request, in both styles.
// Guarantees: its queries give the numbers that were sent, from the very first request of a series.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	for _, style := range []string{"stages", "vllm"} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, style)
			t.Run("increase", r.testIncrease)
			t.Run("quantile", r.testQuantile)
			t.Run("exemplars", r.testExemplars)
			t.Run("names", func(t *testing.T) { checkMetrics(t, r.collector.Page) })
		})
	}
}

func (r *rig) testIncrease(t *testing.T) {
	got := r.answers(t, "sum by (inference_phase, inference_model_name) (increase("+phaseCount+window+"))")
	for i := range r.truth.Models {
		m := &r.truth.Models[i]
		for phase, want := range m.Phases {
			assert.InDelta(t, want.Count, got[[2]string{m.Name, phase}], 1e-6, "%s of %s", phase, m.Name)
		}
	}
}

func (r *rig) testQuantile(t *testing.T) {
	got := r.answers(t, "histogram_quantile(0.99, sum by (le, inference_phase, inference_model_name) (rate("+phaseBucket+window+")))")
	p := page.Get(t, r.collector.Page)
	for i := range r.truth.Models {
		m := &r.truth.Models[i]
		for phase, want := range m.Phases {
			value, ok := got[[2]string{m.Name, phase}]
			if !assert.True(t, ok, "no answer for %s of %s", phase, m.Name) {
				continue
			}
			h := p.Histogram("inference_phase_duration_seconds", page.Labels{"inference_model_name": m.Name, "inference_phase": phase})
			low, high := h.Quantile(0.99)
			assert.True(t, low <= want.P99 && want.P99 <= high, "%s of %s: %v, in (%v, %v]", phase, m.Name, want.P99, low, high)
			assert.True(t, low <= value && value <= high, "%s of %s: got %v, want in (%v, %v]", phase, m.Name, value, low, high)
		}
	}
}

func (r *rig) testExemplars(t *testing.T) {
	list := r.Exemplars(t, phaseBucket)
	require.NotEmpty(t, list)
	for _, e := range list {
		assert.Regexp(t, "^[0-9a-f]{32}$", e.Labels["trace_id"])
		assert.Regexp(t, "^[0-9a-f]{16}$", e.Labels["span_id"])
	}
}
