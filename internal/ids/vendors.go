package ids

import (
	"encoding/binary"
	"math"
	"strings"
)

// datadog reads dd.trace_id: the lower 64 bits in decimal, as most tracers
// write it, or all 128 in 32 hexadecimal digits. No uint64 has 32 decimal
// digits, so that the two cannot meet.
func datadog(t *Trace, s string) bool {
	if full(t, s) {
		return true
	}
	low, ok := decimal(s)
	binary.BigEndian.PutUint64(t.TraceID[8:], low)
	t.Low64Only = true
	return ok
}

// decimal reads a uint64 of digits only. strconv would allocate an error for
// each of those that are none.
func decimal(s string) (n uint64, ok bool) {
	for i := range len(s) {
		digit := uint64(s[i] - '0')
		if digit > 9 || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = 10*n + digit
	}
	return n, s != ""
}

// gcpTrace reads the trace of a Cloud Logging entry. Some loggers leave out
// the path.
func gcpTrace(t *Trace, s string) bool {
	return full(t, s[strings.LastIndexByte(s, '/')+1:])
}

// cloudTrace reads X-Cloud-Trace-Context, whose span is decimal.
func cloudTrace(t *Trace, s string) bool {
	s, options, hasOptions := strings.Cut(s, ";")
	trace, span, hasSpan := strings.Cut(s, "/")
	if !full(t, trace) {
		return false
	}
	if hasSpan {
		id, ok := decimal(span)
		if !ok {
			return false
		}
		binary.BigEndian.PutUint64(t.SpanID[:], id)
		t.HasSpan = id != 0
	}
	if !hasOptions {
		return true
	}
	bits, ok := strings.CutPrefix(options, "o=")
	n, valid := decimal(bits)
	t.Flags, t.HasFlags = byte(n&FlagSampled), true
	return ok && valid
}

// xray reads an id of AWS X-Ray, whose 128 bits are 4 bytes of time and 12 of
// chance. The SDK for Java logs its id as "AWS-XRAY-TRACE-ID: id@segment";
// load balancers put Self before Root in the header.
func xray(t *Trace, s string) bool {
	s = strings.TrimPrefix(s, "AWS-XRAY-TRACE-ID: ")
	if strings.IndexByte(s, '=') < 0 {
		root, segment, more := strings.Cut(s, "@")
		return (xrayRoot(t, root) || full(t, root)) && (!more || len(segment) == 16 && setSpan(t, segment))
	}
	found := false
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, ";")
		name, value, _ := strings.Cut(trim(part), "=")
		ok := true
		switch name {
		case "Root":
			ok = xrayRoot(t, value)
			found = ok
		case "Parent":
			ok = len(value) == 16 && setSpan(t, value)
		case "Sampled":
			// "?" asks the receiver to decide.
			ok = value == "?" || value != "d" && sampled(t, value)
		}
		if !ok {
			return false
		}
	}
	return found
}

// xrayRoot reads 1-<8 digits>-<24 digits>.
func xrayRoot(t *Trace, s string) bool {
	return len(s) == 35 && s[:2] == "1-" && s[10] == '-' &&
		decode(t.TraceID[:4], s[2:10]) && decode(t.TraceID[4:], s[11:])
}

// azure reads an operation id. Application Insights before W3C wrote
// |root.span. with a root of its own making; only a root of 128 bits can be a
// trace id.
func azure(t *Trace, s string) bool {
	legacy, ok := strings.CutPrefix(s, "|")
	if !ok {
		return full(t, s)
	}
	root, rest, _ := strings.Cut(legacy, ".")
	if !full(t, root) && !decodeUUID((*[16]byte)(&t.TraceID), root) {
		return false
	}
	if span, _, _ := strings.Cut(rest, "."); len(span) == 16 && decode(t.SpanID[:], span) {
		t.HasSpan = !t.SpanID.IsEmpty()
	} else {
		clear(t.SpanID[:])
	}
	return true
}
