//go:generate mdatagen metadata.yaml

// Package spanphaseconnector derives metrics of AI inference requests from
// traces: phase histograms, time to first token, time per output token,
// tokens and outcomes.
package spanphaseconnector
