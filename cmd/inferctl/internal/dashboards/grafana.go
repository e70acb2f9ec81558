package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/logs"
	"github.com/grafana/grafana-foundation-sdk/go/loki"
	promql "github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

const tag = "otelcol-inference"

// A schema that Grafana 10 reads as it is, and later ones bring to theirs when they load it.
const schemaVersion = 39

// Colours of quantiles, the same everywhere.
var quantileColours = map[string]string{"p50": "green", "p95": "yellow", "p99": "red"}

var phaseColours = map[string]string{
	"receive": "dark-green", "preprocess": "purple", "queue": "orange", "inference": "blue", "postprocess": "light-purple", "other": "#8e8e8e",
}

// Colours of series by their name, where the legend is a label that means the same everywhere.
var seriesColours = map[string]map[string]string{
	"{{inference_phase}}":   phaseColours,
	"{{slowest_phase}}":     phaseColours,
	"{{inference_outcome}}": {"error": "red", "timeout": "orange", "rejected": "purple", "aborted": "blue"},
	"{{level}}":             {"debug": "light-blue", "info": "green", "warn": "yellow", "error": "red", "fatal": "dark-red"},
}

func coloured(colour string) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "color", Value: map[string]string{"mode": "fixed", "fixedColor": colour}}
}

func ref(kind, variable string) common.DataSourceRef {
	uid := "${" + variable + "}"
	return common.DataSourceRef{Type: &kind, Uid: &uid}
}

var (
	metrics = ref("prometheus", "datasource")
	lines   = ref("loki", "loki")
)

// Build returns the dashboard as Grafana's classic schema has it.
//
//nolint:staticcheck // The schema that succeeds it does not load in Grafana 11 and older.
func (d *Dashboard) Build() (dashboard.Dashboard, error) {
	b := dashboard.NewDashboardBuilder(d.Title).Uid(d.UID).Description(d.Description).Tags([]string{tag}).
		Editable().Tooltip(dashboard.DashboardCursorSyncCrosshair).Timezone("browser").Time("now-1h", "now").Refresh("30s").
		Link(dashboard.NewDashboardLinkBuilder("Inference").Type(dashboard.DashboardLinkTypeDashboards).
			Tags([]string{tag}).AsDropdown(true).KeepTime(true).IncludeVars(true)).
		Annotation(dashboard.NewAnnotationQueryBuilder().Name("Firing alerts").Datasource(metrics).Enable(true).IconColor("red").
			Expr(firing).Step("60s").TitleFormat(firingTitle).TextFormat(firingText))
	for _, v := range d.Variables {
		b.WithVariable(v.builder())
	}
	id := uint32(1)
	for _, row := range d.Rows {
		b.WithRow(dashboard.NewRowBuilder(row.Title).Id(id))
		id++
		for _, p := range row.Panels {
			b.WithPanel(built{p, id, d.Logs})
			id++
		}
	}
	made, err := b.Build()
	made.SchemaVersion = schemaVersion
	// In sight, not in a menu, where Grafana 13 puts them.
	for i := range made.Links {
		made.Links[i].Placement = nil
	}
	return made, err
}

const (
	firing      = `ALERTS{alertstate="firing"}`
	firingTitle = "{{alertname}}"
	firingText  = "{{severity}}"
)

// built is a panel with its number, as the SDK wants it.
type built struct {
	Panel
	id   uint32
	logs string
}

// Build implements the SDK's builder.
func (p built) Build() (dashboard.Panel, error) {
	made, err := p.builder().Build()
	if err != nil {
		return made, err
	}
	made.Id = &p.id
	if p.Kind == Lines || p.Kind == Shares {
		made.FieldConfig.Defaults.Links = logsOfTheTime(p.logs)
	}
	return made, nil
}

func (p *Panel) builder() cog.Builder[dashboard.Panel] {
	switch p.Kind {
	case Number:
		return p.number()
	case Table:
		return p.table()
	case LogLines:
		return logs.NewPanelBuilder().Title(p.Title).Description(p.Description).Datasource(lines).Span(p.width()).Height(p.height(10)).
			Unit(p.Unit).Targets(p.targets()).ShowTime(true).EnableLogDetails(true).SortOrder(common.LogsSortOrderDescending)
	default:
		return p.curves()
	}
}

func (p *Panel) width() uint32 {
	if p.Width == 0 {
		return 8
	}
	return p.Width
}

func (p *Panel) height(usual uint32) uint32 {
	if p.Height == 0 {
		return usual
	}
	return p.Height
}

func (p *Panel) logs() bool { return p.Kind == LogBars || p.Kind == LogLines }

func (p *Panel) targets() (list []cog.Builder[variants.Dataquery]) {
	for i, q := range p.Queries {
		id, expr := string(rune('A'+i)), selectors.Replace(q.Expr)
		if p.logs() {
			list = append(list, loki.NewDataqueryBuilder().Datasource(lines).Expr(expr).LegendFormat(q.Legend).RefId(id).QueryType("range"))
			continue
		}
		b := promql.NewDataqueryBuilder().Datasource(metrics).Expr(expr).LegendFormat(q.Legend).RefId(id)
		if p.Kind == Table {
			b.Instant().Format(promql.PromQueryFormatTable)
		} else {
			// Exemplars, where buckets are asked for.
			b.Range().Exemplar(p.Kind == Lines && strings.Contains(expr, "_bucket{"))
		}
		list = append(list, b)
	}
	return list
}

func (p *Panel) curves() cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().Title(p.Title).Description(p.Description).Span(p.width()).Height(p.height(8)).
		Targets(p.targets()).Unit(p.Unit).Min(0).LineWidth(1).FillOpacity(0).ShowPoints(common.VisibilityModeNever).
		ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdPaletteClassicByName)).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	if p.logs() {
		b.Datasource(lines).DrawStyle(common.GraphDrawStyleBars).FillOpacity(60).
			Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	} else {
		b.Datasource(metrics)
	}
	if p.Kind == Shares {
		b.Max(1).FillOpacity(60).Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	} else if p.Max > 0 {
		b.AxisSoftMax(p.Max)
	}
	if p.Empty != "" {
		b.NoValue(p.Empty)
	}
	for i, q := range p.Queries {
		properties := []dashboard.DynamicConfigValue{}
		name, _, _ := strings.Cut(q.Legend, " ")
		if colour, ok := quantileColours[name]; ok {
			properties = append(properties, coloured(colour))
		}
		if q.Dashed {
			properties = append(properties, dashboard.DynamicConfigValue{Id: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{6, 6}}})
		}
		for _, series := range slices.Sorted(maps.Keys(seriesColours[q.Legend])) {
			b.OverrideByName(series, []dashboard.DynamicConfigValue{coloured(seriesColours[q.Legend][series])})
		}
		if len(properties) > 0 {
			b.OverrideByQuery(string(rune('A'+i)), properties)
		}
	}
	return b
}

func (p *Panel) number() cog.Builder[dashboard.Panel] {
	b := stat.NewPanelBuilder().Title(p.Title).Description(p.Description).Span(p.width()).Height(p.height(4)).Datasource(metrics).
		Targets(p.targets()).Unit(p.Unit).NoValue("nothing").GraphMode(common.BigValueGraphModeArea).ColorMode(common.BigValueColorModeValue).Orientation(common.VizOrientationAuto).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
		Thresholds(thresholds(p.Steps)).ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds))
	if p.Decimals > 0 {
		b.Decimals(p.Decimals)
	}
	return b
}

// table has a row for each set of labels, of which it shows what tells rows apart.
func (p *Panel) table() cog.Builder[dashboard.Panel] {
	names, hidden := map[string]string{"instance": "Collector", "hw_name": "GPU", "hw_id": "UUID"}, map[string]bool{"Time": true}
	for _, label := range []string{"__name__", "job", "hw_gpu_task", "hw_sensor_location", "hw_parent"} {
		for i := range p.Queries {
			hidden[label] = true
			hidden[fmt.Sprintf("%s %d", label, i+1)] = true
		}
	}
	b := table.NewPanelBuilder().Title(p.Title).Description(p.Description).Span(p.width()).Height(p.height(8)).Datasource(metrics).
		Targets(p.targets()).Unit(p.Unit).Thresholds(thresholds(filling))
	for i, q := range p.Queries {
		names["Value #"+string(rune('A'+i))] = q.Legend
		if q.Unit != "" {
			b.OverrideByName(q.Legend, []dashboard.DynamicConfigValue{{Id: "unit", Value: q.Unit}})
		}
	}
	return b.WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{"renameByName": names, "excludeByName": hidden}})
}

func thresholds(steps []Step) *dashboard.ThresholdsConfigBuilder {
	list := make([]dashboard.Threshold, len(steps))
	for i, s := range steps {
		list[i] = dashboard.Threshold{Color: s.Color}
		if i > 0 {
			list[i].Value = &s.From
		}
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(list)
}

var variable = regexp.MustCompile(`\$\{\w+(:\w+)?\}`)

// logsOfTheTime leads from a curve to the logs of the same time.
func logsOfTheTime(logql string) []dashboard.DashboardLink {
	if logql == "" {
		return nil
	}
	source := map[string]string{"type": "loki", "uid": "${loki}"}
	panes, err := json.Marshal(map[string]any{"logs": map[string]any{
		"datasource": "${loki}", "range": map[string]string{"from": "${__from}", "to": "${__to}"},
		"queries": []any{map[string]any{"refId": "A", "datasource": source, "expr": logql}},
	}})
	if err != nil {
		panic(err) // text in a map
	}
	// Variables stay as they are, or Grafana would not see them.
	escaped := url.QueryEscape(string(panes))
	for _, v := range variable.FindAllString(string(panes), -1) {
		escaped = strings.ReplaceAll(escaped, url.QueryEscape(v), v)
	}
	link := *dashboard.NewDashboardLink()
	to, blank := "/explore?schemaVersion=1&orgId=1&panes="+escaped, true
	link.Title, link.Url, link.TargetBlank = "Logs of this time", &to, blank
	return []dashboard.DashboardLink{link}
}
