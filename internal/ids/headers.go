package ids

import "strings"

// traceparent reads the header of W3C Trace Context, in any case. A later
// version may append parts and version ff does not exist. Where the header is
// broken in one part the whole is refused, as a service does that receives it:
// no span continued the trace that it names.
func traceparent(t *Trace, s string) bool {
	const length = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if len(s) < length || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return false
	}
	var version, flags [1]byte
	if !decode(version[:], s[:2]) || version[0] == 0xff {
		return false
	}
	if len(s) > length && (version[0] == 0 || s[length] != '-') {
		return false
	}
	if !decode(t.TraceID[:], s[3:35]) || !decode(t.SpanID[:], s[36:52]) || !decode(flags[:], s[53:length]) {
		return false
	}
	if t.SpanID.IsEmpty() && !t.TraceID.IsEmpty() {
		return false
	}
	t.HasSpan, t.Flags, t.HasFlags = true, flags[0], true
	return true
}

// b3Single reads trace-span[-sampled[-parent]]. A sampling state alone is
// valid and names no trace.
func b3Single(t *Trace, s string) bool {
	if sampled(t, s) {
		return true
	}
	trace, rest, ok := strings.Cut(s, "-")
	if !ok || !decode(t.TraceID[:], trace) {
		return false
	}
	span, rest, more := strings.Cut(rest, "-")
	if !setSpan(t, span) {
		return false
	}
	if !more {
		return true
	}
	state, parent, more := strings.Cut(rest, "-")
	var id [8]byte
	return sampled(t, state) && (!more || decode(id[:], parent))
}

// sampled sets the flags from a sampling state of B3.
func sampled(t *Trace, s string) bool {
	switch s {
	case "1", "d": // debug implies sampled
		t.Flags = FlagSampled
	case "0":
		t.Flags = 0
	default:
		return false
	}
	t.HasFlags = true
	return true
}

// uber reads Jaeger's header, numbers without leading zeros. Its third part,
// the parent, is deprecated and only checked; of the flags only bit 0 means
// the same as in W3C's.
func uber(t *Trace, s string) bool {
	trace, s, ok1 := cutColon(s)
	span, s, ok2 := cutColon(s)
	parent, flags, ok3 := cutColon(s)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	var id [8]byte
	var bits [1]byte
	if !decode(t.TraceID[:], trace) || !setSpan(t, span) || !decode(id[:], parent) || !decode(bits[:], flags) {
		return false
	}
	t.Flags, t.HasFlags = bits[0]&FlagSampled, true
	return true
}

// cutColon is strings.Cut around the first colon, URL-encoded or not.
func cutColon(s string) (before, after string, ok bool) {
	for i := range len(s) {
		switch {
		case s[i] == ':':
			return s[:i], s[i+1:], true
		case s[i] == '%' && len(s)-i > 2 && s[i+1] == '3' && lower(s[i+2]) == 'a':
			return s[:i], s[i+3:], true
		}
	}
	return s, "", false
}

// setSpan reads 1 to 16 digits. Zero is no span, which leaves the trace valid.
func setSpan(t *Trace, s string) bool {
	if !decode(t.SpanID[:], s) {
		return false
	}
	t.HasSpan = !t.SpanID.IsEmpty()
	return true
}
