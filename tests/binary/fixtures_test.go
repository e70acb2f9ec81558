package binary

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// Scenario: a trace of every engine and SDK, told apart by their environment.
// Guarantees: the values that were calculated by hand, on the page.
func TestFixtures(t *testing.T) {
	t.Parallel()
	c := collector.Start(t, collector.ShortWaits)
	send := otlpclient.GRPC(t, c.GRPC)
	for name := range casetest.Fixtures {
		td := inNewTraces(casetest.LoadFixture(t, fixturesDir, name))
		for _, rs := range td.ResourceSpans().All() {
			rs.Resource().Attributes().PutStr("deployment.environment.name", name)
		}
		require.NoError(t, send(t.Context(), td))
	}
	awaitClosed(t, c, len(casetest.Fixtures))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Equal(ct, uint64(len(casetest.Fixtures)), p.Histogram(requestDuration, nil).Count)
	})
	p := page.Get(t, c.Page)
	for name, f := range casetest.Fixtures {
		t.Run(name, func(t *testing.T) { checkFixture(t, p, name, &f) })
	}
}

// checkFixture compares the page's series of one environment with a fixture.
func checkFixture(t *testing.T, p page.Page, name string, f *casetest.Fixture) {
	t.Helper()
	where := func(more ...string) page.Labels {
		labels := page.Labels{"deployment_environment_name": name}
		for i := 0; i < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		return labels
	}
	is := func(want float64, metric string, labels page.Labels) {
		t.Helper()
		h := p.Histogram(metric, labels)
		assert.Equal(t, want != 0, h.Count > 0, "%s%v", metric, labels)
		assert.InDelta(t, want, h.Sum, 1e-6, "%s%v", metric, labels)
	}
	is(f.Request, requestDuration, where("inference_model_name", f.Model, "inference_engine", f.Engine))
	is(f.RequestTTFT, requestTTFT, where())
	is(float64(f.Input), tokenUsage, where("gen_ai_token_type", "input"))
	is(float64(f.Output), tokenUsage, where("gen_ai_token_type", "output"))
	if f.Calls != 1 {
		return // the values of its first call are among those of the others
	}
	role := []string{"inference_role", f.Role.String()}
	is(f.Duration, callDuration, where(role...))
	is(f.TTFT, callTTFT, where(role...))
	is(f.TPOT, callTPOT, where(role...))
	for phase, want := range map[string]float64{
		"preprocess": f.Preprocess, "queue": f.Queue, "inference": f.Inference, "postprocess": f.Postprocess,
	} {
		is(want, phaseDuration, where("inference_phase", phase))
	}
	is(f.Prefill, subphase, where("inference_subphase", "prefill"))
	is(f.Decode, subphase, where("inference_subphase", "decode"))
}
