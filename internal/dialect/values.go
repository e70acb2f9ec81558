package dialect

import (
	"math"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Value is a duration that an engine wrote on a span.
type Value uint8

// The values.
const (
	ValueE2E  Value = iota // the whole call
	ValueTTFT              // arrival to first token
	ValueTPOT              // mean between tokens
	ValuePreprocess
	ValueQueue
	ValueInference
	ValuePostprocess
	ValuePrefill
	ValueKVTransfer
	ValueDecode     // in the engine, first to last token
	ValueGeneration // as the caller saw it, first to last chunk
	numValues
)

// Reason tells why a value was dropped.
type Reason uint8

// The reasons.
const (
	ReasonNegative  Reason = iota // below zero; -1 is a common "not measured"
	ReasonZero                    // zero where zero cannot be
	ReasonNotFinite               // NaN or infinite
	ReasonType                    // not a number
	ReasonExceeds                 // a part longer than its call
	ReasonTime                    // end before start, no time at all, or longer than a month
	NumReasons
)

var reasonNames = [NumReasons]string{"negative", "zero", "not_finite", "wrong_type", "exceeds_call", "time"}

// String returns the value of the attribute reason.
func (r Reason) String() string { return reasonNames[r] }

// Values holds the durations that a span states, in seconds, and what was
// wrong with those that it does not.
type Values struct {
	seconds [numValues]float64
	stated  uint16 // bit per Value: known
	invalid uint16 // bit per Value: stated, but unusable
	zero    uint16 // bit per Value: stated as zero
	derived uint16 // bit per Value: not stated itself, but calculated from others
	Dropped [NumReasons]uint8
}

// Get returns the value in seconds and whether it is known. A known value is
// finite and above zero.
func (v *Values) Get(i Value) (float64, bool) { return v.seconds[i], v.stated&(1<<i) != 0 }

// Derived reports whether the value was calculated from others.
func (v *Values) Derived(i Value) bool { return v.derived&(1<<i) != 0 }

// SetDerived is Set for a value that was calculated.
func (v *Values) SetDerived(i Value, seconds float64) {
	v.Set(i, seconds)
	v.derived |= 1 << i & v.stated
}

// Derive sets a value that the span does not state to a - b, where both are
// known and that is above zero.
func (v *Values) Derive(i, a, b Value) {
	x, known := v.Get(a)
	y, both := v.Get(b)
	if known && both && x > y {
		v.SetDerived(i, x-y)
	}
}

// Invalid reports whether the span stated the value, but unusably.
func (v *Values) Invalid(i Value) bool { return v.invalid&(1<<i) != 0 }

// Zero reports whether the span stated the value as zero.
func (v *Values) Zero(i Value) bool { return v.zero&(1<<i) != 0 }

// Set stores a value in seconds. A zero is absent: no time passed, or nothing
// was measured. What cannot be a duration is dropped by its reason.
func (v *Values) Set(i Value, seconds float64) {
	switch {
	case math.IsNaN(seconds) || math.IsInf(seconds, 0):
		v.Drop(i, ReasonNotFinite)
	case seconds < 0:
		v.Drop(i, ReasonNegative)
	case seconds > inference.MaxSeconds:
		v.Drop(i, ReasonTime)
	case seconds == 0:
		v.zero |= 1 << i
	default:
		v.seconds[i] = seconds
		v.stated |= 1 << i
	}
}

// Forget makes the value absent.
func (v *Values) Forget(i Value) {
	v.seconds[i] = 0
	v.stated &^= 1 << i
}

// Drop forgets the value, marks it as invalid and counts the reason.
func (v *Values) Drop(i Value, r Reason) {
	v.Forget(i)
	v.invalid |= 1 << i
	v.Dropped[r]++
}
