package spans

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// completions is the path that clients call.
const completions = "/v1/chat/completions"

// vllm writes the two spans of a vLLM server behind a gateway: the gateway's
// own, and the one that the engine writes for a request it has finished.
type vllm struct {
	Setup
	gateway, engine trace.Tracer
	roots           roots
}

func newVLLM(s Setup) *vllm {
	gateway, engine := s.Identity, s.Identity
	gateway.Service, engine.Service = "gateway", "vllm"
	gateway.Instance, engine.Instance = "gateway-"+s.Identity.Instance, "vllm-"+s.Identity.Instance
	return &vllm{
		Setup: s, roots: roots{},
		gateway: newProvider(gateway, s.IDs, s.Processor).Tracer("gateway"),
		engine:  newProvider(engine, s.IDs, s.Processor).Tracer("vllm.tracing.otel"),
	}
}

// Observe writes the engine's span when the answer is ready and the gateway's
// when it has left.
func (w *vllm) Observe(m engine.Moment) trace.SpanContext {
	q := m.Request
	if m.Milestone == engine.Arrived {
		return w.open(q).span.SpanContext()
	}
	open := w.roots[q]
	switch m.Milestone {
	case engine.Postprocessed:
		w.call(q)
	case engine.Ended:
		w.close(q)
	}
	return open.span.SpanContext()
}

func (w *vllm) open(q *engine.Request) root {
	return w.roots.open(q, w.gateway, "POST "+completions, trace.WithTimestamp(w.time(q, engine.Arrived)), trace.WithAttributes(
		attribute.String("http.request.method", "POST"),
		attribute.String("url.path", completions),
		attribute.String("gen_ai.request.model", q.Model.Name),
	))
}

func (w *vllm) close(q *engine.Request) {
	status, span := httpStatus(q.Outcome), w.roots[q].span
	span.SetAttributes(attribute.Int("http.response.status_code", status))
	if status >= 500 {
		span.SetStatus(codes.Error, q.ErrorType)
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(status)))
	}
	end := w.time(q, engine.Ended)
	w.roots.close(q, end)
	w.bookRequest(q, end)
}

func (w *vllm) bookRequest(q *engine.Request, end time.Time) {
	r := truth.Request{Outcome: string(q.Outcome), ErrorType: q.ErrorType, HasCall: q.Has(engine.Postprocessed)}
	if r.HasCall {
		start := w.time(q, engine.Arrived)
		r.Duration = end.Sub(start).Seconds()
		r.FirstToken = w.time(q, engine.Received).Sub(start).Seconds() + timingsOf(q).firstToken
	}
	w.Book.Row(q.Model.Name, "").AddRequest(r)
}

func (w *vllm) time(q *engine.Request, m engine.Milestone) time.Time {
	at, _ := q.At(m)
	return w.Timestamp(at)
}

// httpStatus is what a gateway answers; 499 is its word for a client that left.
func httpStatus(o engine.Outcome) int {
	switch o {
	case engine.OK:
		return 200
	case engine.Aborted:
		return 499
	case engine.Rejected:
		return 429
	case engine.TimedOut:
		return 504
	}
	return 500
}
