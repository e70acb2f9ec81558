// Package instrument holds what docs/metrics.md and docs/instrument.md say
// against the built collector: the names, the queries and the examples.
package instrument
