package dialect

import (
	"unique"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Part is what a span is in a request.
type Part uint8

// The parts.
const (
	PartPlain   Part = iota // a span that only holds or accompanies calls
	PartCall                // a call to a model with measures of its own
	PartStage               // a phase as a span of its own; see Facts.Phase
	PartAgent               // agent, workflow, chain or tool: never a request
	PartInside              // a phase or subphase inside the call above it; see Facts.Inside
	PartRequest             // what a user waits for, by the engine's own word, even if its call is lost
	PartStep                // a step of the model for the call above it, the first of them its prefill
)

// Facts is what a dialect reads from one span. It holds no telemetry data and
// is 64 bytes, the budget of one span of an open trace; what only few spans
// have is in Details.
type Facts struct {
	SpanID   [8]byte
	ParentID [8]byte // zero: no parent
	// Key identifies the span within its trace: the upper half is of the span
	// id, the lower half of name and start. The same span delivered twice has
	// the same Key; two spans under one id have different ones.
	Key     Key
	Start   int64 // Unix nanoseconds
	End     int64 // Unix nanoseconds; equal to Start where Kind has KindUntimed
	Origin  unique.Handle[Origin]
	Details *Details // nil: nothing but place and time is known
	Arrived uint32   // milliseconds from the trace's first span; kept by the assembler
	Dialect ID
	Part    Part
	Phase   inference.Phase // of a PartStage or PartInside; beyond the phases are the subphases
	Kind    Kind
}

// Kind is the side of a span, and whether it is a configured request boundary.
type Kind uint8

// The bits of Kind.
const (
	KindServer   Kind = 1 << iota // SpanKind SERVER
	KindClient                    // SpanKind CLIENT
	KindBoundary                  // the configured condition says that a request starts here
	KindUntimed                   // the span's times are unusable: Start is no place in time
	KindGateway                   // of a router or proxy that the engine's span may lie beside
)

// Is reports whether all bits of k2 are set.
func (k Kind) Is(k2 Kind) bool { return k&k2 == k2 }

// inside returns the Facts.Phase of a subphase.
func inside(s inference.Subphase) inference.Phase { return inference.NumPhases + inference.Phase(s) }

// Inside returns the value that the duration of a PartInside is.
func (f *Facts) Inside() Value {
	switch f.Phase {
	case inference.PhasePreprocess:
		return ValuePreprocess
	case inference.PhaseQueue:
		return ValueQueue
	case inference.PhasePostprocess:
		return ValuePostprocess
	case inside(inference.SubphasePrefill):
		return ValuePrefill
	case inside(inference.SubphaseDecode):
		return ValueDecode
	case inside(inference.SubphaseKVTransfer):
		return ValueKVTransfer
	}
	return ValueInference
}

// Timed reports whether Start and End can be used.
func (f *Facts) Timed() bool { return !f.Kind.Is(KindUntimed) }

// Seconds returns the span's own duration, 0 when its times are unusable.
func (f *Facts) Seconds() float64 { return float64(f.End-f.Start) / 1e9 }

// Details returns the facts that only few spans have. It is shared between the
// copies of a Facts and is not changed after reading.
type Details struct {
	Role inference.Role
	// StandIn says that a router or front end tells of a call what it knows: it
	// is the call only where no engine's span lies below it, else a layer above.
	StandIn bool
	// Tail says that what the call lasts after its last PartInside of the model
	// is postprocess.
	Tail bool
	// Leg says which part of the call its engine makes, where prefill and decode
	// are apart and the engine says so.
	Leg Leg
	// Batch says that the span is of a batch, in a trace of its own, and links to
	// the requests in it.
	Batch bool
	// Engine is the dialect that first read a call of which only the annotation
	// is left; 0 is that of the span itself.
	Engine       ID
	Result       inference.Result
	Model        string // empty: not named on this span
	ModelVersion string
	FinishReason string // in the closed set of package inference
	// RequestID is what the span calls its request; read where Options ask for it,
	// and of a custom dialect.
	RequestID    string
	Values       Values
	InputTokens  inference.Count
	OutputTokens inference.Count
	CachedTokens inference.Count
	BatchSize    inference.Count
	// Sequences is alike on the spans of the sequences that one call asked for
	// (n > 1), and on those of its legs: a hash of the engine's request id; 0
	// where there is none.
	Sequences uint64
	// Asked is how many sequences the call asked for; 0 where that is not known.
	Asked int64
	// Answers says that the call asked for more than one token: it is no leg that
	// only reads the prompt.
	Answers bool
	// Marks are points in time; nil on spans of engines that write none.
	Marks *Marks
	// Note is our own annotation of the call; nil where there is none.
	Note *Note
	// Extra is what only Options ask for; nil where there is none.
	Extra *Extra
}

// copyOfDetails returns what is known of the span, to be changed: its own Details
// others may have, too.
func (f *Facts) copyOfDetails() *Details {
	if f.Details == nil {
		return &Details{}
	}
	d := *f.Details
	return &d
}

// Leg is the part of a call that one of two engines makes.
type Leg uint8

// The legs.
const (
	LegWhole Leg = iota // no leg, or the engine does not say
	LegPrefill
	LegDecode
)

// Origin is the process that wrote a span, as far as its resource tells. It is
// interned: equal origins have equal handles.
type Origin struct {
	ServiceName      string
	ServiceNamespace string
	Environment      string
	InstanceID       string
	Host             string
	Model            string // a model named by the resource
	ModelVersion     string
	Dimensions       inference.Dimensions // see Options
}

// Key identifies a span within its trace.
type Key uint64

// SpanID returns the half of the key that stands for the span id.
func (k Key) SpanID() uint32 { return uint32(k >> 32) }

// Content returns the half of the key that stands for name and start.
func (k Key) Content() uint32 { return uint32(k) }
