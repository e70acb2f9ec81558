package spanphaseconnector

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// observe records everything that is known of a closed request.
func observe(store *series.Store, now time.Time, r *inference.Request) {
	o := store.Observer(now)
	defer o.Done()
	band := store.Band(r.InputTokens)
	o.Of(series.Labels{Identity: r.Identity, Result: r.Result, Band: band}, r.TraceID, r.SpanID)
	if r.Seen {
		observeRequest(&o, r)
	}
	observeTokens(&o, r)
	observePhases(&o, &r.Phases, inference.RoleServer)
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.InputTokens.Known() {
			band = store.Band(c.InputTokens)
		} else {
			band = store.Band(r.InputTokens)
		}
		o.Of(series.Labels{Identity: c.Identity, Result: c.Result, Band: band}, r.TraceID, c.SpanID)
		observeCall(&o, c)
		if c.Semconv != "" {
			observeSemconv(&o, r, c, band)
		}
	}
	band = store.Band(r.InputTokens)
	observeHops(&o, r, band)
	for i := range r.SiteMeasures {
		m := &r.SiteMeasures[i]
		o.Of(series.Labels{Identity: m.Identity, Result: m.Result, Band: band}, r.TraceID, m.SpanID)
		o.Record(numMetrics+inference.MetricID(m.Index), m.Value, series.Dims{})
	}
}

func observeHops(o *series.Observer, r *inference.Request, band string) {
	for i := range r.Hops {
		h := &r.Hops[i]
		o.Of(series.Labels{Identity: h.Identity, Result: r.Result, Band: band}, r.TraceID, h.SpanID)
		measure(o, inference.MetricHopDuration, h.Duration, h.Kind.String())
	}
}

func observeRequest(o *series.Observer, r *inference.Request) {
	measure(o, inference.MetricRequestDuration, r.Duration)
	measure(o, inference.MetricRequestTTFT, r.TTFT)
	o.Record(inference.MetricRequestCalls, float64(innermost(r.Calls)), series.Dims{})
	if r.Retries > 0 {
		o.Record(inference.MetricRequestRetries, float64(r.Retries), series.Dims{})
	}
	if r.FinishReason != "" {
		o.Record(inference.MetricRequestFinished, 1, series.Dims{r.FinishReason})
	}
}

// tokens are those of one type.
type tokens struct {
	name  string
	count inference.Count
}

func observeTokens(o *series.Observer, r *inference.Request) {
	for _, t := range []tokens{{"input", r.InputTokens}, {"output", r.OutputTokens}, {"cached", r.CachedTokens}} {
		if t.count.Known() {
			o.Record(inference.MetricTokenUsage, float64(t.count.N()), series.Dims{t.name})
		}
	}
}

func observeCall(o *series.Observer, c *inference.Call) {
	role := c.Role.String()
	measure(o, inference.MetricCallDuration, c.Duration, role)
	measure(o, inference.MetricCallTTFT, c.TTFT, role)
	measure(o, inference.MetricCallTPOT, c.TPOT, role)
	if c.Buffered {
		o.Record(inference.MetricStreamBuffered, 1, series.Dims{})
	}
	observePhases(o, &c.Phases, c.Role)
	for s := range inference.NumSubphases {
		measure(o, inference.MetricSubphaseDuration, c.Subphases[s], s.String())
	}
	if c.BatchSize.Known() && c.BatchSize.N() > 0 {
		o.Record(inference.MetricBatchSize, float64(c.BatchSize.N()), series.Dims{})
	}
}

func observePhases(o *series.Observer, phases *[inference.NumPhases]inference.Measure, role inference.Role) {
	for p := range inference.NumPhases {
		measure(o, inference.MetricPhaseDuration, phases[p], p.String(), role.String())
	}
}

// measure records m, if known, with its own dimensions and, where the metric
// has it, its provenance.
func measure(o *series.Observer, id inference.MetricID, m inference.Measure, dims ...string) {
	if !m.Known() {
		return
	}
	var d series.Dims
	n := copy(d[:], dims)
	if n < len(definition(id).Attributes) {
		d[n] = m.Provenance.String()
	}
	o.Record(id, m.Seconds, d)
}

// innermost counts calls once: those that another lies below are the same
// calls, seen from further out.
func innermost(calls []inference.Call) (n int) {
	for i := range calls {
		if !calls[i].Outer {
			n++
		}
	}
	return n
}
