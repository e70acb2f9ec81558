package spanphaseconnector

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// Scenario: many pipelines send at once while requests close, are evicted, are
// flushed and expire, on the real clock.
// Guarantees: no race, and the last export has every request.
func TestConcurrency(t *testing.T) {
	r := newRig(t, func(cfg *Config) {
		cfg.FlushInterval = 100 * time.Millisecond
		cfg.Assembly.Linger, cfg.Assembly.IdleTimeout = 20*time.Millisecond, 50*time.Millisecond
		cfg.Assembly.MaxTraces = 512
	})
	var senders sync.WaitGroup
	for sender := range byte(8) {
		senders.Go(func() {
			for i := range byte(30) {
				for _, s := range casetest.Stages("m") {
					assert.NoError(t, r.ConsumeTraces(t.Context(), casetest.Trace(sender*30+i, engine, s)))
				}
			}
		})
	}
	senders.Wait()
	require.NoError(t, r.Shutdown(t.Context()))
	r.requireCount(t, "phase.queue", 240)
	r.requireCount(t, "phase.inference", 240)
}
