package spanphaseprocessor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
	"github.com/otelcol-inference/otelcol-inference/processor/spanphaseprocessor/internal/metadata"
)

// annotator annotates batches. It holds nothing from one batch to the next.
type annotator struct {
	cfg       *Config
	telemetry *metadata.TelemetryBuilder
}

var (
	skippedForeign = metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "foreign_attributes")))
	skippedTooMany = metric.WithAttributeSet(attribute.NewSet(attribute.String("reason", "max_spans_per_trace")))
)

func newAnnotator(set component.TelemetrySettings, cfg *Config) (*annotator, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set)
	return &annotator{cfg: cfg, telemetry: telemetry}, err
}

func (a *annotator) shutdown(context.Context) error {
	a.telemetry.Shutdown()
	return nil
}

// process annotates td by what its own spans prove. It never fails and never
// drops a span.
func (a *annotator) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	var notes map[int]*annotation
	dialect.With(td, nil, func(spans []dialect.Span, _ int) { notes = a.annotations(ctx, spans) })
	if len(notes) == 0 {
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
				note := notes[at]
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

// traceSpans is the spans of one trace in a batch.
type traceSpans struct {
	facts     []dialect.Facts
	places    []int // in the batch
	inferring bool
}

// find returns the place of the span with the id, and whether nothing is above
// it. Of two spans under one id it is the one that says something, as in
// assembly.
func (t *traceSpans) find(id [8]byte) (place int, topmost bool) {
	place = -1
	for i := range t.facts {
		if f := &t.facts[i]; f.SpanID == id && (place < 0 || f.Part != dialect.PartPlain) {
			place, topmost = t.places[i], f.ParentID == [8]byte{}
			if f.Part != dialect.PartPlain {
				break
			}
		}
	}
	return place, topmost
}

// byTrace groups a batch. What came twice in it is taken once.
func (a *annotator) byTrace(spans []dialect.Span) map[[16]byte]*traceSpans {
	traces := make(map[[16]byte]*traceSpans)
	for i := range spans {
		s := &spans[i]
		t := traces[s.TraceID]
		if t == nil {
			t = &traceSpans{}
			traces[s.TraceID] = t
		}
		same := func(f dialect.Facts) bool { return assembly.Same(&f, &s.Facts) }
		if s.Place >= 0 && len(t.facts) <= a.cfg.MaxSpansPerTrace && !slices.ContainsFunc(t.facts, same) {
			t.facts = append(t.facts, s.Facts)
			t.places = append(t.places, s.Place)
		}
		t.inferring = t.inferring || s.Part != dialect.PartPlain && s.Part != dialect.PartAgent
	}
	return traces
}

// annotations returns what to write on which span, by its place in the batch.
func (a *annotator) annotations(ctx context.Context, spans []dialect.Span) map[int]*annotation {
	notes := make(map[int]*annotation)
	builder := assembly.Builder{DefaultModel: a.cfg.DefaultModel}
	for traceID, t := range a.byTrace(spans) {
		if !t.inferring {
			continue
		}
		if len(t.facts) > a.cfg.MaxSpansPerTrace {
			a.telemetry.ProcessorSpanPhaseSkippedSpans.Add(ctx, int64(len(t.facts)), skippedTooMany)
			continue
		}
		for _, r := range builder.Build(traceID, t.facts) {
			annotateRequest(notes, r, t)
		}
	}
	return notes
}

// annotateRequest adds the annotations of a request and its calls. The request
// span itself is annotated only where the batch proves that it is one: nothing
// can be above it.
func annotateRequest(notes map[int]*annotation, r *inference.Request, t *traceSpans) {
	if place, topmost := t.find(r.SpanID); r.Seen && topmost {
		notes[place] = ofRequest(r)
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		place, _ := t.find(c.SpanID)
		if known := notes[place]; known != nil {
			known.addCall(c)
			continue
		}
		notes[place] = ofCall(c)
	}
}
