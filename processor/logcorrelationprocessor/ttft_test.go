package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// Scenario: a client goes away in mid-stream; its call began 260 ms after the request, and had
// its first token 100 ms later.
// Guarantees: the record is given a time to first token from the start of the request, as one
// that ended well is, or none; never that of the call alone.
func TestTTFTOfAFailedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, failed := range []bool{false, true} {
			spans := casetest.Stages("qwen3-8b")
			if failed {
				spans[0].Error, spans[4].Error = "client_disconnected", "client_disconnected"
			}
			r := newRig(t)
			r.send(casetest.Trace(1, nil, spans...))
			after(r.cfg.Linger)
			ld := plog.NewLogs()
			rec := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			rec.SetTraceID(pcommon.TraceID{0: 0xca, 15: 1})
			r.log(ld)
			after(r.cfg.Wait)
			require.Len(t, r.out.all(), 1)
			if ttft, ok := r.out.all()[0].Attributes().Get("ttft_ms"); ok || !failed {
				assert.InDelta(t, 360, ttft.Double(), 1e-6, "failed: %v", failed)
			}
			r.close()
		}
	})
}
