package dashboards

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func (v *Variable) builder() cog.Builder[dashboard.VariableModel] {
	switch {
	case v.Source != "":
		return dashboard.NewDatasourceVariableBuilder(v.Name).Label(v.Label).Description(v.Description).Type(v.Source)
	case len(v.Options) > 0:
		return v.options()
	}
	query := "label_values(" + v.Metric + ", " + v.Attribute + ")"
	b := dashboard.NewQueryVariableBuilder(v.Name).Label(v.Label).Description(v.Description).Datasource(metrics).
		Query(dashboard.StringOrMap{Map: map[string]any{"query": query, "refId": "StandardVariableQuery"}}).
		Definition(query).Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortAlphabeticalAsc)
	if !v.Single {
		// Everything, and series without the label as well.
		b.Multi(true).IncludeAll(true).AllValue(".*").Current(option("All", "$__all", true))
	}
	return b
}

func (v *Variable) options() cog.Builder[dashboard.VariableModel] {
	b := dashboard.NewCustomVariableBuilder(v.Name).Label(v.Label).Description(v.Description)
	var list []dashboard.VariableOption
	var pairs []string
	for _, o := range v.Options {
		one := option(o.Text, o.Value, false)
		one.Selected = &o.Default
		list = append(list, one)
		pairs = append(pairs, o.Text+" : "+o.Value)
		if o.Default {
			b.Current(one)
		}
	}
	query := strings.Join(pairs, ", ")
	return b.Values(dashboard.StringOrMap{String: &query}).Options(list)
}

func option(text, value string, several bool) dashboard.VariableOption {
	if several {
		return dashboard.VariableOption{
			Text: dashboard.StringOrArrayOfString{ArrayOfString: []string{text}}, Value: dashboard.StringOrArrayOfString{ArrayOfString: []string{value}},
		}
	}
	return dashboard.VariableOption{Text: dashboard.StringOrArrayOfString{String: &text}, Value: dashboard.StringOrArrayOfString{String: &value}}
}
