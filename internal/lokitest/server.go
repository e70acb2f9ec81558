package lokitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// PushPath is where pushes go.
const PushPath = "/loki/api/v1/push"

// Options are what a server is from the beginning on. The zero value is a Loki 3.7 without
// authentication and with the limits of its version.
type Options struct {
	Version Version
	// Limits, if not nil, changes the limits of all tenants.
	Limits func(*Limits)
	// Auth is auth_enabled: each request has to name its tenant.
	Auth bool
	// Now is the clock; time.Now if nil.
	Now func() time.Time
	// ForgetRequests does without Requests, for loads whose requests are too much to keep.
	ForgetRequests bool
}

// Server is a Loki. Its methods may be called at once, and while it serves.
type Server struct {
	// URL is the address without a path: http://127.0.0.1:port.
	URL string

	version Version
	auth    bool
	now     func() time.Time
	forget  bool
	http    *httptest.Server

	mu       sync.Mutex
	limits   Limits
	own      map[string]Limits
	tenants  map[string]*tenant
	script   []Answer
	requests []Request
	stats    Stats
	arrivals arrivals
}

// New starts a server that ends with the test.
func New(tb testing.TB, opts Options) *Server {
	tb.Helper()
	if opts.Version == (Version{}) {
		opts.Version = Loki(3, 7)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Server{version: opts.Version, auth: opts.Auth, now: opts.Now, forget: opts.ForgetRequests, limits: DefaultLimits(opts.Version)}
	if opts.Limits != nil {
		opts.Limits(&s.limits)
	}
	s.Reset()
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+PushPath, s.servePush)
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready\n") })
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	tb.Cleanup(s.Close)
	return s
}

// Close ends the server before the test does, and waits for requests under way.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Reset forgets all that was kept, counted and scripted, and the limits of single tenants.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tenants, s.own = map[string]*tenant{}, map[string]Limits{}
	s.script, s.requests = nil, nil
	s.stats = Stats{ByStatus: map[int]int{}}
	s.arrivals = newArrivals()
}

// SetLimits changes the limits of a tenant, or of all that have none of their own if it is empty,
// while the server runs. Buckets that are in use keep what they have.
func (s *Server) SetLimits(tenant string, change func(*Limits)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.limitsOf(tenant)
	change(&l)
	if tenant == "" {
		s.limits = l
	} else {
		s.own[tenant] = l
	}
}

func (s *Server) limitsOf(tenant string) Limits {
	if l, ok := s.own[tenant]; ok {
		return l
	}
	return s.limits
}

func (s *Server) servePush(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	number := s.arrived(r.Header, body)
	scripted, ok := s.next()
	var refused *refusal
	pushed := ok && scripted.Store
	if pushed {
		refused = s.push(r.Header, body)
	}
	if ok && !scripted.wait(r) {
		return
	}
	if ok && scripted.replaces() {
		s.answered(number, scripted.Status)
		scripted.write(w)
		return
	}
	if !pushed {
		refused = s.push(r.Header, body)
	}
	if refused == nil {
		s.answered(number, http.StatusNoContent)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.answered(number, refused.status)
	http.Error(w, refused.text, refused.status)
}

// push takes a request.
func (s *Server) push(header http.Header, body []byte) *refusal {
	id, refused := tenantOf(header, s.auth)
	if refused != nil {
		return refused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.limitsOf(id)
	streams, _, refused := decode(header, body, &l, s.version)
	if refused != nil {
		return refused
	}
	read, refused := parse(streams, &l)
	if refused != nil {
		return refused
	}
	valid, later, refused := s.distribute(id, &l, read)
	if refused != nil {
		return refused
	}
	if len(valid) == 0 {
		return later
	}
	if refused := s.ingest(id, &l, valid); refused != nil {
		return refused
	}
	return later
}
