package extract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestNoAllocations(t *testing.T) {
	x, f, resource := newExtractor(t), &Found{}, pcommon.NewMap()
	native := record(t, "decode step 12", map[string]any{"queue_time_ms": 12.5, "a.b": "c", "model_name": "m"})
	native.SetTraceID(traceID)
	native.SetSpanID(spanID)
	json := record(t, jsonLine, nil)
	text := record(t, "INFO 08-21 12:00:00 [logger.py:42] Received request cmpl-a1-0: prompt: 'x'", map[string]any{"trace_id": "bad"})
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		x.Extract(resource, native, f)
		Promote(native, f, true)
		Standardise(native, f, true)
		x.Extract(resource, json, f)
		x.Extract(resource, text, f)
	}))
}
