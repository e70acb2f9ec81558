// Package alertmanager starts a real Alertmanager, and what it sends its messages to.
package alertmanager

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/loopback"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

const startTimeout = 30 * time.Second

// Alertmanager is a server that runs until the test ends.
type Alertmanager struct {
	*process.Process
	Addr string
}

// Start starts an Alertmanager and waits until it is ready.
func Start(t testing.TB, config string) *Alertmanager {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "alertmanager.yml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	a := &Alertmanager{Addr: loopback.Addr(t)}
	a.Process = process.Start(t, process.Find(t, "ALERTMANAGER", "../../.cache/bin/alertmanager", "scripts/backend.sh alertmanager"),
		"--config.file", file, "--storage.path", filepath.Join(dir, "data"), "--web.listen-address", a.Addr,
		"--cluster.listen-address=", "--log.level", "warn")
	require.Eventually(t, func() bool { return a.Ended() || a.ready() }, startTimeout, 50*time.Millisecond)
	require.False(t, a.Ended(), "Alertmanager ended while it started")
	return a
}

// Post hands in alerts, as a Prometheus does: each with its labels and annotations, since start.
func (a *Alertmanager) Post(t testing.TB, start, end time.Time, alerts ...Alert) {
	t.Helper()
	type posted struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
		StartsAt    time.Time         `json:"startsAt"`
		EndsAt      time.Time         `json:"endsAt"`
	}
	list := make([]posted, len(alerts))
	for i, alert := range alerts {
		list[i] = posted{alert.Labels, alert.Annotations, start, end}
	}
	body, err := json.Marshal(list)
	require.NoError(t, err)
	resp, err := http.Post("http://"+a.Addr+"/api/v2/alerts", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

// Inhibited returns the names of the alerts that others mute.
func (a *Alertmanager) Inhibited(t testing.TB) (names []string) {
	t.Helper()
	resp, err := http.Get("http://" + a.Addr + "/api/v2/alerts?active=false&inhibited=true&silenced=false&unprocessed=false")
	require.NoError(t, err)
	defer resp.Body.Close()
	var list []struct{ Labels map[string]string }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&list))
	for _, alert := range list {
		names = append(names, alert.Labels["alertname"])
	}
	return names
}

func (a *Alertmanager) ready() bool {
	resp, err := http.Get("http://" + a.Addr + "/-/ready")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
