package assembly

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// Scenario: spans of a gateway and of the engine beside it come in any order.
// Guarantees: the same requests, with the same numbers.
func TestBesideInAnyOrder(t *testing.T) {
	dirs, err := filepath.Glob("../../tests/cases/3[123]*-*beside*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		var spans []dialect.Span
		for _, s := range casetest.Load(t, dir).Steps {
			spans = append(spans, read(s.Traces)...)
		}
		want := requestsOf(t, spans)
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 1))
			random.Shuffle(len(spans), func(i, k int) { spans[i], spans[k] = spans[k], spans[i] })
			assert.ElementsMatch(t, want, requestsOf(t, spans), dir)
		}
	}
}

// Scenario: 500 gateways and 500 engines beside each other, all alike.
// Guarantees: a request each.
func TestManyBeside(t *testing.T) {
	var spans []dialect.Facts
	pair := facts(casetest.Load(t, "../../tests/cases/310-aibrix-beside-the-engine-below-unseen-caller").Steps[0].Traces)
	require.Len(t, pair, 2)
	for i := range 500 {
		for k, f := range pair {
			f.SpanID = [8]byte{byte(k + 1), byte(i >> 8), byte(i)}
			f.Key = dialect.Key(2*i+k+1) << 32
			spans = append(spans, f)
		}
	}
	var b Builder
	assert.Len(t, b.Build([16]byte{1}, spans), 500)
}
