package assembly

import (
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// clockSlack is how much longer than its call a part may be before it is
// wrong, in seconds: engines take the two from different clocks.
const clockSlack = 1e-3

// resolve turns what a call's span states into measures of c. own is the
// span's own duration in seconds. It returns what it had to drop.
//
// Residuals are those of an engine that states time to first token and
// end-to-end time by arrival, and queue, prefill and decode inside: what is
// left before and after is preprocess and postprocess.
func resolve(c *inference.Call, d *dialect.Details, own float64) (dropped [dialect.NumReasons]uint8) {
	v := d.Values
	c.Duration = callDuration(&v, own)
	dropParts(&v, c)
	stated := func(i dialect.Value) inference.Measure {
		seconds, _ := v.Get(i)
		if v.Derived(i) {
			return inference.NewMeasure(seconds, inference.Derived)
		}
		return inference.NewMeasure(seconds, inference.Measured)
	}
	e2e, queue, prefill, decode := stated(dialect.ValueE2E), stated(dialect.ValueQueue), stated(dialect.ValuePrefill), stated(dialect.ValueDecode)
	c.TTFT = stated(dialect.ValueTTFT)
	c.TPOT = tpot(c, &v, stated(dialect.ValueGeneration).Or(decode))
	c.Phases[inference.PhasePreprocess] = stated(dialect.ValuePreprocess).Or(c.TTFT.Minus(queue, prefill))
	c.Phases[inference.PhaseQueue] = queue
	c.Phases[inference.PhaseInference] = stated(dialect.ValueInference).Or(sum(prefill, decode))
	c.Phases[inference.PhasePostprocess] = stated(dialect.ValuePostprocess).Or(e2e.Minus(c.TTFT, decode))
	c.Subphases[inference.SubphasePrefill] = prefill
	c.Subphases[inference.SubphaseDecode] = decode
	c.Subphases[inference.SubphaseKVTransfer] = stated(dialect.ValueKVTransfer)
	for i := range dropped {
		dropped[i] = v.Dropped[i] - d.Values.Dropped[i]
	}
	return dropped
}

// callDuration prefers the engine's end-to-end time: a span may be ended late
// or early. One shorter than the time to first token cannot be right.
func callDuration(v *dialect.Values, own float64) inference.Measure {
	if e2e, ok := v.Get(dialect.ValueE2E); ok {
		if ttft, _ := v.Get(dialect.ValueTTFT); e2e >= ttft {
			return inference.NewMeasure(e2e, inference.Measured)
		}
		v.Drop(dialect.ValueE2E, dialect.ReasonExceeds)
	}
	return inference.NewMeasure(own, inference.Measured)
}

// dropParts drops what cannot be: a part longer than its call, a wait for the
// first token longer than the time to it, and a first token at no time. A call without output has no first token; its zero means
// that, and is no fault.
func dropParts(v *dialect.Values, c *inference.Call) {
	for _, i := range []dialect.Value{
		dialect.ValueTTFT, dialect.ValuePreprocess, dialect.ValueQueue, dialect.ValueInference,
		dialect.ValuePostprocess, dialect.ValuePrefill, dialect.ValueDecode, dialect.ValueKVTransfer, dialect.ValueGeneration, dialect.ValueTPOT,
	} {
		if part, ok := v.Get(i); ok && c.Duration.Known() && part > c.Duration.Seconds+clockSlack {
			v.Drop(i, dialect.ReasonExceeds)
		}
	}
	for _, i := range []dialect.Value{dialect.ValueQueue, dialect.ValuePrefill} {
		ttft, known := v.Get(dialect.ValueTTFT)
		if part, ok := v.Get(i); known && ok && part > ttft+clockSlack {
			v.Drop(i, dialect.ReasonExceeds)
		}
	}
	noOutput := c.OutputTokens.Known() && c.OutputTokens.N() == 0
	switch {
	case noOutput:
		v.Forget(dialect.ValueTTFT)
	case v.Zero(dialect.ValueTTFT):
		v.Drop(dialect.ValueTTFT, dialect.ReasonZero)
	}
}

// tpot returns the mean time per output token after the first: the engine's
// own mean, else measured generation time, else what the call took after its
// first token. The last is no substitute for a duration that the engine gave
// wrong.
func tpot(c *inference.Call, v *dialect.Values, generation inference.Measure) inference.Measure {
	if !c.OutputTokens.Known() || c.OutputTokens.N() < 2 {
		return inference.Measure{}
	}
	if mean, ok := v.Get(dialect.ValueTPOT); ok {
		return inference.NewMeasure(mean, inference.Measured)
	}
	if !generation.Known() && !v.Invalid(dialect.ValueDecode) && !v.Invalid(dialect.ValueE2E) {
		generation = c.Duration.Minus(c.TTFT)
	}
	if !generation.Known() {
		return inference.Measure{}
	}
	return inference.NewMeasure(generation.Seconds/float64(c.OutputTokens.N()-1), inference.Derived)
}

// sum returns a + b as a derived measure, absent unless both are known.
func sum(a, b inference.Measure) inference.Measure {
	if !a.Known() || !b.Known() {
		return inference.Measure{}
	}
	return inference.NewMeasure(a.Seconds+b.Seconds, inference.Derived)
}
