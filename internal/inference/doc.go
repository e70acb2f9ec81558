// Package inference is the domain: what a request to a model is, which calls
// it makes, which phases a call has, and which metrics are derived from them.
//
// It holds plain Go values and knows neither telemetry formats nor engines.
// Everything else depends on it; it depends on nothing.
package inference

//go:generate go run ./gendocs ../../docs/metrics.md
