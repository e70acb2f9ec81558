package extract

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// MaxRequestIDs is how many request ids of one record are kept: a proxy logs
// its own, its caller's and that of the engine behind it.
const MaxRequestIDs = 3

// Found is what a record says about its request. Extract resets it; use one
// for many records.
type Found struct {
	// Trace is the trace id, empty if there is none. With Low64 only its last
	// 8 bytes are known (Datadog): it must be looked up, and is not promoted.
	Trace pcommon.TraceID
	// Span is the span id; empty if there is none that goes with Trace.
	Span pcommon.SpanID
	// Flags are the W3C trace flags, if HasFlags.
	Flags    byte
	HasFlags bool
	// Native says that Trace is the record's own.
	Native bool
	Low64  bool

	// RequestID is the first request id as it is written.
	RequestID string
	// Fields are the standard fields; FieldRequestID is RequestID.
	Fields Fields
	// Class is the moment that the text tells.
	Class Class
	// Parser is the parser that read the body, "regex/<name>" for one of the
	// user's; empty if none did. It tells JSON of no known program as json.
	Parser string

	// Invalid counts ids that are written but are none; Dropped counts
	// numbers that are written but that their field cannot have.
	Invalid int
	Dropped int

	requests    [MaxRequestIDs]ids.Forms
	shared      [MaxRequestIDs]bool
	numRequests int

	attrs, body idSet
	line        line
	wanted      wanted
}

// HasID reports whether the record names its request in any way.
func (f *Found) HasID() bool { return !f.Trace.IsEmpty() || f.numRequests > 0 }

// Requests returns how many request ids there are.
func (f *Found) Requests() int { return f.numRequests }

// Request returns the lookup keys of a request id, best id first. They are
// valid until the next Extract.
func (f *Found) Request(i int) *ids.Forms { return &f.requests[i] }

// Shared reports whether a request id may be that of several requests.
func (f *Found) Shared(i int) bool { return f.shared[i] }

func (f *Found) reset() {
	f.Trace, f.Span, f.Flags = pcommon.TraceID{}, pcommon.SpanID{}, 0
	f.HasFlags, f.Native, f.Low64 = false, false, false
	f.RequestID, f.Parser, f.Class = "", "", ClassOther
	f.Fields.known = 0
	f.Invalid, f.Dropped = 0, 0
	f.numRequests = 0
	f.attrs.reset()
	f.body.reset()
	f.wanted.reset()
}
