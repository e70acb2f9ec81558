package dashboards

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

// Scenario: a Grafana that takes what it is sent, and one that does not.
// Guarantees: the one command brings all dashboards, to be replaced and with the token; or says
// which one was not taken, with an exit code.
func TestInstall(t *testing.T) {
	titles := map[string]bool{}
	grafana := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent struct {
			Overwrite bool
			FolderUID string
			Dashboard board
		}
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, `{"message":"Unauthorized"}`, http.StatusUnauthorized)
			return
		}
		assert.Equal(t, "/api/dashboards/db", r.URL.Path)
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
		assert.True(t, sent.Overwrite)
		assert.Equal(t, "inference", sent.FolderUID)
		titles[sent.Dashboard.UID] = true
		_, _ = w.Write([]byte(`{"status":"success"}`))
	}))
	defer grafana.Close()
	install := func(token string) ([]byte, error) { return installInto(t, grafana.URL+"/", token) }
	out, err := install("secret")
	require.NoError(t, err, "%s", out)
	for _, b := range boards(t) {
		assert.True(t, titles[b.UID], b.UID)
	}
	// What stands before a Grafana may answer with a page for logins.
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>log in</html>")) }))
	defer page.Close()
	out, err = installInto(t, page.URL, "secret")
	require.Error(t, err)
	assert.Contains(t, string(out), "log in")
	out, err = installInto(t, "127.0.0.1:3000", "secret")
	require.Error(t, err)
	assert.Contains(t, string(out), "give one such as http://127.0.0.1:3000")
	out, err = installInto(t, page.URL, "")
	require.Error(t, err)
	assert.Contains(t, string(out), "set GRAFANA_TOKEN")
	out, err = install("wrong")
	require.Error(t, err)
	assert.Contains(t, string(out), "was not taken")
	assert.Contains(t, string(out), "401")
}

func installInto(t *testing.T, url, token string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), process.Find(t, "INFERCTL", "../../bin/inferctl", "make build"),
		"install", "--dashboards", "--grafana", url, "--folder", "inference")
	cmd.Env = append(os.Environ(), "GRAFANA_TOKEN="+token)
	return cmd.CombinedOutput()
}
