package lokiexporter

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// Scenario: several senders, two tenants, batches merged, cut and pushed at once, answers that
// have some tried again.
// Guarantees: the memory of what was delivered is used again, and every entry arrives as it was.
func TestMemoryUsedAgain(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{Auth: true})
	exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) {
		cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig
		q := cfg.QueueConfig.Get()
		q.NumConsumers = 4
		b := q.Batch.Get()
		b.FlushTimeout, b.MinSize, b.MaxSize = time.Millisecond, 4<<10, 16<<10
		cfg.RetryConfig.InitialInterval, cfg.RetryConfig.MaxInterval, cfg.RetryConfig.MaxElapsedTime = time.Millisecond, time.Millisecond, 0
		cfg.Tenant.Resource = "service.name"
		cfg.Timestamps.MaxBehind = 0
	})
	const senders, batches = 4, 60
	var sent sync.WaitGroup
	total := 0
	for s := range senders {
		rng := rand.New(rand.NewPCG(uint64(s), 1))
		sizes := make([]int, batches)
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(300)
			total += sizes[i]
		}
		sent.Go(func() {
			for i, size := range sizes {
				tenant := []string{"red", "blue"}[i%2]
				ld := records(size, tenant)
				for k, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
					id := fmt.Sprintf("%s/%d/%d/%d", tenant, s, i, k)
					rec.Body().SetStr(id + strings.Repeat(".", rng.IntN(200)))
					rec.Attributes().PutStr("request_id", id)
				}
				if status := []int{0, http.StatusServiceUnavailable, http.StatusTooManyRequests}[rng.IntN(3)]; status != 0 {
					server.Script(lokitest.Answer{Status: status, Times: 1})
				}
				assert.NoError(t, exp.ConsumeLogs(t.Context(), ld))
			}
		})
	}
	sent.Wait()
	assert.Eventually(t, func() bool { return server.Stats().Kept >= total }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, exp.Shutdown(t.Context()))
	seen := map[string]bool{}
	for _, tenant := range []string{"red", "blue"} {
		for _, r := range server.Records(lokitest.Query{Tenant: tenant}) {
			id := strings.TrimRight(r.Line, ".")
			require.True(t, strings.HasPrefix(id, tenant+"/"), "%s has %q", tenant, r.Line)
			request, _ := r.Get("request_id")
			require.Equal(t, id, request)
			require.False(t, seen[id], "%q twice", id)
			seen[id] = true
		}
	}
	assert.Equal(t, total, len(seen)) //nolint:testifylint // of a failure the number is enough
}

// The memory of a body is not used again before all of its readers are closed, however late a
// transport does so; nobody reads in it the push that has it now, by a reader that is closed or a
// new one.
func TestBodies(t *testing.T) {
	var b bodies
	first := b.take(8)
	first.data = append(first.data[:0], "one"...)
	memory := &first.data[0]
	again := func() bool {
		next := b.take(8)
		return &next.data[0] == memory
	}
	r, _ := first.reader()
	other, _ := first.reader()
	first.release()
	assert.False(t, again(), "two readers are left")
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	require.NoError(t, r.Close())
	require.NoError(t, r.Close(), "again is no other reader")
	assert.False(t, again(), "one reader is left")
	require.NoError(t, other.Close())
	assert.Zero(t, first.users)
	_, err = other.Read(make([]byte, 8))
	require.ErrorIs(t, err, errClosed)
	b.take(8)
	_, err = first.reader()
	require.ErrorIs(t, err, errClosed, "GetBody of a push that has ended")
}
