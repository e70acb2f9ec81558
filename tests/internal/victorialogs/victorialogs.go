// Package victorialogs starts a real VictoriaLogs, which speaks Loki's push API, and asks it.
package victorialogs

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

const (
	startTimeout = 30 * time.Second
	getIt        = "make e2e-logs, which gets it by itself"
)

// Server is a VictoriaLogs on an address and a folder of its own, which it keeps while it is
// stopped.
type Server struct {
	*process.Process
	Addr string
	data string
}

// Start starts a server that runs until the test ends, and waits until it is ready.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{Addr: loopback.Addr(t), data: filepath.Join(t.TempDir(), "data")}
	s.Resume(t)
	return s
}

// Endpoint is the endpoint of a loki exporter that sends here.
func (s *Server) Endpoint() string { return "http://" + s.Addr + "/insert/loki/api/v1/push" }

// Resume starts the server on the same address and folder again.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	s.Process = process.Start(t, process.Find(t, "VICTORIA_LOGS", "../../.cache/bin/victoria-logs", getIt),
		"-httpListenAddr", s.Addr, "-storageDataPath", s.data, "-retentionPeriod", "30d", "-loggerLevel", "WARN")
	require.Eventually(t, func() bool { return s.Ended() || s.ready() }, startTimeout, 50*time.Millisecond)
	require.False(t, s.Ended(), "VictoriaLogs ended while it started")
}

func (s *Server) ready() bool {
	resp, err := http.Get("http://" + s.Addr + "/health")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
