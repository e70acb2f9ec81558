package spanphaseprocessor

import (
	"context"

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
	spans, _ := dialect.Read(nil, td, nil)
	notes := a.annotations(ctx, spans)
	if len(notes) == 0 {
		return td, nil
	}
	var annotated, foreign int64
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				note, ok := notes[place{span.TraceID(), span.SpanID()}]
				if !ok {
					continue
				}
				if note.write(span.Attributes()) {
					annotated++
				} else {
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

// place is a span in a batch.
type place struct {
	traceID [16]byte
	spanID  [8]byte
}

// annotations returns what to write on which span.
func (a *annotator) annotations(ctx context.Context, spans []dialect.Span) map[place]*annotation {
	byTrace := make(map[[16]byte][]dialect.Facts)
	inferring := make(map[[16]byte]bool)
	for i := range spans {
		s := &spans[i]
		byTrace[s.TraceID] = append(byTrace[s.TraceID], s.Facts)
		if s.Part == dialect.PartCall || s.Part == dialect.PartStage {
			inferring[s.TraceID] = true
		}
	}
	notes := make(map[place]*annotation)
	builder := assembly.Builder{DefaultModel: a.cfg.DefaultModel}
	for traceID := range inferring {
		facts := byTrace[traceID]
		if len(facts) > a.cfg.MaxSpansPerTrace {
			a.telemetry.ProcessorSpanPhaseSkippedSpans.Add(ctx, int64(len(facts)), skippedTooMany)
			continue
		}
		for _, r := range builder.Build(traceID, facts) {
			annotateRequest(notes, r, facts)
		}
	}
	return notes
}

// annotateRequest adds the annotations of a request and its calls. The request
// span itself is annotated only where the batch proves that it is one: nothing
// can be above it.
func annotateRequest(notes map[place]*annotation, r *inference.Request, facts []dialect.Facts) {
	if r.Seen && topmost(facts, r.SpanID) {
		notes[place{r.TraceID, r.SpanID}] = ofRequest(r)
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		at := place{r.TraceID, c.SpanID}
		if known := notes[at]; known != nil {
			known.addCall(c)
			continue
		}
		notes[at] = ofCall(c)
	}
}

func topmost(facts []dialect.Facts, id [8]byte) bool {
	for i := range facts {
		if facts[i].SpanID == id {
			return facts[i].ParentID == [8]byte{}
		}
	}
	return false
}
