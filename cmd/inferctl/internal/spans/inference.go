package spans

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// inference writes the span of the call to the model, whether it went well or not.
func (w *stages) inference(q *engine.Request) {
	span, start, end := w.child(q, "inference", engine.Scheduled, engine.Generated)
	span.SetAttributes(
		attribute.String("gen_ai.request.model", q.Model.Name),
		attribute.String("gen_ai.response.model", q.Model.Name),
		attribute.String("model.version", q.Model.Version),
		attribute.Int("gen_ai.usage.input_tokens", q.InputTokens),
		attribute.Int("gen_ai.usage.output_tokens", q.OutputTokens),
		attribute.Int("batch_size", q.BatchSize),
	)
	if q.FinishReason != "" {
		span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{q.FinishReason}))
	}
	if q.Has(engine.FirstToken) {
		span.AddEvent("first_token", trace.WithTimestamp(w.time(q, engine.FirstToken)))
	}
	fail(span, q)
	span.End(trace.WithTimestamp(end))
	w.row(q).AddPhase("inference", end.Sub(start).Seconds())
	w.bookCall(q)
}

func (w *stages) bookCall(q *engine.Request) {
	whole := w.seconds(q, engine.Scheduled, engine.Generated)
	first := w.seconds(q, engine.Scheduled, engine.FirstToken)
	w.row(q).AddCall(truth.Call{
		Outcome: string(q.Outcome), ErrorType: q.ErrorType, FinishReason: q.FinishReason,
		InputTokens: q.InputTokens, OutputTokens: q.OutputTokens,
		Duration: whole, FirstToken: first, Generating: whole - first,
	})
}
