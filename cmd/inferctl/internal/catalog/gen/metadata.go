package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// metric is a metric as package catalog has it; Type and Source are names of its constants.
type metric struct {
	Name, Unit, Type, Source, Description string
	Attributes                            []string
	UpDown, Optional                      bool
}

// metadata is what of a metadata.yaml is about metrics.
type metadata struct {
	Type       string
	Attributes map[string]struct {
		NameOverride     string `yaml:"name_override"`
		RequirementLevel any    `yaml:"requirement_level"`
	}
	Metrics   map[string]described
	Telemetry struct{ Metrics map[string]described }
}

type described struct {
	Enabled           bool
	Prefix            *string
	Description, Unit string
	Attributes        []string
	Sum               *struct{ Monotonic bool }
	Histogram         *struct{}
}

// read returns the metrics of the package in dir: its own telemetry, and what it emits where it is
// the nvml receiver or a scraper that a shipped configuration has.
func read(dir string, p presets) (list []metric, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "metadata.yaml")) //nolint:gosec // of a package of the build
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var md metadata
	if err = yaml.Unmarshal(data, &md); err != nil {
		return nil, fmt.Errorf("%s/metadata.yaml: %w", dir, err)
	}
	for name, d := range md.Telemetry.Metrics {
		// Those with a prefix of their own, and those whose description says so, are for level
		// detailed.
		detailed := d.Prefix != nil || strings.Contains(d.Description, "detailed level")
		m := md.metric("otelcol_"+name, "Telemetry", d)
		m.Optional = !d.Enabled || detailed
		m.Attributes = append(m.Attributes, helperAttributes(name)...)
		if d.Prefix != nil {
			m.Name = *d.Prefix + name
		}
		list = append(list, m)
	}
	source, scraper := "", p.scrapers[md.Type]
	switch {
	case strings.HasSuffix(dir, "/nvmlreceiver"):
		source = "NVML"
	case strings.Contains(dir, "/hostmetricsreceiver@") && scraper:
		source = "HostMetrics"
	default:
		return list, nil
	}
	for name, d := range md.Metrics {
		m := md.metric(name, source, d)
		m.Optional = !d.Enabled && !p.enabled[name]
		if strings.HasPrefix(name, "process.") {
			// transform/process of the shipped configurations.
			m.Attributes = append(m.Attributes, "process.executable.name", "process.pid")
		}
		list = append(list, m)
	}
	return list, nil
}

func (md *metadata) metric(name, source string, d described) metric {
	m := metric{Name: name, Unit: d.Unit, Type: "Gauge", Source: source, Description: strings.TrimSpace(d.Description)}
	switch {
	case d.Histogram != nil:
		m.Type = "Histogram"
	case d.Sum != nil && d.Sum.Monotonic:
		m.Type = "Counter"
	case d.Sum != nil:
		m.UpDown = true
	}
	for _, key := range d.Attributes {
		a := md.Attributes[key]
		if a.RequirementLevel == "opt_in" {
			continue
		}
		if a.NameOverride != "" {
			key = a.NameOverride
		}
		m.Attributes = append(m.Attributes, key)
	}
	return m
}

// helperAttributes returns what the collector's helpers put on their own metrics, which their
// metadata does not say.
func helperAttributes(name string) []string {
	for prefix, attributes := range map[string][]string{
		"receiver_accepted_": {"receiver", "transport"}, "receiver_refused_": {"receiver", "transport"}, "receiver_failed_": {"receiver", "transport"},
		"exporter_sent_": {"exporter"}, "exporter_send_failed_": {"exporter", "error.type", "error.permanent"}, "exporter_enqueue_failed_": {"exporter"},
		"exporter_queue_": {"exporter", "data_type"}, "exporter_in_flight_": {"exporter", "data_type"},
		"processor_incoming_": {"processor", "otel.signal"}, "processor_outgoing_": {"processor", "otel.signal"},
		"processor_memory_limiter_": {"processor"}, "processor_batch_": {"processor"},
		"scraper_":              {"receiver", "scraper"},
		"loadbalancer_backend_": {"endpoint"},
	} {
		if strings.HasPrefix(name, prefix) && name != "exporter_sent_bytes" {
			return attributes
		}
	}
	return nil
}

// presets is what the shipped configurations turn on.
type presets struct {
	scrapers map[string]bool // of host_metrics, by type
	enabled  map[string]bool // metrics, by name
}

func readPresets(dir string) (presets, error) {
	p := presets{scrapers: map[string]bool{}, enabled: map[string]bool{}}
	files, err := filepath.Glob(dir + "/*.yaml")
	if err != nil || len(files) == 0 {
		return p, fmt.Errorf("no configuration in %s: %w", dir, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // of the repository
		if err != nil {
			return p, err
		}
		type metrics map[string]struct{ Enabled bool }
		var config struct {
			Receivers struct {
				NVML        struct{ Metrics metrics } `yaml:"nvml"`
				HostMetrics struct {
					Scrapers map[string]struct{ Metrics metrics }
				} `yaml:"host_metrics"`
			}
		}
		if err = yaml.Unmarshal(data, &config); err != nil {
			return p, fmt.Errorf("%s: %w", file, err)
		}
		sets := []metrics{config.Receivers.NVML.Metrics}
		for name, scraper := range config.Receivers.HostMetrics.Scrapers {
			p.scrapers[name] = true
			sets = append(sets, scraper.Metrics)
		}
		for _, set := range sets {
			for name, m := range set {
				p.enabled[name] = p.enabled[name] || m.Enabled
			}
		}
	}
	return p, nil
}
