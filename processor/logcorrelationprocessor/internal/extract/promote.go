package extract

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Promote writes the trace context that was found into the record's own
// fields, where these are empty. With removeDuplicates it removes the
// attributes that say the same as these fields then do; an attribute that says
// anything else stays, and so does one that is no valid id. A body is never
// changed. An id of which only the lower half is known (Low64) is no trace id
// and stays where it is: set Trace to the whole one, and Low64 to false, first.
func Promote(rec plog.LogRecord, f *Found, removeDuplicates bool) {
	if f.Low64 {
		return
	}
	if rec.TraceID().IsEmpty() && !f.Trace.IsEmpty() {
		rec.SetTraceID(f.Trace)
	}
	if rec.SpanID().IsEmpty() && !f.Span.IsEmpty() {
		rec.SetSpanID(f.Span)
	}
	if rec.Flags() == 0 && f.HasFlags {
		rec.SetFlags(plog.LogRecordFlags(f.Flags))
	}
	if removeDuplicates {
		f.removeDuplicates(rec)
	}
}

func (f *Found) removeDuplicates(rec plog.LogRecord) {
	s, attrs := &f.attrs, rec.Attributes()
	trace := s.hasTrace() && s.sameTrace(rec.TraceID())
	if trace && s.traceKey != "" && (!s.trace.HasSpan || s.trace.SpanID == rec.SpanID()) {
		attrs.Remove(s.traceKey)
	}
	if s.spanKey != "" && s.span == rec.SpanID() {
		attrs.Remove(s.spanKey)
	}
	if s.flagsKey != "" && plog.LogRecordFlags(s.flags) == rec.Flags() {
		attrs.Remove(s.flagsKey)
	}
}

// sameTrace reports whether the set's trace id is t, or its lower half is.
func (s *idSet) sameTrace(t pcommon.TraceID) bool {
	if s.trace.Low64Only {
		return [8]byte(t[8:]) == [8]byte(s.trace.TraceID[8:])
	}
	return s.trace.TraceID == t
}
