//go:generate mdatagen metadata.yaml

// Package spanphaseprocessor annotates the spans of AI inference requests with
// what they prove: phases, time to first token, time per output token, the
// slowest phase, model and engine. It never delays a span and never changes
// what an engine wrote.
package spanphaseprocessor
