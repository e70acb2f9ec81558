package bench

import (
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/tailsamplingprocessor"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
)

// BenchmarkAssembly is a span in span_phase until its request has ended, and in the tail sampler,
// which keeps traces in the same room and samples none.
func BenchmarkAssembly(b *testing.B) {
	f := tailsamplingprocessor.NewFactory()
	cfg := configured(b, f, map[string]any{
		"num_traces": openTraces, "decision_wait": "10m",
		"policies": []any{map[string]any{"name": "all", "type": "always_sample"}},
	})
	sampler, err := f.CreateTraces(b.Context(), settings(b, f.Type()), cfg, consumertest.NewNop())
	require.NoError(b, err)
	start(b, sampler)
	inTurn(b, []way{
		{name: "span_phase", take: through(b, newSpanPhase(b, nil))},
		{name: "tail_sampling", take: through(b, sampler)},
	}, whole(b))
}
