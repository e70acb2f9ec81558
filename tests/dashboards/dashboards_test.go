package dashboards

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const none = "there was none of late"

// Panels, or of some the queries by legend, that show nothing of this site, and why.
var silent = map[string]string{
	"CPU throttling":                               "needs the kubelet, in Kubernetes",
	"Traces kept by the sampler":                   "needs gateway.yaml, which samples",
	"Agents to gateways":                           "needs agent.yaml, which routes",
	"Sent: spans {{exporter}}":                     "needs an exporter of traces, which standalone.yaml has not",
	"Requests: a day ago":                          "needs a day of history",
	"Engines read: {{engine}} skipped: {{reason}}": none,
	"GPU driver: failed {{call}} {{return}}":       none,
	"GPU driver: unread":                           none,
	"Not as it should be":                          none,
	"Memory errors":                                none,
	"Rows to be replaced":                          none,
	"Link errors":                                  none,
	"Xid by code":                                  none,
}

// Numbers that are known of this site.
var known = map[string]float64{"GPUs": 3, "Not well": 0, "Idle, with memory held": 1, "Xid errors": 1, "Up": 1}

// Scenario: a site with traffic, a fault, GPUs, engines and logs, scraped by a real Prometheus.
// Guarantees: it takes every query of the shipped dashboards, and each has an answer, but for those
// that ask for what this site does not have; what is known of the site has the right number, and
// quantiles of requests have exemplars. With DASHBOARD_PICTURES=FOLDER the answers of five minutes
// are drawn as well (make dashboards-pictures).
func TestDashboards(t *testing.T) {
	pictures, howLong, rateInterval := os.Getenv("DASHBOARD_PICTURES"), 40*time.Second, 20*time.Second
	if pictures != "" {
		howLong, rateInterval = 5*time.Minute, 30*time.Second
	}
	p := play(t, howLong)
	for _, b := range boards(t) {
		for _, panel := range b.Panels {
			for _, q := range panel.Targets {
				if q.Datasource.Type != "prometheus" {
					continue
				}
				answer := p.Query(t, b.query(q.Expr, rateInterval, howLong), "")
				if want, ok := known[panel.Title]; ok && assert.Len(t, answer, 1, panel.Title) {
					assert.InDelta(t, want, answer[0].Value.Value, 1e-9, "%s: %s", b.UID, panel.Title)
				}
				why := silent[panel.Title] + silent[panel.Title+": "+q.LegendFormat]
				if q.Exemplar && strings.Contains(q.Expr, "inference_") && len(answer) > 0 {
					exemplars := p.Exemplars(t, b.query(q.Expr, rateInterval, howLong))
					if assert.NotEmpty(t, exemplars, "%s: %s: nothing leads to a trace", b.UID, panel.Title) {
						assert.Contains(t, exemplars[0].Labels, "trace_id")
					}
				}
				assert.Equal(t, why == "", len(answer) > 0, "%s: %s: %s: %s (%s)", b.UID, panel.Title, q.LegendFormat, q.Expr, why)
			}
		}
		if pictures != "" {
			picture(t, p, &b, pictures, howLong, rateInterval)
		}
	}
}
