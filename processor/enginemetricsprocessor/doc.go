//go:generate mdatagen metadata.yaml
//go:generate go run ./internal/gendocs ../../docs/engine-metrics.md

// Package enginemetricsprocessor gives what inference engines count about themselves one
// vocabulary: beside each metric of an engine, as it was scraped, stands inference.server.*, with
// the same names, units and attributes for all engines and versions.
package enginemetricsprocessor
