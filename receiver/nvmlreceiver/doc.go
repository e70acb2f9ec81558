//go:generate mdatagen metadata.yaml

// Package nvmlreceiver reads NVIDIA GPUs through NVML, the library that the
// driver brings: metrics, and critical events (Xid) as logs.
package nvmlreceiver
