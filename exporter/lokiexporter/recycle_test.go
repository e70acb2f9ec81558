package lokiexporter

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// Scenario: several senders and three tenants, over HTTP/1 and HTTP/2. The server answers before it
// reads, reads after it has answered, redirects, hangs, breaks off and finds pushes too large; an
// auth extension reads bodies before a push, and other readers of them long after it.
// Guarantees: whatever is read is whole and of one tenant only, and every entry arrives.
func TestMemoryOfOthers(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			s := &rude{t: t, rng: rand.New(rand.NewPCG(1, 2)), seen: map[string]bool{}}
			server := httptest.NewUnstartedServer(s)
			server.EnableHTTP2 = http2
			server.StartTLS()
			defer server.Close()
			id := component.MustNewID("auth")
			exp := startAt(t, server.URL, extensions{id: &bearer{ClientRoundTripperFunc: s.sign}}, func(cfg *Config) {
				cfg.TLS.CAPem = configopaque.String(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
				cfg.Auth = configoptional.Some(configauth.Config{AuthenticatorID: id})
				cfg.Timeout = 100 * time.Millisecond // of pushes that hang
				cfg.Timestamps.MaxBehind = 0
				cfg.Tenant.Attribute = "tenant"
				cfg.RetryConfig.InitialInterval, cfg.RetryConfig.MaxInterval, cfg.RetryConfig.MaxElapsedTime = time.Millisecond, time.Millisecond, 0
				cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig
				q := cfg.QueueConfig.Get()
				q.NumConsumers = 4
				b := q.Batch.Get()
				b.FlushTimeout, b.MinSize, b.MaxSize = time.Millisecond, 8<<10, 32<<10
			})
			var senders sync.WaitGroup
			const batches, size = 25, 60
			tenants := []string{"red", "blue", "green"}
			for _, sender := range []string{"a", "b", "c", "d"} {
				senders.Go(func() {
					for i := range batches {
						ld := records(size, "chat")
						for k, rec := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
							tenant := tenants[i*k%7%3]
							id := fmt.Sprintf("%s/%s/%d/%d", tenant, sender, i, k)
							rec.Body().SetStr(lineOf(id))
							rec.Attributes().PutStr("request_id", id)
							rec.Attributes().PutStr("tenant", tenant)
						}
						assert.NoError(t, exp.ConsumeLogs(t.Context(), ld))
					}
				})
			}
			senders.Wait()
			assert.Eventually(t, func() bool { return s.taken() == 4*batches*size }, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, exp.Shutdown(t.Context()))
		})
	}
}

// lineOf is the line of an id, whose length is of that id, too.
func lineOf(id string) string {
	n := 0
	for _, c := range []byte(id) {
		n = n*31 + int(c)
	}
	return id + " " + strings.Repeat(id[:1], n&0x3ff)
}

// rude is a server that takes about half of its pushes, and an auth extension.
type rude struct {
	t    *testing.T
	mu   sync.Mutex
	rng  *rand.Rand
	seen map[string]bool
	late []func()
}

func (s *rude) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func (s *rude) any(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(n)
}

// read reads the push of a tenant, and returns the ids in it, none where it breaks off.
func (s *rude) read(tenant string, r io.Reader) (ids []string, size int) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, 0
	}
	plain, broken := snappy.Decode(nil, body)
	streams, wrong := push.ReadRequest(string(plain))
	if err := errors.Join(broken, wrong); err != nil {
		s.t.Error(tenant, err)
	}
	for i := range streams {
		for k := range streams[i].Entries {
			line, metadata, _ := streams[i].Entries[k].Read()
			id, _, _ := strings.Cut(line, " ")
			if assert.True(s.t, strings.HasPrefix(id, tenant+"/"), "%s has %q", tenant, line) {
				assert.Equal(s.t, lineOf(id), line)
				assert.Contains(s.t, metadata, push.Pair{Name: "request_id", Value: id})
			}
			ids = append(ids, id)
		}
	}
	return ids, len(plain)
}

// sign reads the body of a push, and one of a push that has ended.
func (s *rude) sign(base http.RoundTripper) (http.RoundTripper, error) {
	return tripper(func(r *http.Request) (*http.Response, error) {
		tenant := r.Header.Get(tenantHeader)
		reader := func() func() {
			body, err := r.GetBody()
			assert.NoError(s.t, err)
			return func() {
				s.read(tenant, body)
				assert.NoError(s.t, body.Close())
			}
		}
		now, late := reader(), reader()
		now()
		s.mu.Lock()
		s.late = append(s.late, late)
		var then func()
		if len(s.late) > 16 {
			then, s.late = s.late[0], s.late[1:]
		}
		s.mu.Unlock()
		if then != nil {
			then()
		}
		return base.RoundTrip(r)
	}), nil
}

func (s *rude) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tenant := r.Header.Get(tenantHeader)
	take := func(most int) bool {
		ids, size := s.read(tenant, r.Body)
		if ids == nil || size > most {
			return false
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, id := range ids {
			s.seen[id] = true
		}
		return true
	}
	switch s.any(14) {
	case 0:
		w.WriteHeader(http.StatusServiceUnavailable) // before it has read
	case 1:
		if r.ProtoMajor == 1 {
			assert.NoError(s.t, http.NewResponseController(w).EnableFullDuplex())
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		assert.NoError(s.t, http.NewResponseController(w).Flush())
		s.read(tenant, r.Body)
	case 2:
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	case 3:
		s.read(tenant, r.Body)
		http.Redirect(w, r, "/other", http.StatusPermanentRedirect)
	case 4:
		s.read(tenant, r.Body)
		w.WriteHeader(http.StatusTooManyRequests)
	case 5:
		if s.any(4) == 0 {
			s.read(tenant, r.Body) // else it would not see that the client has gone
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	case 6:
		take(1 << 20)
		panic(http.ErrAbortHandler)
	case 7:
		if !take(8 << 10) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		}
	default:
		if !take(1 << 20) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
}
