package correlate

import (
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Facts is what a trace knows about one of its requests, or about one call of it. It is not
// changed once it is made, so that it can be read without a lock.
type Facts struct {
	RequestID    string // as the span that names it spells it
	Model        string
	ModelVersion string
	Engine       string
	InputTokens  inference.Count
	OutputTokens inference.Count
	CachedTokens inference.Count
	Phases       [inference.NumPhases]inference.Measure
	Total        inference.Measure // of the request, or of the call where the request was not seen
	TTFT         inference.Measure
	SlowestPhase string // "" unless queue and inference are known
	// Error says that the request failed.
	Error bool
}

// ofRequest returns the facts of a request: its own times, and the phases of the call that
// decided it.
func ofRequest(r *inference.Request) *Facts {
	f := &Facts{
		Model: r.Identity.Model, ModelVersion: r.Identity.ModelVersion, Engine: r.Identity.Engine,
		InputTokens: r.InputTokens, OutputTokens: r.OutputTokens, CachedTokens: r.CachedTokens,
		Phases: r.Phases, Total: r.Duration, TTFT: r.TTFT, Error: r.Result.Outcome != inference.OutcomeOK,
	}
	if c := r.PhaseCall(); c != nil {
		f.Phases = c.Phases
		f.Total = f.Total.Or(c.Duration)
		if !r.Seen || c.SpanID == r.SpanID {
			f.TTFT = f.TTFT.Or(c.TTFT) // from the same start
		}
	}
	f.name()
	return f
}

// ofCall returns the facts of one of several calls.
func ofCall(c *inference.Call) *Facts {
	f := &Facts{
		Model: c.Identity.Model, ModelVersion: c.Identity.ModelVersion, Engine: c.Identity.Engine,
		InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, CachedTokens: c.CachedTokens,
		Phases: c.Phases, Total: c.Duration, TTFT: c.TTFT, Error: c.Result.Outcome != inference.OutcomeOK,
	}
	f.name()
	return f
}

func (f *Facts) name() {
	if f.Model == inference.UnknownModel {
		f.Model = ""
	}
	if p, ok := inference.SlowestPhase(&f.Phases); ok {
		f.SlowestPhase = p.String()
	}
}

// lend gives a call, seen by its caller, what its engine says of it. Neither is read yet.
func (f *Facts) lend(engine *Facts) {
	for p := range inference.NumPhases {
		f.Phases[p] = f.Phases[p].Or(engine.Phases[p])
	}
	f.Engine = engine.Engine
	f.TTFT = f.TTFT.Or(engine.TTFT)
	for _, n := range []struct{ to, from *inference.Count }{
		{&f.InputTokens, &engine.InputTokens}, {&f.OutputTokens, &engine.OutputTokens}, {&f.CachedTokens, &engine.CachedTokens},
	} {
		if n.from.Known() {
			*n.to = *n.from
		}
	}
	f.name()
}

// calls returns the number of calls of a request, each counted once however many sides of it
// were seen.
func calls(r *inference.Request) (n int) {
	for i := range r.Calls {
		if !r.Calls[i].Outer {
			n++
		}
	}
	return n
}
