package e2elogs

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

const (
	patience = time.Minute
	glance   = 250 * time.Millisecond
)

// onlyLoki sends to nothing but the server, and each batch soon.
const onlyLoki = `
exporters:
  loki:
    sending_queue:
      batch:
        flush_timeout: 200ms
service:
  pipelines:
    logs:
      exporters: [loki]
`

func start(t *testing.T, server *victorialogs.Server, overlays ...string) *collector.Collector {
	t.Helper()
	return collector.StartIn(t, []string{"LOKI_ENDPOINT=" + server.Endpoint()}, append([]string{onlyLoki}, overlays...)...)
}

// numbered are records that differ in their number alone, from first on.
func numbered(first, count int) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "numbers")
	list := rl.ScopeLogs().AppendEmpty().LogRecords()
	at := pcommon.NewTimestampFromTime(time.Now())
	for n := first; n < first+count; n++ {
		rec := list.AppendEmpty()
		rec.SetTimestamp(at)
		rec.SetSeverityNumber(plog.SeverityNumberInfo)
		rec.Body().SetStr(fmt.Sprintf("request %d finished", n))
		rec.Attributes().PutInt("n", int64(n))
	}
	return ld
}

// requireEach waits until the server has count records, and requires that they are those from 0
// to count, each once.
func requireEach(t *testing.T, server *victorialogs.Server, count int) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		rows, err := server.TryQuery(t.Context(), victorialogs.Default, "* | stats count() n")
		if assert.NoError(c, err) && assert.Len(c, rows, 1) {
			assert.Equal(c, strconv.Itoa(count), rows[0]["n"])
		}
	}, 2*patience, glance)
	seen := map[string]int{}
	for _, row := range server.Query(t, victorialogs.Default, "* | fields n, _msg") {
		seen[row["n"]]++
		require.Equal(t, "request "+row["n"]+" finished", row["_msg"])
	}
	require.Len(t, seen, count)
	for n := range count {
		require.Equal(t, 1, seen[strconv.Itoa(n)], "record %d", n)
	}
}

// delivered is how many entries the exporter says that the server took.
func delivered(t *testing.T, c *collector.Collector) float64 {
	t.Helper()
	return page.Get(t, c.Own).Value("otelcol_exporter_loki_entries", page.Labels{"outcome": "delivered"})
}
