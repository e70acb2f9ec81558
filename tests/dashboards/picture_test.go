package dashboards

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
)

// page draws a dashboard as Grafana lays it out, from its file and the answers to its queries.
//
//go:embed page.html
var page string

// drawn is a panel with its answers.
type drawn struct {
	*panel
	Series []series
}

type series struct {
	Name, RefID string
	Labels      map[string]string
	Points      [][2]float64 // seconds, value
}

const (
	pixels      = 1300 // width of a picture
	pixelsALine = 34   // of a grid unit
)

// picture writes a picture of the dashboard.
func picture(t *testing.T, p *prometheus.Prometheus, b *board, dir string, howLong, rateInterval time.Duration) {
	t.Helper()
	var all []drawn
	height := 0
	for _, panel := range b.Panels {
		d := drawn{panel: panel}
		height = max(height, panel.GridPos.Y+panel.GridPos.H)
		for _, q := range panel.Targets {
			if q.Datasource.Type != "prometheus" {
				continue
			}
			for _, s := range p.Range(t, b.query(q.Expr, rateInterval, howLong), howLong, howLong/120) {
				one := series{Name: legend(q.LegendFormat, s.Labels), RefID: q.RefID, Labels: s.Labels}
				for _, v := range s.Values {
					at, err := strconv.ParseFloat(v.At, 64)
					require.NoError(t, err)
					one.Points = append(one.Points, [2]float64{at, v.Value})
				}
				d.Series = append(d.Series, one)
			}
		}
		all = append(all, d)
	}
	data, err := json.Marshal(map[string]any{"title": b.Title, "panels": all, "width": pixels, "line": pixelsALine})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Replace(page, "/*DATA*/", string(data), 1))
	}))
	defer server.Close()
	file, err := filepath.Abs(filepath.Join(dir, b.UID+".png"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	out, err := exec.CommandContext(t.Context(), process.Find(t, "CHROMIUM", "/usr/bin/chromium", "apt-get install chromium"),
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--window-size=%d,%d", pixels, height*pixelsALine+40), "--screenshot="+file, server.URL).CombinedOutput()
	require.NoError(t, err, "%s", out)
	shrink(t, file)
}

var inLegend = regexp.MustCompile(`{{\s*(\w+)\s*}}`)

func legend(format string, labels map[string]string) string {
	return strings.TrimSpace(inLegend.ReplaceAllStringFunc(format, func(label string) string {
		return labels[inLegend.FindStringSubmatch(label)[1]]
	}))
}
