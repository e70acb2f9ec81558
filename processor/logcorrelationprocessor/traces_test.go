package logcorrelationprocessor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
)

// Scenario: traces that other pipelines share, through the tap and through the tap behind a
// sampler.
// Guarantees: the very same data comes out before ConsumeTraces returns, unchanged, with the
// context and the error of the next component.
func TestTracesPassUntouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for name, create := range map[string]func(consumer.Traces) processor.Traces{
			"tap": func(next consumer.Traces) processor.Traces {
				p, err := NewFactory().CreateTraces(t.Context(), r.set, r.cfg, next)
				require.NoError(t, err)
				require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
				return p
			},
			"behind sampler": func(next consumer.Traces) processor.Traces {
				return behindSampler(t, r.set, next)
			},
		} {
			type key struct{}
			var got ptrace.Traces
			var ctxOf context.Context
			next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
				got, ctxOf = td, ctx
				return errBusy
			})
			require.NoError(t, err)
			p := create(next)
			assert.False(t, p.Capabilities().MutatesData, name)
			td := oddTraces()
			before, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			td.MarkReadOnly()
			start := time.Now()
			require.ErrorIs(t, p.ConsumeTraces(context.WithValue(t.Context(), key{}, name), td), errBusy)
			assert.Zero(t, time.Since(start), "no delay")
			assert.Equal(t, td, got, "the same, not a copy")
			assert.Equal(t, name, ctxOf.Value(key{}))
			later, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			assert.Equal(t, before, later)
			require.NoError(t, p.Shutdown(t.Context()))
		}
	})
}

// oddTraces is what a tap may meet: ids as lists, numbers and of no length, spans without ids.
func oddTraces() ptrace.Traces {
	td := call(1)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for _, id := range []any{[]any{"a", "b"}, []any{}, 4711, 1.5, true, "", map[string]any{"id": "x"}, nil, "-"} {
		span := spans.AppendEmpty()
		putCall(span, 2)
		span.SetSpanID(spanOf(spans.Len()))
		v := span.Attributes().PutEmpty("http.request.header.x-request-id")
		if err := v.FromRaw(id); err != nil {
			panic(err)
		}
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Links().AppendEmpty().SetTraceID(traceOf(9))
	}
	spans.AppendEmpty()
	spans.AppendEmpty().SetTraceID(traceOf(3))
	spans.AppendEmpty().SetSpanID(pcommon.SpanID{1})
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	td.ResourceSpans().AppendEmpty()
	return td
}
