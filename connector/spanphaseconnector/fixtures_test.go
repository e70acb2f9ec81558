package spanphaseconnector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: a trace of each engine and SDK, through the factory, until all waits are over.
// Guarantees: the values that were calculated by hand, each as one observation.
func TestFixtures(t *testing.T) {
	for name, f := range casetest.Fixtures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) { cfg.SeriesExpiry = time.Hour })
				r.play(t, casetest.Case{Steps: []casetest.Step{{Traces: casetest.LoadFixture(t, fixturesDir, name)}}})
				checkFixture(t, r, &f)
				r.stop(t)
			})
		})
	}
}

// checkFixture compares what r exported last with a fixture.
func checkFixture(t *testing.T, r *rig, f *casetest.Fixture) {
	t.Helper()
	last := r.last(t)
	casetest.CheckSane(t, last)
	sum := func(want float64, measure string, where map[string]string) (count uint64) {
		t.Helper()
		count, got := casetest.Total(last, measure, where)
		assert.InDelta(t, want, got, casetest.Tolerance, "sum of %s%v", measure, where)
		return count
	}
	once := func(want float64, measure string, where map[string]string) {
		t.Helper()
		count := sum(want, measure, where)
		assert.Equal(t, want != 0, count == 1, "%s%v: count %d", measure, where, count)
	}
	streaming := map[inference.Tristate]string{inference.Yes: "true", inference.No: "false"}
	labels := map[string]string{"model": f.Model, "engine": f.Engine, "outcome": "ok"}
	if value, known := streaming[f.Streaming]; known {
		labels["streaming"] = value
	}
	once(f.Request, "request", labels)
	once(f.Request, "request", nil)
	once(f.RequestTTFT, "request_ttft", nil)
	once(float64(f.Calls), "calls", nil)
	sum(float64(f.Input), "tokens.input", nil)
	sum(float64(f.Output), "tokens.output", nil)
	sum(float64(f.Cached), "tokens.cached", nil)
	if f.Finish != "" {
		once(1, "finished", map[string]string{"finish_reason": f.Finish})
	}
	if f.Gateway > 0 {
		once(f.Gateway, "hop.gateway", nil)
	}
	assert.Zero(t, r.value(t, "open_spans", ""))
	if f.Calls > 1 {
		return // the values of its first call are among those of the others
	}
	role := f.Role.String()
	once(f.Duration, "call."+role, map[string]string{"engine": f.Engine})
	once(f.TTFT, "ttft."+role, nil)
	once(f.TPOT, "tpot."+role, nil)
	for part, want := range map[string]float64{
		"phase.preprocess": f.Preprocess, "phase.queue": f.Queue, "phase.inference": f.Inference, "phase.postprocess": f.Postprocess,
		"subphase.prefill": f.Prefill, "subphase.decode": f.Decode,
	} {
		once(want, part, nil)
	}
}
