package dialect

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Options say what is read beside what every reader needs. Nil is none of it. They must not change
// while they are in use, but for what they point to, nor be copied.
type Options struct {
	// Boundary says where requests start; nil: no span is asked.
	Boundary Boundary
	// RequestIDs reads Details.RequestID while it is true, at the price of a pass over the attributes
	// of each span and of a string for each run of spans that name one request; nil: never.
	RequestIDs *atomic.Bool
	// Custom are the dialects that are configured. The first that a span matches reads it, before
	// all that are built in; it reads its request ids in any case.
	Custom []*Custom
	// Dimensions are attributes that are read into Extra.Dimensions and Origin.Dimensions.
	Dimensions []inference.Dimension
	// Semconv reads inference.SemconvAttributes of calls into Extra.Semconv.
	Semconv bool
	// Measures are read into Extra.Measures; nil: there are none.
	Measures Measures

	mu     sync.Mutex
	extras []*extraReader // that are free
}

var noOptions Options

// Boundary says of a span whether a request starts at it. Views, valid only
// during the call.
type Boundary func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool
