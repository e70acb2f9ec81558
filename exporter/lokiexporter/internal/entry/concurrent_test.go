package entry

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestConcurrent(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxStreams, cfg.MaxLabelValues = 50, 20 })
	ld := plog.NewLogs()
	for i := range 200 {
		one(t, map[string]any{"service.name": fmt.Sprint("s", i%7)}, map[string]any{"model_name": fmt.Sprint("m", i%30), fmt.Sprint("k.", i): i}, ids, at(0)).
			ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
	ld.MarkReadOnly()
	c.Convert(ld, "")
	want := told(c.Convert(ld, ""))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				assert.Equal(t, want, told(c.Convert(ld, "")))
			}
		})
	}
	group.Wait()
	assert.LessOrEqual(t, c.Stats().ActiveStreams.Load(), int64(50))
}

// TestResultsStay is about results of one call that the next one must not touch.
func TestResultsStay(t *testing.T) {
	c := newConverter(t)
	ld := one(t, map[string]any{"service.name": "a"}, map[string]any{"n": 12345, "m": []any{1}}, ids)
	first := c.Convert(ld, "")
	want := told(first)
	for i := range 100 {
		c.Convert(one(t, map[string]any{"service.name": "b"}, map[string]any{"n": 54321 + i, "m": []any{i}}), "")
	}
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("service.name", "changed")
	ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().PutInt("n", 1)
	assert.Equal(t, want, told(first))
}
