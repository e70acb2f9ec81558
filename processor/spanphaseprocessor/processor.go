package spanphaseprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/processor/spanphaseprocessor/internal/metadata"
)

// annotator annotates batches. It holds nothing from one batch to the next but
// memory.
type annotator struct {
	cfg       *Config
	reading   dialect.Options
	telemetry *metadata.TelemetryBuilder
	works     sync.Pool // of *work
}

var (
	skippedForeign = metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "foreign_attributes")))
	skippedTooMany = metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "max_spans_per_trace")))
)

func newAnnotator(set component.TelemetrySettings, cfg *Config) (*annotator, error) {
	custom, err := cfg.Dialects.Compile(set)
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set)
	a := &annotator{cfg: cfg, reading: dialect.Options{Custom: custom}, telemetry: telemetry}
	a.works.New = func() any {
		return &work{builder: assembly.Builder{DefaultModel: cfg.DefaultModel}, byID: make(map[[16]byte]int)}
	}
	return a, err
}

func (a *annotator) shutdown(context.Context) error {
	a.telemetry.Shutdown()
	return nil
}

// process annotates td by what its own spans prove. It never fails and never
// drops a span.
func (a *annotator) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	w := a.works.Get().(*work) //nolint:forcetypeassert // nothing else is there
	defer func() {
		w.forget()
		a.works.Put(w)
	}()
	dialect.With(td, &a.reading, func(spans []dialect.Span, _ int) { a.annotate(ctx, w, spans) })
	if len(w.notes) == 0 {
		return td, nil
	}
	var annotated, foreign int64
	at := 0 // dialect.Span.Place
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.TraceID().IsEmpty() || span.SpanID().IsEmpty() {
					continue // left out by Read
				}
				note := w.note(at)
				at++
				switch {
				case note == nil:
				case note.write(span.Attributes()):
					annotated++
				default:
					foreign++
				}
			}
		}
	}
	a.telemetry.ProcessorSpanPhaseAnnotatedSpans.Add(ctx, annotated)
	if foreign > 0 {
		a.telemetry.ProcessorSpanPhaseSkippedSpans.Add(ctx, foreign, skippedForeign)
	}
	return td, nil
}

// annotate makes the notes of a batch.
func (a *annotator) annotate(ctx context.Context, w *work, spans []dialect.Span) {
	w.sort(spans, a.cfg.MaxSpansPerTrace)
	for i := range w.traces {
		t := &w.traces[i]
		if !t.inferring {
			continue
		}
		if len(t.facts) > a.cfg.MaxSpansPerTrace {
			a.telemetry.ProcessorSpanPhaseSkippedSpans.Add(ctx, int64(len(t.facts)), skippedTooMany)
			continue
		}
		requests := w.builder.Build(t.id, t.facts)
		for _, r := range requests {
			w.annotate(r, t)
		}
		assembly.Recycle(requests)
	}
}
