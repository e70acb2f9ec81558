package dashboards

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const shipped = "../../distribution/grafana/dashboards"

// board is a dashboard, as its file says.
type board struct {
	UID, Title string
	Templating struct {
		List []struct {
			Name, Type string
			Multi      bool
			Current    struct{ Value any }
		}
	}
	Panels []*panel
}

type panel struct {
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Targets     []*target
	FieldConfig struct {
		Defaults struct {
			Unit       string
			NoValue    string
			Decimals   float64
			Thresholds struct {
				Steps []struct {
					Value *float64
					Color string
				}
			}
			Custom struct {
				AxisSoftMax float64
				Stacking    struct{ Mode string }
			}
		}
		Overrides []struct {
			Matcher    struct{ ID, Options string }
			Properties []struct {
				ID    string
				Value any
			}
		}
	}
}

type target struct {
	RefID, Expr, LegendFormat string
	Datasource                struct{ Type string }
	Exemplar                  bool
}

func boards(t *testing.T) (list []board) {
	t.Helper()
	files, err := filepath.Glob(shipped + "/*.json")
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var b board
		require.NoError(t, json.Unmarshal(data, &b))
		list = append(list, b)
	}
	return list
}

// What somebody chooses who looks at this site, where a variable has one value.
var chosen = map[string]string{"model": "qwen2.5-7b", "version_a": "v1", "version_b": "v2"}

// query is the target's with the variables filled in, as Grafana does.
func (b *board) query(expr string, rateInterval, whole time.Duration) string {
	pairs := []string{"$__rate_interval", rateInterval.String(), "$__range", whole.Truncate(time.Second).String()}
	for long := 20; long > 0; long-- { // a name that another one begins with comes after it
		for _, v := range b.Templating.List {
			if len(v.Name) != long {
				continue
			}
			value, single := v.Current.Value.(string)
			switch {
			case v.Multi:
				value = ".*"
			case !single:
				value = chosen[v.Name]
			}
			pairs = append(pairs, "$"+v.Name, value)
		}
	}
	return strings.NewReplacer(pairs...).Replace(expr)
}
