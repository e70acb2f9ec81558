package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Grafana is one that somebody already runs.
type Grafana struct {
	URL string
	// Token is of a service account with the role Editor; else User, as name:password, is taken.
	Token, User string
	// Folder is the UID of a folder; empty is Grafana's own first one.
	Folder string
}

// timeout is that of one dashboard.
const timeout = 30 * time.Second

// Dashboard puts a dashboard, as JSON, into Grafana, in place of one with its UID.
func (g *Grafana) Dashboard(ctx context.Context, dashboard json.RawMessage) error {
	if u, err := url.Parse(g.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the address is %q, give one such as http://127.0.0.1:3000", g.URL)
	}
	name, password, isUser := strings.Cut(g.User, ":")
	if g.Token == "" && !isUser {
		return errors.New("no credentials: set GRAFANA_TOKEN, or GRAFANA_USER to name:password")
	}
	body, err := json.Marshal(struct {
		Overwrite bool            `json:"overwrite"`
		Folder    string          `json:"folderUid,omitempty"`
		Dashboard json.RawMessage `json:"dashboard"`
	}{true, g.Folder, dashboard})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(g.URL, "/")+"/api/dashboards/db", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if g.Token != "" {
		req.Header.Set("Authorization", "Bearer "+g.Token)
	} else {
		req.SetBasicAuth(name, password)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // of one that breaks off the status still tells
	var answer struct {
		Status string `json:"status"`
	}
	// A page for logins answers 200 as well.
	if res.StatusCode != http.StatusOK || json.Unmarshal(said, &answer) != nil || answer.Status != "success" {
		return fmt.Errorf("%s: %s", res.Status, bytes.TrimSpace(said))
	}
	return nil
}
