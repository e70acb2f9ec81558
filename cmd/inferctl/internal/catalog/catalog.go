// Package catalog knows every metric that the distribution and its shipped configurations emit:
// its name in OTLP, its name and labels on a Prometheus page, and who emits it. What asks
// Prometheus (dashboards, rules) is checked against it.
//
// Nothing is typed twice: the metrics of requests and of servers come from the registries of
// internal/inference, those of components from their metadata.yaml (components.go is generated),
// and names are made by the library with which the collector's exporters make them.
package catalog

import (
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/otlptranslator"
)

//go:generate go run ./gen components.go

// Source is who emits a metric.
type Source string

// The sources.
const (
	SpanPhase     Source = "span_phase"     // connector: requests, from traces
	EngineMetrics Source = "engine_metrics" // processor: what servers count about themselves
	NVML          Source = "nvml"           // receiver: GPUs
	HostMetrics   Source = "host_metrics"   // receiver, with the scrapers of the shipped configurations
	Kubelet       Source = "kubelet"        // cAdvisor's series that overlays/agent-kubernetes.yaml keeps
	Telemetry     Source = "telemetry"      // the collector's own metrics, on a page of their own
	Prometheus    Source = "prometheus"     // what a Prometheus adds by itself
)

// Type is the type of a metric on a Prometheus page.
type Type string

// The types.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Metric is one metric.
type Metric struct {
	// Name is the name in OTLP; for sources that are no OTLP, that on their page.
	Name        string
	Unit        string // UCUM
	Type        Type
	Source      Source
	Description string
	// Attributes are those of data points in OTLP. Each is there where it is known.
	Attributes []string
	// UpDown is a gauge that is a sum in OTLP. Its name has no suffix for the unit 1.
	UpDown bool
	// Optional metrics are off unless a configuration turns them on, and no shipped one does.
	Optional bool

	// Family is the name on a Prometheus page, as in its TYPE line.
	Family string
	// Labels are all that its series can have in a Prometheus, those of the scrape among them,
	// in order. Those of engine_metrics also keep labels of their engine's page, which differ.
	Labels []string
}

// Series returns the names of the series: of a histogram those with _bucket, _sum and _count.
func (m *Metric) Series() []string {
	if m.Type == Histogram {
		return []string{m.Family + "_bucket", m.Family + "_sum", m.Family + "_count"}
	}
	return []string{m.Family}
}

// HasLabel reports whether series of the name can have the label.
func (m *Metric) HasLabel(series, label string) bool {
	if label == "le" {
		return m.Type == Histogram && series == m.Family+"_bucket"
	}
	return slices.Contains(m.Labels, label)
}

// All returns every metric, by source and then by name. The caller must not change them.
func All() []*Metric { return load().all }

// Find returns the metric that has series of this name in a Prometheus.
func Find(series string) (*Metric, bool) {
	m, ok := load().bySeries[series]
	return m, ok
}

// ByName returns the metric of this name in OTLP.
func ByName(name string) (*Metric, bool) {
	m, ok := load().byName[name]
	return m, ok
}

// Label returns the label that an attribute is on a Prometheus page.
func Label(attribute string) string {
	label, err := labels.Build(attribute)
	if err != nil {
		panic("catalog: " + err.Error()) // an attribute of a registry that can be no label
	}
	return label
}

type index struct {
	all      []*Metric
	bySeries map[string]*Metric
	byName   map[string]*Metric
}

var load = sync.OnceValue(func() index {
	list := slices.Concat(requests(), servers(), components, kubelet, scrapes)
	i := index{bySeries: map[string]*Metric{}, byName: map[string]*Metric{}}
	for _, m := range list {
		m.complete()
		i.all = append(i.all, &m)
		i.byName[m.Name] = &m
		for _, name := range m.Series() {
			i.bySeries[name] = &m
		}
	}
	slices.SortStableFunc(i.all, func(a, b *Metric) int { return strings.Compare(string(a.Source)+a.Name, string(b.Source)+b.Name) })
	return i
})

// As the exporters of the shipped configurations are set: the page of the services with suffixes,
// the collector's own (without_units, without_type_suffix) with none.
var (
	labels   = otlptranslator.LabelNamer{}
	suffixed = otlptranslator.MetricNamer{WithMetricSuffixes: true}
	plain    = otlptranslator.MetricNamer{}
)

func (m *Metric) complete() {
	m.Family = m.Name
	m.Labels = []string{"instance", "job"}
	switch m.Source {
	case Kubelet, Prometheus:
	case Telemetry:
		m.Family = m.build(plain)
	default:
		m.Family = m.build(suffixed)
	}
	switch m.Source {
	case EngineMetrics, Kubelet:
		// The page names the job and target that the collector scraped, Prometheus its own.
		m.Labels = append(m.Labels, "exported_instance", "exported_job")
	default:
	}
	for _, a := range m.Attributes {
		m.Labels = append(m.Labels, Label(a))
	}
	slices.Sort(m.Labels)
	m.Labels = slices.Compact(m.Labels)
}

func (m *Metric) build(namer otlptranslator.MetricNamer) string {
	var kind otlptranslator.MetricType = otlptranslator.MetricTypeGauge
	switch {
	case m.Type == Counter:
		kind = otlptranslator.MetricTypeMonotonicCounter
	case m.Type == Histogram:
		kind = otlptranslator.MetricTypeHistogram
	case m.UpDown:
		kind = otlptranslator.MetricTypeNonMonotonicCounter
	}
	name, err := namer.Build(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: kind})
	if err != nil {
		panic("catalog: " + err.Error()) // a metric of a registry that can have no name
	}
	return name
}
