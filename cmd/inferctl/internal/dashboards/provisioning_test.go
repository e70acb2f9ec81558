package dashboards

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const provisioning = "../../../../distribution/grafana/provisioning/"

type datasource struct {
	UID, Type, URL string
	JSONData       struct {
		Exemplars []struct {
			Name          string
			DatasourceUID string `yaml:"datasourceUid"`
		} `yaml:"exemplarTraceIdDestinations"`
		Derived []struct {
			MatcherType   string `yaml:"matcherType"`
			MatcherRegex  string `yaml:"matcherRegex"`
			URL           string
			DatasourceUID string `yaml:"datasourceUid"`
		} `yaml:"derivedFields"`
		Logs struct {
			DatasourceUID string `yaml:"datasourceUid"`
			Query         string
		} `yaml:"tracesToLogsV2"`
		Metrics struct {
			DatasourceUID string `yaml:"datasourceUid"`
			Queries       []struct{ Name, Query string }
		} `yaml:"tracesToMetrics"`
	} `yaml:"jsonData"`
}

// Guarantees: metrics and logs lead to both stores of traces, both of these to logs and metrics;
// each link to a data source that is there, with a query that is right.
func TestProvisioning(t *testing.T) {
	data, err := os.ReadFile(provisioning + "datasources/inference.yaml")
	require.NoError(t, err)
	var file struct{ Datasources []datasource }
	require.NoError(t, yaml.Unmarshal(data, &file))
	types, links := map[string]string{}, map[string][]string{}
	for _, d := range file.Datasources {
		types[d.UID] = d.Type
		assert.Regexp(t, `^\$\{[A-Z]+_URL\}$`, d.URL, "from the environment")
	}
	for _, d := range file.Datasources {
		link := func(to string) { links[d.Type] = append(links[d.Type], types[to]) }
		for _, e := range d.JSONData.Exemplars {
			assert.Equal(t, "trace_id", e.Name)
			link(e.DatasourceUID)
		}
		for _, f := range d.JSONData.Derived {
			assert.Equal(t, []string{"label", "trace_id", "$${__value.raw}"}, []string{f.MatcherType, f.MatcherRegex, f.URL})
			link(f.DatasourceUID)
		}
		if m := d.JSONData.Metrics; m.DatasourceUID != "" {
			assert.Contains(t, d.JSONData.Logs.Query, `trace_id="$${__trace.traceId}"`)
			link(d.JSONData.Logs.DatasourceUID)
			link(m.DatasourceUID)
			require.NotEmpty(t, m.Queries)
			for _, q := range m.Queries {
				asked := strings.NewReplacer("$$__tags", `service_name="x"`, "$$", "$").Replace(q.Query)
				assert.Empty(t, (&Dashboard{}).check(d.UID+": "+q.Name, asked, ""))
			}
		}
	}
	assert.Equal(t, map[string][]string{
		"prometheus": {"tempo", "jaeger"}, "loki": {"tempo", "jaeger"}, "tempo": {"loki", "prometheus"}, "jaeger": {"loki", "prometheus"},
	}, links)
}
