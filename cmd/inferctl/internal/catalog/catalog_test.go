package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: names with each kind of unit and type.
// Guarantees: on a page they are as the exporters of the shipped configurations write them.
func TestNames(t *testing.T) {
	for name, family := range map[string]string{
		"inference.request.duration":               "inference_request_duration_seconds",
		"inference.request.retries":                "inference_request_retries_total",
		"inference.server.kv_cache.usage":          "inference_server_kv_cache_usage_ratio",
		"inference.server.queue.time":              "inference_server_queue_time_seconds_total",
		"hw.gpu.io":                                "hw_gpu_io_bytes_total",
		"hw.status":                                "hw_status",
		"hw.temperature":                           "hw_temperature_celsius",
		"nvidia.gpu.clock.frequency":               "nvidia_gpu_clock_frequency_hertz",
		"system.cpu.load_average.1m":               "system_cpu_load_average_1m",
		"container_cpu_cfs_periods_total":          "container_cpu_cfs_periods_total",
		"otelcol_receiver_accepted_spans":          "otelcol_receiver_accepted_spans",
		"otelcol_exporter_loki_push_duration":      "otelcol_exporter_loki_push_duration",
		"otelcol_loadbalancer_backend_outcome":     "otelcol_loadbalancer_backend_outcome",
		"otelcol_processor_log_correlation_traces": "otelcol_processor_log_correlation_traces",
	} {
		m, ok := ByName(name)
		if assert.True(t, ok, name) {
			assert.Equal(t, family, m.Family)
		}
	}
}

// Scenario: series of a histogram, and of what is none.
// Guarantees: each is found by its own name only, with the labels that it can have.
func TestFind(t *testing.T) {
	m, ok := Find("inference_phase_duration_seconds_bucket")
	require.True(t, ok)
	for _, label := range []string{"le", "inference_phase", "inference_role", "service_name", "instance", "otel_metric_overflow"} {
		assert.True(t, m.HasLabel("inference_phase_duration_seconds_bucket", label), label)
	}
	assert.False(t, m.HasLabel("inference_phase_duration_seconds_sum", "le"))
	assert.False(t, m.HasLabel("inference_phase_duration_seconds_bucket", "hw_id"))
	for _, none := range []string{"inference_phase_duration_seconds", "inference_phase_duration", "hw_power_watts_sum", "vllm:num_requests_running"} {
		_, ok := Find(none)
		assert.False(t, ok, none)
	}
}

// Guarantees: no two metrics have a name in common, else one would hide the other, and all say what they are.
func TestUnique(t *testing.T) {
	owner := map[string]string{}
	for _, m := range All() {
		assert.NotEmpty(t, m.Description, m.Name)
		assert.Contains(t, []Type{Counter, Gauge, Histogram}, m.Type, m.Name)
		for _, series := range m.Series() {
			assert.Empty(t, owner[series], "%s is a series of %s and %s", series, m.Name, owner[series])
			owner[series] = m.Name
		}
		assert.NotContains(t, m.Family, ".", m.Name)
	}
}
