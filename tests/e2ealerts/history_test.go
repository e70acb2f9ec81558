package e2ealerts

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// page is what a page told at a time: a value for each series, as it is written there.
type page map[string]float64

// The steps of the hour, and how much faster than the clock it is played.
const (
	step  = time.Minute
	steps = 60
	speed = 60
)

// healthyHour plays an hour of healthy traffic in a minute and returns the collector's page at each step.
func healthyHour(t *testing.T) (pages []page) {
	t.Helper()
	c := collector.Start(t, `
connectors:
  span_phase:
    flush_interval: 200ms
    first_point_hold: 400ms
    assembly:
      linger: 200ms
`)
	service := simulate.Start(t, c.GRPC, "--models", "qwen2.5-7b@v1=1", "--rate", "3", "--speed", strconv.Itoa(speed),
		// Within the objectives that are shipped.
		"--error-rate", "0.002")
	ticker := time.NewTicker(step / speed)
	defer ticker.Stop()
	for len(pages) <= steps {
		<-ticker.C
		// What it starts with: before that is another hour.
		if p := scrape(t, c.Page); len(p) > 0 {
			pages = append(pages, p)
		}
	}
	service.Kill(t)
	return pages
}

// wanted are the series that rules look at: buckets of failed requests are many, and none of them.
var wanted = regexp.MustCompile(`^inference_(batch_size|call_time_per|request_(duration|finished|time_to)|phase_duration|token_usage|call_duration_seconds_count)\w*\{`)

func scrape(t *testing.T, addr string) page {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	p := page{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		series, value, ok := strings.Cut(lines.Text(), "} ")
		if !ok || !wanted.MatchString(series) || strings.Contains(series, "le=") && !strings.Contains(series, `outcome="ok"`) {
			continue
		}
		p[series+"}"], err = strconv.ParseFloat(value, 64)
		require.NoError(t, err, lines.Text())
	}
	require.NoError(t, lines.Err())
	return p
}

// writeDays writes the hour for each of the days before end, 0 being the one that ends then, as
// OpenMetrics. Counters go on from day to day.
func writeDays(w io.Writer, pages []page, end time.Time, days []int, change func(day int, series string, value float64) float64) {
	last := pages[len(pages)-1]
	for series := range last {
		sum := 0.0
		for _, day := range days {
			start := end.Add(-time.Duration(day)*24*time.Hour - time.Duration(len(pages)-1)*step)
			for i, p := range pages {
				if value, ok := p[series]; ok {
					fmt.Fprintf(w, "%s %v %d\n", series, sum+change(day, series, value), start.Add(time.Duration(i)*step).Unix())
				}
			}
			sum += change(day, series, last[series])
		}
	}
	fmt.Fprintln(w, "# EOF")
}

// Scenario: the same healthy hour on seven days, of which one is missing and in one nearly all requests took
// more than 20 s; then the hour once more, which is healthy.
// Guarantees: in it no alert fires, neither of those with windows within it nor those that compare
// with the week; and the baselines are those of the healthy days.
func TestHealthyHour(t *testing.T) {
	if os.Getenv("E2E_FULL") == "" {
		t.Skip("judging an hour takes more than a minute; set E2E_FULL=1")
	}
	const bad = 3
	days := []int{7, 6, 4, bad, 2, 1, 0} // 5 is missing
	pages := healthyHour(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	end := time.Now().Add(-2 * step).Truncate(step)

	history := filepath.Join(dir, "history.txt")
	f, err := os.Create(history)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	slow := regexp.MustCompile(`_bucket\{.*le="(0.*|1|1.5|2|3|5|7.5|10|15|20)"`)
	writeDays(w, pages, end, days, func(day int, series string, value float64) float64 {
		if day == bad && slow.MatchString(series) {
			return 0
		}
		return value
	})
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	prometheus.Promtool(t, nil, "tsdb", "create-blocks-from", "openmetrics", history, data)

	// Rules that look at rules: one round for each step from page to baseline, of the day that is judged.
	p := prometheus.StartWith(t, data, "")
	for _, day := range days[:len(days)-1] {
		backfill(t, p, data, end.Add(-time.Duration(day)*24*time.Hour))
	}
	for range 4 {
		backfill(t, p, data, end)
		p.Stop(t)
		p = prometheus.StartWith(t, data, "")
	}
	at := strconv.FormatInt(end.Unix(), 10)

	for metric, n := range map[string]float64{
		`model:inference_latency_seconds:p95_same_hour{slo="request"}`: 6, `model:inference_request_errors:ratio_same_hour`: 6,
	} {
		assert.InDelta(t, n, first(t, p, "count("+metric+")", at), 0, metric)
	}
	healthy := first(t, p, `avg_over_time(model:inference_latency_seconds:p95_rate5m{slo="request"}[50m])`, at)
	assert.InEpsilon(t, healthy, first(t, p, `model:inference_latency_seconds:p95_baseline7d{slo="request"}`, at), 0.2)
	assert.Greater(t, first(t, p, `max(model:inference_latency_seconds:p95_same_hour{slo="request"})`, at), 2*healthy, "the bad day")
	assert.Less(t, first(t, p, "model:inference_request_errors:ratio_baseline7d", at), 0.05)

	for _, file := range []string{"inference-alerts.rules.yml", "inference-slo.rules.yml"} {
		var rules ruleFile
		readYAML(t, filepath.Join(rulesDir, file), &rules)
		for _, g := range rules.Groups {
			for _, r := range g.Rules {
				if r.Alert != "" {
					requireSilent(t, p, r.Alert, r.Expr, r.For, at)
				}
			}
		}
	}
}

// backfill records what the rules say of the hour before end.
func backfill(t *testing.T, p *prometheus.Prometheus, data string, end time.Time) {
	t.Helper()
	prometheus.Promtool(t, nil, append([]string{
		"tsdb", "create-blocks-from", "rules", "--url", p.URL(), "--output-dir", data, "--eval-interval", "1m",
		"--start", strconv.FormatInt(end.Add(-steps*step).Unix(), 10), "--end", strconv.FormatInt(end.Unix(), 10),
	}, recordFiles...)...)
}

var recordFiles = []string{
	rulesDir + "/inference-thresholds.rules.yml", rulesDir + "/inference-records.rules.yml", rulesDir + "/inference-slo.rules.yml",
}

func first(t *testing.T, p *prometheus.Prometheus, query, at string) float64 {
	t.Helper()
	list := p.Query(t, query, at)
	require.Len(t, list, 1, query)
	return list[0].Value.Value
}

// requireSilent requires that an alert's condition never holds as long as it must in the hour before.
func requireSilent(t *testing.T, p *prometheus.Prometheus, name, expr, hold, at string) {
	t.Helper()
	needed := model.Duration(0)
	if hold != "" {
		var err error
		needed, err = model.ParseDuration(hold)
		require.NoError(t, err)
	}
	window := max(time.Duration(needed), step)
	// The least, over the time for which it must hold, of how often it held: more than all but the ends.
	query := fmt.Sprintf("max_over_time((count_over_time((%s)[%s:1m]) >= %v)[1h:1m])", expr, model.Duration(window), window.Minutes())
	for _, s := range p.Query(t, query, at) {
		assert.Fail(t, name+" fires in a healthy hour", "%v", s.Labels)
	}
}
