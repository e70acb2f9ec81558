package spanphaseconnector

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: other services send far more traces than max_traces while a model runs.
// Guarantees: their traces make room, not the one of the model.
func TestOtherTracesMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxTraces = 80 })
		spans := casetest.Stages("m")
		r.send(t, casetest.Trace(1, engine, spans[1:4]...))
		for i := range uint64(2000) {
			td := casetest.Trace(2, engine, casetest.Span{ID: 1, Name: "GET /", Kind: ptrace.SpanKindServer, End: time.Second})
			var id pcommon.TraceID
			binary.BigEndian.PutUint64(id[:], i+1)
			td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetTraceID(id)
			r.send(t, td)
		}
		time.Sleep(2 * time.Minute)
		r.send(t, casetest.Trace(1, engine, append(spans[:1], spans[4:]...)...))
		time.Sleep(time.Minute)
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.queue", 1)
		assert.Zero(t, r.value(t, "incomplete_requests", ""))
		assert.Positive(t, r.value(t, "evicted_traces", ""))
		r.stop(t)
	})
}

// Scenario: a trace is full of plain spans when its call and its root come.
// Guarantees: those take the place of plain ones.
func TestPlainSpansMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxSpansPerTrace = 20 })
		for i := range byte(50) {
			r.send(t, casetest.Trace(1, engine, casetest.Span{ID: 100 + i, Parent: 1, Name: fmt.Sprint("db", i), End: ms}))
		}
		r.send(t, casetest.Trace(1, engine, vllmCall(2, 1, 0), casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}))
		assert.EqualValues(t, 20, r.value(t, "open_spans", ""))
		assert.EqualValues(t, 32, r.value(t, "refused_spans", "max_spans_per_trace"))
		r.stop(t)
		count, sum := r.total(t, "request")
		assert.EqualValues(t, 1, count)
		assert.InDelta(t, 1, sum, 1e-9)
	})
}

// Scenario: more spans are open than max_spans.
// Guarantees: the oldest requests are observed, none is lost.
func TestMaxSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxSpans = 100 })
		for id := range byte(100) {
			r.send(t, casetest.Trace(id+1, engine, casetest.Stages("m")...))
			require.LessOrEqual(t, r.value(t, "open_spans", ""), int64(100))
		}
		r.stop(t)
		r.requireCount(t, "phase.inference", 100)
		r.requireCount(t, "phase.queue", 100)
	})
}

// Scenario: a client makes up model versions.
// Guarantees: they do not use up the room of other models.
func TestModelVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxModelVersions = 3; cfg.MaxSeries = 500 })
		for i := range byte(100) {
			spans := casetest.Stages("m")
			spans[4].Attrs["model.version"] = fmt.Sprint("v", i)
			r.send(t, casetest.Trace(i+1, engine, spans...))
		}
		r.send(t, casetest.Trace(200, engine, casetest.Stages("fresh")...))
		assert.Positive(t, r.value(t, "open_traces", ""))
		r.stop(t)
		versions := map[string]bool{}
		for _, p := range points(r.last(t), "inference.call.duration") {
			if v, ok := p.Attributes().Get(inference.AttrModelVersion); ok {
				versions[v.AsString()] = true
			}
		}
		assert.Len(t, versions, 4, "three and other: %v", versions)
		count, _ := casetest.Total(r.last(t), "request", map[string]string{"model": "fresh"})
		assert.EqualValues(t, 1, count)
	})
}

// gate refuses or holds up what passes while it is shut.
type gate struct {
	consumer.Metrics
	refuse, hold atomic.Bool
}

func (g *gate) ConsumeMetrics(ctx context.Context, m pmetric.Metrics) error {
	if g.hold.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	if g.refuse.Load() {
		return errors.New("refused")
	}
	return g.Metrics.ConsumeMetrics(ctx, m)
}

func newGated(t *testing.T, change func(*Config)) (*rig, *gate) {
	t.Helper()
	g := &gate{}
	return newRigBefore(t, change, func(sink consumer.Metrics) consumer.Metrics {
		g.Metrics = sink
		return g
	}), g
}

// Scenario: the metrics pipeline blocks.
// Guarantees: requests still close, flushes fail by timeout, and Shutdown ends.
func TestBlockedPipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, g := newGated(t, func(cfg *Config) { cfg.Assembly.MaxTraces = 160 })
		g.hold.Store(true)
		for id := range byte(200) {
			r.send(t, casetest.Trace(id+1, engine, casetest.Stages("m")...))
			time.Sleep(time.Second)
		}
		assert.Zero(t, r.value(t, "evicted_traces", ""))
		assert.GreaterOrEqual(t, r.value(t, "failed_flushes", ""), int64(12))
		begin := time.Now()
		r.stop(t)
		assert.LessOrEqual(t, time.Since(begin), 10*time.Second)
	})
}

// Scenario: the metrics pipeline refuses for longer than series_expiry.
// Guarantees: the next flush that succeeds has all that was observed.
func TestOutageLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, g := newGated(t, nil)
		g.refuse.Store(true)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(20 * time.Minute)
		g.refuse.Store(false)
		time.Sleep(time.Minute)
		require.NotEmpty(t, r.sink.AllMetrics())
		count, _ := casetest.Total(r.sink.AllMetrics()[0], "request", nil)
		assert.EqualValues(t, 1, count)
		r.stop(t)
	})
}

// Scenario: the flush that says that a series ended is refused.
// Guarantees: the next one says it.
func TestEndIsSaidAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, g := newGated(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(14 * time.Minute)
		g.refuse.Store(true)
		time.Sleep(3 * time.Minute)
		g.refuse.Store(false)
		time.Sleep(time.Minute)
		assert.Len(t, r.withMark(t), 1)
		r.stop(t)
	})
}

// Scenario: two connectors of one collector, or of two, on one page.
// Guarantees: their series are apart.
func TestInstanceID(t *testing.T) {
	set := connectortest.NewNopSettings(metadata.Type)
	set.ID = component.NewID(metadata.Type)
	assert.Equal(t, process, instanceID("", &set))
	assert.Equal(t, "node-1", instanceID("node-1", &set))
	set.Resource = pcommon.NewResource()
	set.Resource.Attributes().PutStr("service.instance.id", "own")
	assert.Equal(t, "own", instanceID("", &set))
	set.ID = component.NewIDWithName(metadata.Type, "second")
	assert.Equal(t, "own/second", instanceID("", &set))
	assert.Equal(t, "node-1/second", instanceID("node-1", &set))
}

// Scenario: a trace is full; its call hangs on a handler below the root, and
// the root is delivered again.
// Guarantees: the links from call to root stay, and a duplicate pushes nothing out.
func TestMakeRoomKeepsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxSpansPerTrace = 20 })
		root := casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}
		r.send(t, casetest.Trace(1, engine, root, casetest.Span{ID: 2, Parent: 1, Name: "handler", End: time.Second}))
		for i := range byte(50) {
			r.send(t, casetest.Trace(1, engine, casetest.Span{ID: 100 + i, Parent: 2, Name: fmt.Sprint("db", i), End: ms}))
		}
		r.send(t, casetest.Trace(1, engine, vllmCall(3, 2, 0)))
		refused := r.value(t, "refused_spans", "")
		r.send(t, casetest.Trace(1, engine, root))
		assert.Equal(t, refused, r.value(t, "refused_spans", ""))
		r.stop(t)
		count, sum := r.total(t, "request")
		assert.EqualValues(t, 1, count)
		assert.InDelta(t, 1, sum, 1e-9)
	})
}

// Scenario: max_spans is reached in the midst of a request.
// Guarantees: another trace makes room, not the one that is coming in.
func TestMaxSpansSparesTheComing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxSpans = 80; cfg.Assembly.MaxTraces = 8000 })
		for id := range byte(200) {
			r.send(t, casetest.Trace(id, engine, vllmCall(1, 0, 0)))
		}
		for id := range byte(20) {
			r.send(t, casetest.Trace(200+id, engine,
				casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: 100 * time.Second}, vllmCall(2, 1, 0)))
		}
		r.stop(t)
		count, sum := r.total(t, "request")
		assert.EqualValues(t, 220, count)
		assert.InDelta(t, 200*0.265+20*100, sum, 1e-6)
	})
}

// Scenario: thousands of traces of one span that is called queue.
// Guarantees: they make room before the trace of a model.
func TestLoneQueuesMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxTraces = 80 })
		spans := casetest.Stages("m")
		r.send(t, casetest.Trace(1, engine, spans[1:4]...))
		for i := range uint64(2000) {
			td := casetest.Trace(2, engine, casetest.Span{ID: 1, Parent: 9, Name: "queue", End: time.Second})
			var id pcommon.TraceID
			binary.BigEndian.PutUint64(id[:], i+1)
			td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetTraceID(id)
			r.send(t, td)
		}
		r.send(t, casetest.Trace(1, engine, append(spans[:1], spans[4:]...)...))
		time.Sleep(time.Minute)
		r.requireCount(t, "request", 1)
		r.requireCount(t, "phase.queue", 1)
		r.stop(t)
	})
}

// Scenario: an outage begins while a new series is still held at zero.
// Guarantees: its value comes when the outage ends, however long that was.
func TestOutageDuringHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, g := newGated(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(16 * time.Second)
		g.refuse.Store(true)
		time.Sleep(20 * time.Minute)
		g.refuse.Store(false)
		time.Sleep(time.Minute)
		var most uint64
		for _, m := range r.sink.AllMetrics() {
			count, _ := casetest.Total(m, "request", nil)
			most = max(most, count)
		}
		assert.EqualValues(t, 1, most)
		r.stop(t)
	})
}

// Scenario: a series comes back before its end could be told.
// Guarantees: no export says both that it lives and that it ended.
func TestNoEndOfTheLiving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, g := newGated(t, nil)
		r.send(t, casetest.Trace(1, engine, casetest.Stages("m")...))
		time.Sleep(14 * time.Minute)
		g.refuse.Store(true)
		time.Sleep(3 * time.Minute)
		r.send(t, casetest.Trace(2, engine, casetest.Stages("m")...))
		time.Sleep(12 * time.Second)
		g.refuse.Store(false)
		time.Sleep(time.Minute)
		for _, m := range r.sink.AllMetrics() {
			assert.LessOrEqual(t, len(points(m, requestDuration)), 1)
		}
		r.stop(t)
	})
}

// Scenario: the overflow has more series than max_series.
// Guarantees: it takes no room from others.
func TestOverflowTakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxSeries = 3 })
		r.send(t, casetest.Trace(1, engine, casetest.Stages("first")...))
		time.Sleep(30 * time.Minute)
		r.send(t, casetest.Trace(2, engine, casetest.Stages("second")...))
		r.stop(t)
		count, _ := casetest.Total(r.last(t), "request", map[string]string{"model": "second"})
		assert.EqualValues(t, 1, count)
	})
}

// Scenario: more requests than max_traces, their spans in exports of their own:
// between the root of one and its call come the roots of others.
// Guarantees: old requests make room, not those that have just begun.
func TestBegunRequestsAreSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lag = 5
		r := newRig(t, func(cfg *Config) { forever(cfg); cfg.Assembly.MaxTraces = 160 })
		for i := range 240 {
			if i < 235 {
				r.send(t, casetest.Trace(byte(i), engine, casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second}))
			}
			if i >= lag {
				r.send(t, casetest.Trace(byte(i-lag), engine, vllmCall(2, 1, 0)))
			}
		}
		r.stop(t)
		count, sum := r.total(t, "request")
		assert.EqualValues(t, 235, count)
		assert.InDelta(t, 235, sum, 1e-9)
	})
}
