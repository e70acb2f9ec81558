package ids

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// ParseSpan reads value, a span id spelled as kind says: KindPlain, KindB3 or
// KindDatadog. The id holds something only if the Reason is OK; it is never
// zero then.
func ParseSpan(kind Kind, value string, opts Options) (pcommon.SpanID, Reason) {
	s := trim(value)
	var id pcommon.SpanID
	ok := false
	switch kind {
	case KindPlain:
		digits := cutHexPrefix(s)
		ok = len(digits) == 16 && decode(id[:], digits) ||
			opts&Base64 != 0 && len(s) == 12 && decodeBase64(id[:], s)
	case KindB3:
		ok = decode(id[:], s)
	case KindDatadog:
		var n uint64
		n, ok = decimal(s)
		binary.BigEndian.PutUint64(id[:], n)
	}
	switch {
	case ok && !id.IsEmpty():
		return id, OK
	case ok || zero(s) || placeholder(s):
		return pcommon.SpanID{}, Absent
	default:
		return pcommon.SpanID{}, Invalid
	}
}

// ParseFlags reads value, trace flags spelled as kind says: KindPlain or
// KindSampled. Zero is a value here: not sampled.
func ParseFlags(kind Kind, value string) (byte, Reason) {
	s := trim(value)
	var bits [1]byte
	switch kind {
	case KindPlain:
		if decode(bits[:], cutHexPrefix(s)) {
			return bits[0], OK
		}
	case KindSampled:
		switch s {
		case "true", "True", "TRUE", "1":
			return FlagSampled, OK
		case "false", "False", "FALSE", "0":
			return 0, OK
		case "d": // debug, in X-B3-Sampled
			return FlagSampled, OK
		}
	}
	if placeholder(s) {
		return 0, Absent
	}
	return 0, Invalid
}
