package lokiexporter

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// onDisk is a persistent queue, and tenants by an attribute.
func onDisk(id component.ID) func(*Config) {
	return func(cfg *Config) {
		cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig
		q := cfg.QueueConfig.Get()
		q.StorageID = &id
		q.Batch.Get().FlushTimeout = 10 * time.Millisecond
		cfg.RetryConfig.MaxElapsedTime = 0
		cfg.Tenant.Resource = "service.name"
	}
}

// Scenario: Loki is away, and the collector stops, or crashes and starts again.
// Guarantees: nothing is lost, nothing doubled, and each record goes to its tenant.
func TestPersistentQueue(t *testing.T) {
	id := component.MustNewID("file_storage")
	for _, crash := range []bool{false, true} {
		t.Run(fmt.Sprintf("crash=%v", crash), func(t *testing.T) {
			server := lokitest.New(t, lokitest.Options{Auth: true})
			server.Script(lokitest.Answer{Status: http.StatusServiceUnavailable, Times: 100_000})
			left := &disk{}
			exp := startAt(t, server.URL, extensions{id: left}, onDisk(id))
			for range 10 {
				for _, tenant := range []string{"red", "blue"} {
					require.NoError(t, exp.ConsumeLogs(t.Context(), records(10, tenant)))
				}
			}
			require.Eventually(t, func() bool { return server.Stats().Requests > 2 }, 5*time.Second, time.Millisecond)
			if crash {
				left = left.copied()
			}
			require.NoError(t, exp.Shutdown(t.Context()))

			server.Reset() // and with it the script
			exp = startAt(t, server.URL, extensions{id: left}, onDisk(id))
			require.Eventually(t, func() bool { return server.Stats().Kept >= 200 }, 5*time.Second, 5*time.Millisecond)
			require.NoError(t, exp.Shutdown(t.Context()))
			assert.Equal(t, 200, server.Stats().Entries, "none lost, none twice")
			for _, tenant := range []string{"red", "blue"} {
				kept := server.Records(lokitest.Query{Tenant: tenant})
				assert.Len(t, kept, 100, tenant)
				for i := range kept {
					assert.Equal(t, tenant, kept[i].Labels["service_name"])
				}
			}
		})
	}
}

// Many senders at once, with a queue and without: each record arrives once.
func TestConcurrent(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"queue": func(cfg *Config) { cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig },
		"none":  func(*Config) {},
	} {
		t.Run(name, func(t *testing.T) {
			server := lokitest.New(t, lokitest.Options{})
			server.Script(lokitest.Answer{Status: http.StatusServiceUnavailable, Times: 3})
			exp := startAt(t, server.URL, componenttest.NewNopHost(), change)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for k := range 20 {
						assert.NoError(t, exp.ConsumeLogs(t.Context(), records(5, fmt.Sprintf("s%d-%d", i, k%5))))
					}
				})
			}
			wg.Wait()
			// Shutdown would try what is refused just now only once more.
			require.Eventually(t, func() bool { return server.Stats().Kept == 8*20*5 }, 5*time.Second, 5*time.Millisecond)
			require.NoError(t, exp.Shutdown(t.Context()))
			assert.Equal(t, 8*20*5, server.Stats().Kept)
			assert.Zero(t, server.Stats().ChangedEntries)
		})
	}
}

// Others read the same records: what is read-only panics where it is changed.
func TestReadOnly(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{})
	exp := startAt(t, server.URL, componenttest.NewNopHost())
	assert.False(t, exp.Capabilities().MutatesData)
	ld := records(3, "chat")
	ld.MarkReadOnly()
	require.NoError(t, exp.ConsumeLogs(t.Context(), ld))
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, 3, server.Stats().Kept)
}

// Without an endpoint nothing is sent and nothing fails.
func TestDisabled(t *testing.T) {
	exp := startAt(t, "", componenttest.NewNopHost())
	assert.False(t, exp.Capabilities().MutatesData)
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(3, "chat")))
	require.NoError(t, exp.Shutdown(t.Context()))
}
