package binary

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
)

// Scenario: the shipped standalone.yaml on a machine with no GPU, no logs and no engine.
// Guarantees: it starts, shows its pages on the loopback interface only, and stops with exit code 0.
func TestStandalone(t *testing.T) {
	t.Parallel()
	c := collector.Start(t)
	for _, url := range []string{
		"http://" + c.Page + "/metrics", "http://" + c.Own + "/metrics", "http://" + c.ZPages + "/debug/servicez",
	} {
		assert.True(t, collector.Answers(url), url)
	}
	var listens []string
	for _, l := range c.Listeners(t) {
		assert.True(t, l.Addr().IsLoopback(), "it listens on %s", l)
		listens = append(listens, l.String())
	}
	assert.ElementsMatch(t, c.All(), listens)
	assert.Zero(t, c.Stop(t), "exit code")
}
