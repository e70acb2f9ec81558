package dashboards

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panelJSON is what tests look at.
type panelJSON struct {
	ID          int
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct {
		RefID, Expr string
		Exemplar    bool
	}
	FieldConfig struct {
		Overrides []struct {
			Matcher    struct{ Options string }
			Properties []struct {
				ID    string
				Value any
			}
		}
	}
}

func eachPanel(t *testing.T, f func(d *Dashboard, p *panelJSON)) {
	t.Helper()
	for _, d := range All() {
		made, err := d.Build()
		require.NoError(t, err)
		text, err := json.Marshal(made)
		require.NoError(t, err)
		var read struct{ Panels []panelJSON }
		require.NoError(t, json.Unmarshal(text, &read))
		for _, p := range read.Panels {
			f(&d, &p)
		}
	}
}

// Guarantees: panels lie beside each other, in full rows, and each has a number of its own.
func TestLayout(t *testing.T) {
	taken := map[string]map[[2]int]string{}
	ids := map[string]map[int]bool{}
	eachPanel(t, func(d *Dashboard, p *panelJSON) {
		if taken[d.UID] == nil {
			taken[d.UID], ids[d.UID] = map[[2]int]string{}, map[int]bool{}
		}
		assert.False(t, ids[d.UID][p.ID], "%s %s", d.UID, p.Title)
		ids[d.UID][p.ID] = true
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, "%s %s", d.UID, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				assert.Empty(t, taken[d.UID][at], "%s: %s lies on %s", d.UID, p.Title, taken[d.UID][at])
				taken[d.UID][at] = p.Title
			}
		}
	})
	for uid, cells := range taken {
		rows := map[int]int{}
		for at := range cells {
			rows[at[1]]++
		}
		for y, n := range rows {
			assert.Equal(t, 24, n, "%s: line %d is not full", uid, y)
		}
	}
}

// Guarantees: a quantile has its colour in every panel, and buckets are asked for with exemplars.
func TestColoursAndExemplars(t *testing.T) {
	ofQuantile := regexp.MustCompile(`histogram_quantile\((0\.\d+)`)
	colours := map[string]string{"0.5": "green", "0.95": "yellow", "0.99": "red"}
	eachPanel(t, func(d *Dashboard, p *panelJSON) {
		if p.Type != "timeseries" || len(p.Targets) == 1 {
			return // one quantile by phase or service has the colours of these
		}
		for _, target := range p.Targets {
			m := ofQuantile.FindStringSubmatch(target.Expr)
			if m == nil {
				continue
			}
			assert.True(t, target.Exemplar, "%s: %s", d.UID, p.Title)
			found := ""
			for _, o := range p.FieldConfig.Overrides {
				if o.Matcher.Options == target.RefID && o.Properties[0].ID == "color" {
					found = o.Properties[0].Value.(map[string]any)["fixedColor"].(string)
				}
			}
			assert.Equal(t, colours[m[1]], found, "%s: %s: %s", d.UID, p.Title, target.Expr)
		}
	})
}

// Guarantees: measures of success are asked of requests that ended well, and an engine's of one role.
func TestOutcomesAndRoles(t *testing.T) {
	success := regexp.MustCompile(`inference_(request_duration|request_time_to_first_token|call_time\w+|phase_duration|subphase_duration)_seconds_bucket{`)
	eachPanel(t, func(d *Dashboard, p *panelJSON) {
		for _, target := range p.Targets {
			where := d.UID + ": " + p.Title
			if success.MatchString(target.Expr) {
				assert.Contains(t, target.Expr, `inference_outcome="ok"`, where)
			}
			if strings.Contains(target.Expr, "inference_server_") {
				assert.Contains(t, target.Expr, `inference_role="server"`, where)
			}
			for _, name := range []string{"inference_call_", "inference_phase_"} {
				if strings.Contains(target.Expr, name) {
					assert.Contains(t, target.Expr, `inference_role="server"`, where)
				}
			}
			assert.NotContains(t, target.Expr, "@", where)
		}
	})
}

// Guarantees: curves lead to the logs of the same model and time, with a query that Grafana can read.
func TestLinksToLogs(t *testing.T) {
	made := logsOfTheTime(logsOfModel)
	require.Len(t, made, 1)
	chosen := strings.NewReplacer("${loki}", "uid-1", "${service:pipe}", "chat", "${model:pipe}", "qwen2.5-7b%7Cllama", "${__from}", "1000", "${__to}", "2000")
	link, err := url.Parse(chosen.Replace(*made[0].Url))
	require.NoError(t, err)
	assert.Equal(t, "/explore", link.Path)
	assert.JSONEq(t, `{"logs": {"datasource": "uid-1", "range": {"from": "1000", "to": "2000"}, "queries": [{"refId": "A",
		"datasource": {"type": "loki", "uid": "uid-1"},
		"expr": "{service_name=~\".+\", service_name=~\"chat\", model_name=~\"qwen2.5-7b|llama\"}"}]}}`, link.Query().Get("panes"))
	for _, d := range All() {
		for _, v := range variable.FindAllString(d.Logs, -1) {
			name, _, _ := strings.Cut(strings.Trim(v, "${}"), ":")
			assert.True(t, slices.ContainsFunc(d.Variables, func(v Variable) bool { return v.Name == name }), "%s: %s", d.UID, v)
		}
	}
}
