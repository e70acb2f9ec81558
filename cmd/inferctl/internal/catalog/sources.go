package catalog

import (
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

func requests() (list []Metric) {
	common := append(inference.CommonAttributes(), inference.AttrOverflow)
	for id := range inference.NumMetrics {
		r := inference.Registry(id)
		m := Metric{
			Name: r.Name, Unit: r.Unit, Type: Counter, Source: SpanPhase, Description: r.Description,
			Attributes: slices.Concat(common, r.Attributes),
		}
		if r.Histogram() {
			m.Type = Histogram
		}
		list = append(list, m)
	}
	for id := inference.NumMetrics; id < inference.NumMetrics+inference.NumSemconvMetrics; id++ {
		r := inference.SemconvRegistry(id)
		m := Metric{
			Name: r.Name, Unit: r.Unit, Type: Histogram, Source: SpanPhase, Description: r.Description, Optional: true,
			Attributes: slices.Concat(common, r.Attributes),
		}
		for _, a := range inference.SemconvAttributes {
			m.Attributes = append(m.Attributes, a.Name)
		}
		list = append(list, m)
	}
	return list
}

func servers() (list []Metric) {
	for id := range inference.NumServerMetrics {
		r := inference.ServerRegistry(id)
		m := Metric{
			Name: r.Name, Unit: r.Unit, Type: Gauge, Source: EngineMetrics, Description: r.Description,
			Attributes: slices.Concat(inference.ServerAttributes(), r.Attributes),
		}
		switch r.Kind {
		case inference.KindCounter:
			m.Type = Counter
		case inference.KindHistogram:
			m.Type = Histogram
		case inference.KindUpDownCounter:
			m.UpDown = true
		default:
		}
		list = append(list, m)
	}
	return list
}

// What the kubelet tells of containers. The collector hands it on as it is.
var (
	ofContainer = []string{"container", "id", "image", "name", "namespace", "pod"}

	kubelet = []Metric{
		{Name: "container_cpu_cfs_periods_total", Type: Counter, Source: Kubelet, Attributes: ofContainer, Description: "Periods in which the container wanted to run and has a CPU limit."},
		{Name: "container_cpu_cfs_throttled_periods_total", Type: Counter, Source: Kubelet, Attributes: ofContainer, Description: "Periods in which the container was held back by its CPU limit."},
		{Name: "container_cpu_cfs_throttled_seconds_total", Unit: "s", Type: Counter, Source: Kubelet, Attributes: ofContainer, Description: "Time for which threads of the container were held back by its CPU limit."},
		{Name: "container_cpu_usage_seconds_total", Unit: "s", Type: Counter, Source: Kubelet, Attributes: append([]string{"cpu"}, ofContainer...), Description: "CPU time that the container used."},
		{Name: "container_memory_working_set_bytes", Unit: "By", Type: Gauge, Source: Kubelet, Attributes: ofContainer, Description: "Memory of the container that cannot be taken from it."},
		{Name: "container_oom_events_total", Type: Counter, Source: Kubelet, Attributes: ofContainer, Description: "Processes of the container that were killed because memory ran out."},
	}
)

var scrapes = []Metric{
	{Name: "up", Unit: "1", Type: Gauge, Source: Prometheus, Description: "1 for a target that answered its last scrape."},
	{Name: "scrape_duration_seconds", Unit: "s", Type: Gauge, Source: Prometheus, Description: "How long the last scrape took."},
	{Name: "ALERTS", Unit: "1", Type: Gauge, Source: Prometheus, Attributes: []string{"alertname", "alertstate", "severity"}, Description: "1 for an alert that is pending or firing."},
}
