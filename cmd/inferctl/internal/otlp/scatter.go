package otlp

import (
	"context"
	"errors"
	"math/rand/v2"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Scatter tears traces apart, to test those who put them together: it holds
// the spans of a trace until its root has come, then sends each of them in a
// different export, the children first and in random order, the root last.
// It is safe for use by one span processor.
func Scatter(next sdktrace.SpanExporter, seed uint64) sdktrace.SpanExporter {
	const purpose = 0x5ca77e12
	return &scatter{next: next, rng: rand.New(rand.NewPCG(seed, purpose)), held: map[trace.TraceID][]sdktrace.ReadOnlySpan{}}
}

type scatter struct {
	next sdktrace.SpanExporter
	rng  *rand.Rand
	// held are children without their root, at most the spans of the requests in flight.
	held map[trace.TraceID][]sdktrace.ReadOnlySpan
}

func (s *scatter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	var rounds [][]sdktrace.ReadOnlySpan
	for _, span := range spans {
		id := span.SpanContext().TraceID()
		if span.Parent().IsValid() {
			s.held[id] = append(s.held[id], span)
			continue
		}
		rounds = s.deal(rounds, s.held[id], span)
		delete(s.held, id)
	}
	return s.export(ctx, rounds)
}

// Shutdown sends children whose root never came, then closes the exporter.
func (s *scatter) Shutdown(ctx context.Context) error {
	var orphans []sdktrace.ReadOnlySpan
	for _, spans := range s.held {
		orphans = append(orphans, spans...)
	}
	var err error
	if len(orphans) > 0 {
		err = s.next.ExportSpans(ctx, orphans)
	}
	return errors.Join(err, s.next.Shutdown(ctx))
}

// deal puts the spans of one trace into rounds that have none of it yet.
func (s *scatter) deal(rounds [][]sdktrace.ReadOnlySpan, children []sdktrace.ReadOnlySpan, root sdktrace.ReadOnlySpan) [][]sdktrace.ReadOnlySpan {
	s.rng.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
	for i, span := range append(children, root) {
		if i == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[i] = append(rounds[i], span)
	}
	return rounds
}

func (s *scatter) export(ctx context.Context, rounds [][]sdktrace.ReadOnlySpan) error {
	var errs []error
	for _, round := range rounds {
		errs = append(errs, s.next.ExportSpans(ctx, round))
	}
	return errors.Join(errs...)
}
