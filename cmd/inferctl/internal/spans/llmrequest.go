package spans

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// timings are the durations that vLLM V1 puts on its span, in seconds.
type timings struct {
	whole, firstToken, queue, prefill, decode, inference float64
}

// timingsOf reads the timings of a request that the engine has finished.
func timingsOf(q *engine.Request) timings {
	seconds := func(from, to engine.Milestone) float64 {
		d, _ := q.Between(from, to)
		return d.Seconds()
	}
	return timings{
		whole:      seconds(engine.Received, engine.Postprocessed),
		firstToken: seconds(engine.Received, engine.FirstToken),
		queue:      seconds(engine.Preprocessed, engine.Scheduled),
		prefill:    seconds(engine.Scheduled, engine.FirstToken),
		decode:     seconds(engine.FirstToken, engine.Generated),
		inference:  seconds(engine.Scheduled, engine.Generated),
	}
}

// call writes the span that vLLM writes for a finished request.
func (w *vllm) call(q *engine.Request) {
	t := timingsOf(q)
	_, span := w.engine.Start(w.roots[q].ctx, "llm_request",
		trace.WithTimestamp(w.time(q, engine.Received)), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.Float64("gen_ai.latency.time_to_first_token", t.firstToken),
			attribute.Float64("gen_ai.latency.e2e", t.whole),
			attribute.Float64("gen_ai.latency.time_in_queue", t.queue),
			attribute.Float64("gen_ai.latency.time_in_model_prefill", t.prefill),
			attribute.Float64("gen_ai.latency.time_in_model_decode", t.decode),
			attribute.Float64("gen_ai.latency.time_in_model_inference", t.inference),
			attribute.Int("gen_ai.usage.prompt_tokens", q.InputTokens),
			attribute.Int("gen_ai.usage.completion_tokens", q.OutputTokens),
			attribute.String("gen_ai.request.id", w.IDs.Request(q.Index)),
			attribute.Float64("gen_ai.request.top_p", 1),
			attribute.Float64("gen_ai.request.temperature", 0.7),
			attribute.Int("gen_ai.request.max_tokens", q.MaxTokens),
			attribute.Int("gen_ai.request.n", 1),
		))
	span.End(trace.WithTimestamp(w.time(q, engine.Postprocessed)))
	w.bookCall(q, t)
}

func (w *vllm) bookCall(q *engine.Request, t timings) {
	row := w.Book.Row(q.Model.Name, "")
	row.AddPhase("preprocess", t.firstToken-t.queue-t.prefill)
	row.AddPhase("queue", t.queue)
	row.AddPhase("inference", t.inference)
	row.AddPhase("postprocess", t.whole-t.firstToken-t.decode)
	row.AddSubphase("prefill", t.prefill)
	row.AddSubphase("decode", t.decode)
	row.AddCall(truth.Call{
		Outcome: string(q.Outcome), InputTokens: q.InputTokens, OutputTokens: q.OutputTokens,
		Duration: t.whole, FirstToken: t.firstToken, Generating: t.decode,
	})
}
