//go:generate mdatagen metadata.yaml

// Package lokiexporter sends logs to Loki's push API, and to whatever else speaks it. What
// becomes a label, structured metadata or the line, and whose it is, is decided before the
// queue, so that a retry is the same to the byte.
package lokiexporter
