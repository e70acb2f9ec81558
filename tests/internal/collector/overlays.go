package collector

import "fmt"

// ShortWaits closes requests soon after their last span and shows new series at
// once, for tests that do not look at these waits.
const ShortWaits = `
connectors:
  span_phase:
    instance_id: test
    flush_interval: 500ms
    first_point_hold: 0s
    assembly:
      linger: 1s
      idle_timeout: 10s
      max_age: 1m
`

// Waits are short too, and leave the shipped instance_id as it is.
const Waits = `
connectors:
  span_phase:
    flush_interval: 500ms
    first_point_hold: 0s
    assembly:
      linger: 1s
`

// ToSink sends logs, metrics, and traces next to the connector, to an OTLP receiver
// over gRPC as well. Of metrics those that are ours: the host's would come in between.
func ToSink(addr string) string {
	return fmt.Sprintf(`
exporters:
  otlp_grpc:
    endpoint: %s
    tls:
      insecure: true
service:
  pipelines:
    traces:
      exporters: [span_phase, otlp_grpc]
    metrics:
      receivers: [span_phase, nvml]
      exporters: [prometheus, otlp_grpc]
    logs:
      exporters: [otlp_grpc]
`, addr)
}
