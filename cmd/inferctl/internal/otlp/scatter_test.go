package otlp

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// exports keeps every export apart.
type exports struct {
	batches [][]sdktrace.ReadOnlySpan
	err     error
}

func (e *exports) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.batches = append(e.batches, spans)
	return e.err
}

func (e *exports) Shutdown(context.Context) error { return nil }

// spansOf are the spans of one trace, the root last unless it is left out.
func spansOf(id byte, children int, withRoot bool) []sdktrace.ReadOnlySpan {
	context := func(span byte) trace.SpanContext {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{id}, SpanID: trace.SpanID{span}})
	}
	var stubs tracetest.SpanStubs
	for i := range children {
		stubs = append(stubs, tracetest.SpanStub{Name: fmt.Sprint("child", i), SpanContext: context(byte(i + 2)), Parent: context(1)})
	}
	if withRoot {
		stubs = append(stubs, tracetest.SpanStub{Name: "root", SpanContext: context(1)})
	}
	return stubs.Snapshots()
}

func TestScatterSendsEachSpanOfATraceInAnotherExport(t *testing.T) {
	next := &exports{}
	s := Scatter(next, 1)
	// The first trace comes in two batches.
	first := spansOf(1, 4, true)
	require.NoError(t, s.ExportSpans(t.Context(), first[:2]))
	assert.Empty(t, next.batches, "children wait for their root")
	require.NoError(t, s.ExportSpans(t.Context(), append(first[2:], spansOf(2, 4, true)...)))

	require.Len(t, next.batches, 5)
	orders := map[trace.TraceID]string{}
	for i, batch := range next.batches {
		require.Len(t, batch, 2)
		require.NotEqual(t, batch[0].SpanContext().TraceID(), batch[1].SpanContext().TraceID())
		for _, span := range batch {
			orders[span.SpanContext().TraceID()] += span.Name() + " "
			require.Equal(t, i == 4, span.Name() == "root", "the root is last")
		}
	}
	assert.NotEqual(t, orders[trace.TraceID{1}], orders[trace.TraceID{2}], "shuffled")
}

func TestScatterLosesNoOrphans(t *testing.T) {
	next := &exports{}
	s := Scatter(next, 1)
	require.NoError(t, s.ExportSpans(t.Context(), spansOf(1, 3, false)))
	require.NoError(t, s.Shutdown(t.Context()))
	require.Len(t, next.batches, 1)
	assert.Len(t, next.batches[0], 3)
}
