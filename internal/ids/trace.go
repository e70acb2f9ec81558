package ids

import (
	"encoding/base64"
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// FlagSampled is the bit of the W3C trace flags that says sampled.
const FlagSampled = 0x01

// Trace is what one value tells of a trace.
type Trace struct {
	TraceID  pcommon.TraceID
	SpanID   pcommon.SpanID // set if HasSpan
	Flags    byte           // W3C trace flags; set if HasFlags
	HasSpan  bool
	HasFlags bool
	// Low64Only says that only the last 8 bytes of the trace id are known. It
	// is no trace id then: find the trace whose Low64 is the same, and refuse
	// where there is more than one.
	Low64Only bool
}

// Low64 returns the lower half of a trace id, by which a Trace with Low64Only
// is found.
func Low64(id pcommon.TraceID) uint64 { return binary.BigEndian.Uint64(id[8:]) }

// ParseTrace reads value, a trace id spelled as kind says. The Trace holds
// something only if the Reason is OK; its trace id is never zero then.
func ParseTrace(kind Kind, value string, opts Options) (Trace, Reason) {
	if kind == KindPlain && opts&ForeignTraceID != 0 {
		return Trace{}, Absent
	}
	s := trim(value)
	var t Trace
	ok := false
	switch kind {
	case KindPlain, KindOTel:
		ok = plain(&t, s, opts)
	case KindTraceparent:
		ok = traceparent(&t, s)
	case KindGCP:
		ok = gcpTrace(&t, s)
	case KindDatadog:
		ok = datadog(&t, s)
	case KindB3:
		ok = decode(t.TraceID[:], s)
	case KindB3Single:
		ok = b3Single(&t, s)
	case KindUber:
		ok = uber(&t, s)
	case KindXRay:
		ok = xray(&t, s)
	case KindAzure:
		ok = azure(&t, s)
	case KindCloudTrace:
		ok = cloudTrace(&t, s)
	case KindSpanLogs:
		if ok = full(&t, s) || decodeTwice((*[16]byte)(&t.TraceID), s); !ok {
			return Trace{}, Absent
		}
	}
	switch {
	case ok && !t.TraceID.IsEmpty():
		return t, OK
	case ok || zero(s) || placeholder(s):
		return Trace{}, Absent
	default:
		return Trace{}, Invalid
	}
}

// full reads 32 digits.
func full(t *Trace, s string) bool { return len(s) == 32 && decode(t.TraceID[:], s) }

// plain takes two widths only: an id that lost a digit must not become
// another id.
func plain(t *Trace, s string, opts Options) bool {
	switch len(s) {
	case 32, 16:
		return decode(t.TraceID[:], s)
	case 34, 18:
		rest := cutHexPrefix(s)
		return len(rest) < len(s) && decode(t.TraceID[:], rest)
	case uuidLen:
		return decodeUUID((*[16]byte)(&t.TraceID), s)
	case 64:
		return decodeTwice((*[16]byte)(&t.TraceID), s)
	case 24:
		return opts&Base64 != 0 && decodeBase64(t.TraceID[:], s)
	default:
		return false
	}
}

// decodeBase64 fills dst from padded base64 of either alphabet.
func decodeBase64(dst []byte, s string) bool {
	var out [18]byte
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		n, err := encoding.Decode(out[:], []byte(s))
		if err == nil && n == len(dst) {
			copy(dst, out[:])
			return true
		}
	}
	return false
}
