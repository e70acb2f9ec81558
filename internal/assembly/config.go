package assembly

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Config bounds an [Assembler] in time and memory. All fields must be above
// zero; there is no way to say unlimited.
type Config struct {
	// Linger is how long a request whose span has come waits for more of its
	// spans, after the latest one.
	Linger time.Duration
	// IdleTimeout is the same for a request whose span has not come.
	IdleTimeout time.Duration
	// MaxAge ends every wait: of a request whose model still runs, and of the
	// memory of what was observed.
	MaxAge time.Duration
	// MaxTraces is how many traces may be open. At the limit the oldest is
	// observed with what is known of it.
	MaxTraces int
	// MaxSpansPerTrace is how many spans of one trace are looked at.
	MaxSpansPerTrace int
	// MaxSpans is how many spans of all open traces are held. At the limit the
	// oldest traces are observed with what is known of them.
	MaxSpans int
	// MaxTombstones is how many closed traces are remembered.
	MaxTombstones int

	Boundary     Boundary
	DefaultModel string
	// Dimensions are those of the dialect.Options that spans are read with.
	Dimensions []inference.Dimension
	// Semconv says that calls need inference.Call.Semconv.
	Semconv bool
	// Measures says that spans were read with measures of a site.
	Measures bool
}

// Reason tells why a request was handed on.
type Reason uint8

// The reasons.
const (
	ReasonComplete Reason = iota // its span came, and nothing after it for Linger
	ReasonIdle                   // its span did not come for IdleTimeout
	ReasonMaxAge                 // it was open for MaxAge
	ReasonEvicted                // MaxTraces was reached
	ReasonShutdown               // the assembler was drained
	NumReasons
)

var reasonNames = [NumReasons]string{"complete", "idle", "max_age", "evicted", "shutdown"}

// String returns the value of the attribute reason.
func (r Reason) String() string { return reasonNames[r] }
