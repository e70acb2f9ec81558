package logs

import (
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// Log takes what happens to requests and writes of it what its kind of log tells.
type Log interface {
	// Observe takes the next moment.
	Observe(m Moment) error
	// Close writes out what is held.
	Close() error
}

// Moment is a moment of a request, with the ids that it has outside.
type Moment struct {
	engine.Moment
	// Time is when it was.
	Time time.Time
	// RequestID is the id that the request's span bears, and EngineID the one that an engine
	// gives it inside.
	RequestID, EngineID string
	// Span is the request's root span.
	Span trace.SpanContext
}

// Off is a log that keeps nothing.
type Off struct{}

// Observe drops the moment.
func (Off) Observe(Moment) error { return nil }

// Close does nothing.
func (Off) Close() error { return nil }
