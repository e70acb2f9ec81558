package extract

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// rank orders values of one kind; the lowest wins, and of equal ones the last
// that is read (a duplicate key of JSON overrides).
type rank uint16

const (
	noRank rank = 0xffff
	// Ranks of package ids are below rankDepth; each level of nesting costs
	// one rankDepth, so that an outer id wins over an inner one.
	rankDepth rank = 64
	// A span id that stands in a header such as traceparent is the caller's
	// as a rule, so an id in a field of its own wins.
	rankComposite rank = 1024
)

// idSet holds the trace context that one source states.
type idSet struct {
	trace     ids.Trace
	span      pcommon.SpanID
	flags     byte
	traceRank rank
	spanRank  rank
	flagsRank rank
	// Keys of the attributes that the values come from; empty for a body.
	traceKey, spanKey, flagsKey string
	// invalid counts what is written but is no id.
	invalid int
	// plain says that a trace id was taken, or refused, from a field that
	// names no vendor, such as trace_id.
	plain bool
	// keepFirst is that of wanted.
	keepFirst bool
}

func (s *idSet) reset() {
	s.traceRank, s.spanRank, s.flagsRank = noRank, noRank, noRank
	s.traceKey, s.spanKey, s.flagsKey = "", "", ""
	s.invalid, s.plain, s.keepFirst = 0, false, false
}

func (s *idSet) beats(r, old rank) bool { return r < old || r == old && !s.keepFirst }

func (s *idSet) hasTrace() bool { return s.traceRank != noRank }

// add reads one value as field says. key is kept for promotion.
func (s *idSet) add(field ids.Field, r rank, key, value string, opts ids.Options) {
	reason := ids.OK
	switch field.Role {
	case ids.RoleTrace:
		if field.Kind == ids.KindPlain {
			s.plain = true
		}
		var t ids.Trace
		t, reason = ids.ParseTrace(field.Kind, value, opts)
		if reason == ids.OK {
			s.addTrace(t, r, key)
		}
	case ids.RoleSpan:
		var id pcommon.SpanID
		id, reason = ids.ParseSpan(field.Kind, value, opts)
		if reason == ids.OK && s.beats(r, s.spanRank) {
			s.span, s.spanRank, s.spanKey = id, r, key
		}
	case ids.RoleFlags:
		var flags byte
		flags, reason = ids.ParseFlags(field.Kind, value)
		if reason == ids.OK && s.beats(r, s.flagsRank) {
			s.flags, s.flagsRank, s.flagsKey = flags, r, key
		}
		if reason == ids.Invalid {
			return // flags are no id
		}
	case ids.RoleRequest:
		return
	}
	if reason == ids.Invalid {
		s.invalid++
	}
}

func (s *idSet) addTrace(t ids.Trace, r rank, key string) {
	if s.beats(r, s.traceRank) {
		s.trace, s.traceRank, s.traceKey = t, r, key
	}
	if t.HasSpan && s.beats(r+rankComposite, s.spanRank) {
		s.span, s.spanRank, s.spanKey = t.SpanID, r+rankComposite, ""
	}
	if t.HasFlags && s.beats(r+rankComposite, s.flagsRank) {
		s.flags, s.flagsRank, s.flagsKey = t.Flags, r+rankComposite, ""
	}
}

// belongs reports whether what the set says beside its trace id may be said of
// trace t.
func (s *idSet) belongs(t pcommon.TraceID) bool {
	return !s.hasTrace() || s.trace.TraceID == t
}
