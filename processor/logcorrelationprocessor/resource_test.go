package logcorrelationprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Scenario: a record of a resource without any attribute, as file_log makes them.
// Guarantees: it leaves.
func TestResourceWithoutService(t *testing.T) {
	r := newRig(t)
	ld := plog.NewLogs()
	rec := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	rec.Body().SetStr("Added request chatcmpl-1.")
	r.log(ld)
	require.Len(t, r.out.all(), 1)
	r.close()
}
