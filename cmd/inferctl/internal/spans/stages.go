package spans

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// stages writes one span per phase below a request span: what a home-made
// service writes when it instruments itself.
type stages struct {
	Setup
	tracer trace.Tracer
	roots  roots
}

func newStages(s Setup) *stages {
	provider := newProvider(s.Identity, s.IDs, s.Processor)
	return &stages{Setup: s, tracer: provider.Tracer("inference.service"), roots: roots{}}
}

// Observe writes the span that the moment ends.
func (w *stages) Observe(m engine.Moment) trace.SpanContext {
	q := m.Request
	if m.Milestone == engine.Arrived {
		return w.open(q).span.SpanContext()
	}
	open := w.roots[q]
	switch m.Milestone {
	case engine.Received:
		w.phase(q, "receive", engine.Arrived, engine.Received)
	case engine.Preprocessed:
		w.phase(q, "preprocess", engine.Received, engine.Preprocessed)
	case engine.Scheduled:
		w.phase(q, "queue", engine.Preprocessed, engine.Scheduled)
	case engine.Generated:
		w.inference(q)
	case engine.Postprocessed:
		w.phase(q, "postprocess", engine.Generated, engine.Postprocessed)
	case engine.Ended:
		w.close(q)
	}
	return open.span.SpanContext()
}

func (w *stages) open(q *engine.Request) root {
	at, _ := q.At(engine.Arrived)
	return w.roots.open(q, w.tracer, "request", trace.WithTimestamp(w.Timestamp(at)), trace.WithAttributes(
		attribute.String("gen_ai.request.model", q.Model.Name),
		attribute.String("model.version", q.Model.Version),
		attribute.String("gen_ai.request.id", w.IDs.Request(q.Index)),
		attribute.Bool("gen_ai.request.stream", true),
	))
}

// phase writes the span of a phase that has ended.
func (w *stages) phase(q *engine.Request, name string, from, to engine.Milestone) {
	span, start, end := w.child(q, name, from, to)
	span.End(trace.WithTimestamp(end))
	w.row(q).AddPhase(name, end.Sub(start).Seconds())
}

func (w *stages) child(q *engine.Request, name string, from, to engine.Milestone) (span trace.Span, start, end time.Time) {
	start, end = w.time(q, from), w.time(q, to)
	_, span = w.tracer.Start(w.roots[q].ctx, name, trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindInternal))
	return span, start, end
}

// close ends the request, and the queue that it left without being served.
func (w *stages) close(q *engine.Request) {
	if !q.Has(engine.Scheduled) {
		if wait, ok := q.Between(engine.Preprocessed, engine.Ended); ok && wait > 0 {
			w.phase(q, "queue", engine.Preprocessed, engine.Ended)
		}
	}
	fail(w.roots[q].span, q)
	w.roots.close(q, w.time(q, engine.Ended))
	w.row(q).AddRequest(truth.Request{
		Outcome: string(q.Outcome), ErrorType: q.ErrorType, HasCall: q.Has(engine.Scheduled),
		Duration:   w.seconds(q, engine.Arrived, engine.Ended),
		FirstToken: w.seconds(q, engine.Arrived, engine.FirstToken),
	})
}

func (w *stages) row(q *engine.Request) *truth.Row { return w.Book.Row(q.Model.Name, q.Model.Version) }

func (w *stages) time(q *engine.Request, m engine.Milestone) time.Time {
	at, _ := q.At(m)
	return w.Timestamp(at)
}

// seconds is the time between two milestones as written; 0 if one was not reached.
func (w *stages) seconds(q *engine.Request, from, to engine.Milestone) float64 {
	if !q.Has(from) || !q.Has(to) {
		return 0
	}
	return w.time(q, to).Sub(w.time(q, from)).Seconds()
}

// fail marks a span of a request that went wrong.
func fail(span trace.Span, q *engine.Request) {
	if q.ErrorType == "" {
		return
	}
	span.SetStatus(codes.Error, q.ErrorType)
	span.SetAttributes(attribute.String("error.type", q.ErrorType))
}
