//go:generate mdatagen metadata.yaml

// Package logcorrelationprocessor joins log records to the request that they are about: by
// trace id in whatever spelling, or by request id, with what the traces of the same collector
// know about it.
package logcorrelationprocessor
