package e2elogs

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/victorialogs"
)

const export = 500 // records in one export

// Scenario: 100 000 records of one time in one stream.
// Guarantees: all are there, each once.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	const count = 100_000
	server := victorialogs.Start(t)
	c := start(t, server, plain)
	send := otlpclient.GRPCLogs(t, c.GRPC)
	begun := time.Now()
	for n := 0; n < count; n += export {
		require.NoError(t, send(t.Context(), numbered(n, export)))
	}
	requireEach(t, server, count)
	t.Logf("%d records, there after %v", count, time.Since(begun).Round(time.Millisecond))
	assert.InDelta(t, count, delivered(t, c), 0)
	assert.Zero(t, c.Stop(t), "exit code")
	requireEach(t, server, count)
}

// persistent keeps the queue in a folder.
func persistent(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf(`
extensions:
  file_storage:
    directory: %s
exporters:
  loki:
    sending_queue:
      storage: file_storage
    retry_on_failure:
      initial_interval: 200ms
      max_interval: 1s
service:
  extensions: [health_check, zpages, file_storage]
`, t.TempDir())
}

// Scenario: the server ends and comes back under load, on the same folder and address. It is
// ended with SIGTERM: after SIGKILL VictoriaLogs itself lacks what it took in the last five
// seconds. While it is away the collector ends too, or is killed, and another takes over its queue.
// Guarantees: nothing that the collectors acknowledged is lost or there twice.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	for _, also := range []string{"server", "server and collector", "server and killed collector"} {
		t.Run(also, func(t *testing.T) {
			t.Parallel()
			server := victorialogs.Start(t)
			queue := persistent(t)
			c := start(t, server, plain, queue)
			next := 0
			load := func(c *collector.Collector, exports int) {
				send := otlpclient.GRPCLogs(t, c.GRPC)
				for range exports {
					require.NoError(t, send(t.Context(), numbered(next, export)))
					next += export
					time.Sleep(20 * time.Millisecond)
				}
			}
			load(c, 40)
			server.Terminate(t)
			load(c, 40)
			require.Zero(t, server.Wait(t), "exit code of the server")
			load(c, 20)
			assert.Less(t, delivered(t, c), float64(next), "what the server has while it is away")
			if also != "server" {
				if strings.Contains(also, "killed") {
					c.Kill(t)
				} else {
					require.Zero(t, c.Stop(t), "exit code")
				}
				c = start(t, server, plain, queue)
				load(c, 20)
			}
			server.Resume(t)
			load(c, 40)
			requireEach(t, server, next)
			assert.Zero(t, c.Stop(t), "exit code")
			requireEach(t, server, next)
		})
	}
}

// Scenario: as above, but the server stays away for a minute.
// Guarantees: the same.
func TestServerAway(t *testing.T) {
	t.Parallel()
	if os.Getenv("E2E_FULL") == "" {
		t.Skip("takes more than a minute; set E2E_FULL=1")
	}
	const away = time.Minute
	server := victorialogs.Start(t)
	c := start(t, server, plain, persistent(t))
	send := otlpclient.GRPCLogs(t, c.GRPC)
	require.Zero(t, server.Stop(t), "exit code of the server")
	next := 0
	for begun := time.Now(); time.Since(begun) < away; time.Sleep(100 * time.Millisecond) {
		require.NoError(t, send(t.Context(), numbered(next, export)))
		next += export
	}
	assert.Zero(t, delivered(t, c))
	server.Resume(t)
	begun := time.Now()
	requireEach(t, server, next)
	t.Logf("%d records, there %v after the return", next, time.Since(begun).Round(time.Millisecond))
	assert.Zero(t, c.Stop(t), "exit code")
	requireEach(t, server, next)
}
