package assembly

import (
	"cmp"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// finish completes a request from its span and its calls.
func (b *Builder) finish(r *inference.Request) {
	decisive := decisiveCall(r.Calls)
	if decisive != nil {
		r.Identity.Engine, r.Identity.Model, r.Identity.ModelVersion =
			decisive.Identity.Engine, decisive.Identity.Model, decisive.Identity.ModelVersion
	}
	r.Retries = retries(r.Calls)
	countTokens(r)
	if !r.Seen {
		if decisive != nil {
			r.Start = decisive.Start
			r.Identity, r.Result, r.FinishReason = decisive.Identity, decisive.Result, decisive.FinishReason
		}
		return
	}
	b.fromSpan(r, b.find(r.SpanID), decisive)
	r.RequestID = b.requestID(r, decisive)
}

// fromSpan completes a request whose span, i, was seen.
func (b *Builder) fromSpan(r *inference.Request, i int32, decisive *inference.Call) {
	f := &b.spans[i]
	of := b.identity(i, "")
	r.Identity.ServiceName, r.Identity.ServiceNamespace, r.Identity.Environment =
		of.ServiceName, of.ServiceNamespace, of.Environment
	r.Identity.Dimensions = b.requestDimensions(i, decisive)
	if decisive == nil && of.Model != inference.UnknownModel {
		r.Identity.Model, r.Identity.ModelVersion = of.Model, cmp.Or(of.ModelVersion, r.Identity.ModelVersion)
	}
	r.Identity.Model = cmp.Or(r.Identity.Model, of.Model)
	if f.Part == dialect.PartRequest && b.modelBelow[i] != "" && b.modelNamed(i) == "" {
		// Of an ensemble it is the outer model that was asked for.
		r.Identity.Model, r.Identity.ModelVersion = b.modelBelow[i], b.versionBelow[i]
	}
	if decisive != nil && r.Identity.ModelVersion == "" && r.Identity.Model == of.Model {
		r.Identity.ModelVersion = of.ModelVersion
	}
	r.Result = inference.Result{}
	if f.Details != nil {
		r.Result, r.FinishReason = f.Details.Result, f.Details.FinishReason
		fromUsage(r, f.Details)
	}
	r.Duration = inference.NewMeasure(f.Seconds(), inference.Measured)
	if !f.Timed() {
		b.Dropped[dialect.ReasonTime]++
	}
	if decisive == nil {
		r.Result.ErrorType = errorType(r.Result)
		return
	}
	for k := range r.Calls {
		if c := &r.Calls[k]; c.SpanID == r.SpanID {
			r.Duration = c.Duration // the request span is itself a call
		}
	}
	if r.Result.Streaming == inference.Unknown {
		r.Result.Streaming = decisive.Result.Streaming
	}
	if r.Result.Outcome != inference.OutcomeOK && r.Result.ErrorType == "" {
		r.Result.ErrorType = decisive.Result.ErrorType
	}
	r.Result.ErrorType = errorType(r.Result)
	r.FinishReason = cmp.Or(r.FinishReason, decisive.FinishReason)
	if decisive.Result.Outcome == inference.OutcomeOK {
		r.TTFT = b.firstToken(r, f, decisive)
	}
}

// firstToken is the request's time to first token, as the decisive call tells
// it, else another view of that call.
func (b *Builder) firstToken(r *inference.Request, f *dialect.Facts, decisive *inference.Call) inference.Measure {
	if d := f.Details; d != nil && (d.StandIn || f.Part == dialect.PartPlain || f.Part == dialect.PartRequest) && decisive.SpanID != r.SpanID {
		// A front end, or an application, that says itself when it saw the first token.
		if seconds, ok := d.Values.Get(dialect.ValueTTFT); ok && seconds <= f.Seconds() {
			return inference.NewMeasure(seconds, inference.Measured)
		}
	}
	ttft := b.requestTTFT(r, f, decisive)
	for k := len(r.Calls) - 1; k >= 0 && !ttft.Known(); k-- {
		if c := &r.Calls[k]; c.Role != decisive.Role && c.Result.Outcome == inference.OutcomeOK {
			ttft = b.requestTTFT(r, f, c)
		}
	}
	return ttft
}

// requestTTFT is the time from the request's start to the first token of its
// last successful call, where one clock measured both: that of one process or
// host, or of two that agree on the call lying inside the request.
func (b *Builder) requestTTFT(r *inference.Request, f *dialect.Facts, c *inference.Call) inference.Measure {
	if c.SpanID == r.SpanID || !c.TTFT.Known() {
		return c.TTFT
	}
	g := &b.spans[b.find(c.SpanID)]
	if !f.Timed() || !g.Timed() {
		return inference.Measure{}
	}
	x, y := f.Origin.Value(), g.Origin.Value()
	sameClock := f.Origin == g.Origin || x.Host != "" && x.Host == y.Host || intervalOf(f).covers(intervalOf(g))
	if !sameClock {
		return inference.Measure{}
	}
	return inference.NewMeasure(float64(c.Start-f.Start)/1e9+c.TTFT.Seconds, inference.Derived)
}

// decisiveCall is the call that made a request what it is: the last successful
// one, else the last; nil if there is none.
func decisiveCall(calls []inference.Call) *inference.Call {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].Result.Outcome == inference.OutcomeOK {
			return &calls[i]
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return &calls[len(calls)-1]
}

// retries counts the calls after a failed one to the same model.
func retries(calls []inference.Call) (n int) {
	for i := range calls {
		for k := range calls[:i] {
			if calls[k].Result.Outcome != inference.OutcomeOK && !calls[k].Outer && !calls[i].Outer &&
				calls[k].Identity.Model == calls[i].Identity.Model {
				n++
				break
			}
		}
	}
	return n
}

// countTokens sums the tokens of one side only, the engine's where it is
// known: both sides count the same tokens.
func countTokens(r *inference.Request) {
	for _, role := range []inference.Role{inference.RoleServer, inference.RoleClient} {
		for i := range r.Calls {
			if c := &r.Calls[i]; c.Role == role && (role == inference.RoleServer || !c.Outer) {
				r.InputTokens, r.OutputTokens = r.InputTokens.Add(c.InputTokens), r.OutputTokens.Add(c.OutputTokens)
				r.CachedTokens = r.CachedTokens.Add(c.CachedTokens)
			}
		}
		if r.InputTokens.Known() || r.OutputTokens.Known() {
			return
		}
	}
}

// fromUsage takes the tokens from the request span where no call told them.
func fromUsage(r *inference.Request, d *dialect.Details) {
	if !r.InputTokens.Known() && !r.OutputTokens.Known() {
		r.InputTokens, r.OutputTokens, r.CachedTokens = d.InputTokens, d.OutputTokens, d.CachedTokens
	}
}

// errorType names the error of what failed without saying how, as the
// semantic conventions ask.
func errorType(r inference.Result) string {
	if r.Outcome == inference.OutcomeOK {
		return ""
	}
	return cmp.Or(r.ErrorType, inference.OtherError)
}
