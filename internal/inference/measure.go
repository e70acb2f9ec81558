package inference

import "math"

// Provenance tells how a measure came to be known.
type Provenance uint8

// The provenances, weakest first. Absent is the zero value: nothing is known.
const (
	Absent    Provenance = iota
	Estimated            // a gap between spans
	Derived              // arithmetic on measured points
	Measured             // an engine or a span said it
)

var provenanceNames = [...]string{"absent", "estimated", "derived", "measured"}

// String returns the value of the attribute inference.provenance.
func (p Provenance) String() string { return provenanceNames[p] }

// ParseProvenance is the inverse of String; Absent for what it does not know.
func ParseProvenance(s string) Provenance {
	for p, name := range provenanceNames {
		if name == s {
			return Provenance(p)
		}
	}
	return Absent
}

// Measure is a duration in seconds that is known, with its provenance, or
// absent. The zero value is absent. A known measure is finite and above zero:
// nothing measured is no observation, never 0, -1 or NaN.
type Measure struct {
	Seconds    float64
	Provenance Provenance
}

// resolution is the shortest duration that counts as one, in seconds. Engines
// write float seconds; what arithmetic on them leaves below it is rounding.
const resolution = 1e-7

// MaxSeconds is the longest duration that counts as one: a month. What is
// longer is a clock that was never set, and one of it would be the sum of its
// series for good.
const MaxSeconds = 30 * 24 * 3600

// NewMeasure returns the measure of seconds, absent when they are not finite,
// not above zero (within rounding), or above MaxSeconds.
func NewMeasure(seconds float64, provenance Provenance) Measure {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < resolution || seconds > MaxSeconds {
		return Measure{}
	}
	return Measure{Seconds: seconds, Provenance: provenance}
}

// Known reports whether the measure is known.
func (m Measure) Known() bool { return m.Provenance != Absent }

// Or returns m when it is known, else other.
func (m Measure) Or(other Measure) Measure {
	if m.Known() {
		return m
	}
	return other
}

// Plus returns the sum of what is known of both, as sure as the weaker of them.
func (m Measure) Plus(other Measure) Measure {
	if !m.Known() || !other.Known() {
		return m.Or(other)
	}
	return NewMeasure(m.Seconds+other.Seconds, min(m.Provenance, other.Provenance))
}

// Minus returns m less the parts as a derived measure. It is absent when m or
// any part is absent, or when the difference is not above zero.
func (m Measure) Minus(parts ...Measure) Measure {
	if !m.Known() {
		return Measure{}
	}
	left := m.Seconds
	for _, p := range parts {
		if !p.Known() {
			return Measure{}
		}
		left -= p.Seconds
	}
	return NewMeasure(left, Derived)
}

// Count is a number of things that is known or not: a known zero is a count.
// The zero value is unknown. It is one word, for there are several on each call
// that an open trace holds.
type Count struct{ next int64 } // one more than the number

// NewCount returns the count of n things, unknown if n is below zero.
func NewCount(n int64) Count { return Count{max(0, n+1)} }

// Known reports whether the number is known.
func (c Count) Known() bool { return c.next > 0 }

// N returns the number, 0 when unknown.
func (c Count) N() int64 { return max(0, c.next-1) }

// Add returns the sum of what is known of both.
func (c Count) Add(o Count) Count {
	if !c.Known() || !o.Known() {
		return Count{max(c.next, o.next)}
	}
	return Count{c.next + o.next - 1}
}
