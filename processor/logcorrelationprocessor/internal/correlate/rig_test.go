package correlate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

const ms = time.Millisecond

func testConfig() Config {
	return Config{
		MaxTraces: 100, MaxSpansPerTrace: 200, MaxHeldBytes: 1 << 20, MaxHeldPerTrace: 100,
		TTL: 5 * time.Minute, Linger: 5 * time.Second, SampledAfter: 45 * time.Second,
	}
}

// rig is a Core with a clock of its own, which checks after each step that all is consistent.
type rig struct {
	*Core
	t   *testing.T
	now time.Time
}

func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	cfg := testConfig()
	if change != nil {
		change(&cfg)
	}
	return &rig{New(cfg), t, time.Unix(1e9, 0)}
}

// traceID is that of casetest.Trace.
func traceID(id byte) [16]byte { return [16]byte{0: 0xca, 15: id} }

func spanID(id byte) [8]byte { return [8]byte{0: 0x5e, 7: id} }

// requestKeys are the forms of request ids.
func requestKeys(raw ...string) (keys []Key) {
	rules := ids.DefaultRules()
	var f ids.Forms
	for _, r := range raw {
		rules.Parse(r, &f)
		for i := range f.Len() {
			keys = append(keys, Key{string(f.Key(i)), f.Cut(i)})
		}
	}
	return keys
}

// named returns the request ids and failures of spans as they are found in traffic.
func namesIn(td ptrace.Traces) (names []SpanName, failed [][16]byte) {
	for _, rs := range td.ResourceSpans().All() {
		s := rs.ScopeSpans().At(0).Spans().At(0)
		if raw, ok := s.Attributes().Get("gen_ai.request.id"); ok {
			names = append(names, SpanName{s.TraceID(), s.SpanID(), raw.Str(), requestKeys(raw.Str())})
		}
		if s.Status().Code() == ptrace.StatusCodeError {
			failed = append(failed, s.TraceID())
		}
	}
	return names, failed
}

func (r *rig) add(td ptrace.Traces) []*Parcel {
	r.t.Helper()
	spans, _ := dialect.Read(nil, td, nil)
	names, failed := namesIn(td)
	out := r.Add(r.now, spans, names, failed)
	r.consistent()
	return out
}

func (r *rig) advance(d time.Duration) []*Parcel {
	r.t.Helper()
	r.now = r.now.Add(d)
	out := r.Advance(r.now)
	r.consistent()
	return out
}

// hold holds one record for 15 s.
func (r *rig) hold(q Query) (*Parcel, []*Parcel) {
	r.t.Helper()
	p := &Parcel{Query: q, Records: 1, Data: make([]byte, 100), Arrived: r.now, Deadline: r.now.Add(15 * time.Second)}
	out := r.Hold(r.now, p)
	r.consistent()
	return p, out
}

// held holds one record that has something to wait for.
func (r *rig) held(q Query) *Parcel {
	r.t.Helper()
	p, out := r.hold(q)
	require.Empty(r.t, out)
	return p
}

func byTrace(trace byte, span ...byte) Query {
	q := Query{Trace: traceID(trace)}
	if len(span) > 0 {
		q.Span = spanID(span[0])
	}
	return q
}

func byRequest(raw ...string) Query { return Query{Keys: requestKeys(raw...)} }

// engine is vLLM's span of a call that has the tokens out.
func engine(id, parent byte, request string, out int) casetest.Span {
	attrs := casetest.VLLM()
	attrs["gen_ai.usage.completion_tokens"] = out
	if request != "" {
		attrs["gen_ai.request.id"] = request
	}
	start := time.Duration(id) * 300 * ms
	return casetest.Span{ID: id, Parent: parent, Name: "llm_request", Kind: ptrace.SpanKindServer, Start: start, End: start + 266*ms, Attrs: attrs}
}

func gateway(id, parent byte, request string) casetest.Span {
	attrs := map[string]any{}
	if request != "" {
		attrs["gen_ai.request.id"] = request
	}
	return casetest.Span{ID: id, Parent: parent, Name: "POST /v1/chat/completions", Kind: ptrace.SpanKindServer, End: 10 * time.Second, Attrs: attrs}
}

func client(id, parent byte) casetest.Span {
	start := time.Duration(id) * 300 * ms
	return casetest.Span{ID: id, Parent: parent, Name: "chat m", Kind: ptrace.SpanKindClient, Start: start - 10*ms, End: start + 280*ms, Attrs: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.output_tokens": 20,
	}}
}

func agent(id, parent byte) casetest.Span {
	return casetest.Span{ID: id, Parent: parent, Name: "invoke_agent", End: time.Minute + time.Duration(id), Attrs: map[string]any{"gen_ai.operation.name": "invoke_agent"}}
}

func traceOf(id byte, spans ...casetest.Span) ptrace.Traces { return casetest.Trace(id, nil, spans...) }
