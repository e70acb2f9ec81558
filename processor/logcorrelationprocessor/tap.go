package logcorrelationprocessor

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/ids"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
)

// tap reads what spans know and hands them on as they are, without delay.
type tap struct {
	member
	next consumer.Traces
}

// Capabilities tells that spans are not changed.
func (t *tap) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: false} }

// Start joins the correlator of this id.
func (t *tap) Start(context.Context, component.Host) error {
	if err := t.join(); err != nil {
		return err
	}
	t.taps.Add(1)
	return nil
}

// Shutdown leaves it.
func (t *tap) Shutdown(context.Context) error { return t.leave() }

// ConsumeTraces never fails by itself.
func (t *tap) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	c := t.correlator
	names, failed := c.namesIn(td)
	dialect.With(td, &c.reading, func(spans []dialect.Span, _ int) {
		// What one span says of another trace is not of that trace's own.
		own := slices.DeleteFunc(spans, func(s dialect.Span) bool { return s.Place < 0 })
		names := c.customNames(own, names)
		now := time.Now()
		c.release(func(core *correlate.Core) []*correlate.Parcel { return core.Add(now, own, names, failed) })
	})
	return t.next.ConsumeTraces(ctx, td)
}

// namesIn returns the request ids that spans name, and the traces with a failed span.
func (c *correlator) namesIn(td ptrace.Traces) (names []correlate.SpanName, failed [][16]byte) {
	var last string // what the last of names was read from
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.Status().Code() == ptrace.StatusCodeError {
					failed = append(failed, span.TraceID())
				}
				for key, value := range span.Attributes().All() {
					if _, ok := ids.RequestFieldOf(key); ok {
						names = c.appendName(names, span, value, &last)
					}
				}
			}
		}
	}
	return names, failed
}

// customNames puts the request ids that custom dialects read before others: they were said to be
// the ones.
func (c *correlator) customNames(spans []dialect.Span, names []correlate.SpanName) []correlate.SpanName {
	if len(c.reading.Custom) == 0 {
		return names
	}
	var own []correlate.SpanName
	var last string
	for i := range spans {
		if d := spans[i].Details; d != nil && d.RequestID != "" {
			own = c.appendID(own, spans[i].TraceID, spans[i].SpanID, d.RequestID, &last)
		}
	}
	return append(own, names...)
}

// appendName appends the request id in value.
func (c *correlator) appendName(
	names []correlate.SpanName, span ptrace.Span, value pcommon.Value, last *string,
) []correlate.SpanName {
	if value.Type() == pcommon.ValueTypeSlice && value.Slice().Len() > 0 {
		value = value.Slice().At(0) // a header is recorded as a list
	}
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return c.appendID(names, span.TraceID(), span.SpanID(), value.Str(), last)
	case pcommon.ValueTypeInt:
		return c.appendID(names, span.TraceID(), span.SpanID(), value.AsString(), last)
	}
	return names
}

// appendID appends a request id. Mostly it is that of the span before, which last is.
func (c *correlator) appendID(
	names []correlate.SpanName, trace [16]byte, span [8]byte, raw string, last *string,
) []correlate.SpanName {
	if n := len(names); n > 0 && raw == *last {
		return append(names, correlate.SpanName{Trace: trace, Span: span, Raw: names[n-1].Raw, Keys: names[n-1].Keys})
	}
	var forms ids.Forms
	if c.cfg.RequestID.Parse(raw, &forms) != ids.OK {
		return names
	}
	*last = raw
	return append(names, correlate.SpanName{Trace: trace, Span: span, Raw: forms.Written(raw), Keys: appendKeys(nil, &forms)})
}

func appendKeys(keys []correlate.Key, forms *ids.Forms) []correlate.Key {
	keys = slices.Grow(keys, forms.Len())
	for i := range forms.Len() {
		keys = append(keys, correlate.Key{Text: string(forms.Key(i)), Cut: forms.Cut(i)})
	}
	return keys
}

// sampledTap tells the correlator of another id which traces a sampler has kept. That one may
// start later, or not run at all.
type sampledTap struct {
	id      component.ID
	log     *zap.Logger
	next    consumer.Traces
	started *time.Timer // nil: it is not
}

// Capabilities tells that spans are not changed.
func (t *sampledTap) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// Start says that sampling will be known.
func (t *sampledTap) Start(context.Context, component.Host) error {
	samplersFor(t.id).Add(1)
	t.started = time.AfterFunc(startup, func() {
		if _, ok := byID.Load(t.id); !ok {
			t.log.Warn("sampled_for: no pipeline has the processor " + t.id.String() + ", so that nobody is told which traces were kept")
		}
	})
	return nil
}

// Shutdown says that it will no longer be.
func (t *sampledTap) Shutdown(context.Context) error {
	if t.started != nil {
		t.started.Stop()
		t.started = nil
		samplersFor(t.id).Add(-1)
	}
	return nil
}

// ConsumeTraces never fails by itself.
func (t *sampledTap) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if found, ok := byID.Load(t.id); ok {
		c := found.(*correlator)
		var kept [][16]byte
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if id := [16]byte(span.TraceID()); len(kept) == 0 || kept[len(kept)-1] != id {
						kept = append(kept, id)
					}
				}
			}
		}
		now := time.Now()
		c.release(func(core *correlate.Core) []*correlate.Parcel { return core.Sample(now, kept) })
	}
	return t.next.ConsumeTraces(ctx, td)
}
