package entry

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// deepest is how deep values are written; what is deeper is null.
const deepest = 64

// appendText appends a value as text: a map or list is JSON. It may stop where dst has limit
// bytes.
func appendText(dst []byte, v pcommon.Value, limit int) []byte {
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return dst
	case pcommon.ValueTypeStr:
		s := v.Str()
		return appendValid(dst, s[:min(len(s), max(0, limit-len(dst)))])
	case pcommon.ValueTypeInt:
		return strconv.AppendInt(dst, v.Int(), 10)
	case pcommon.ValueTypeDouble:
		return appendFloat(dst, v.Double())
	case pcommon.ValueTypeBool:
		return strconv.AppendBool(dst, v.Bool())
	case pcommon.ValueTypeBytes:
		return appendBytes(dst, v.Bytes(), limit)
	default:
		return appendJSON(dst, v, limit, 0)
	}
}

// appendValid appends text, without what is no UTF-8.
func appendValid(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// appendJSON appends a value as JSON, in its own order.
func appendJSON(dst []byte, v pcommon.Value, limit, depth int) []byte {
	if len(dst) >= limit {
		return dst
	}
	if depth > deepest {
		return append(dst, "null"...)
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return appendQuoted(dst, v.Str(), limit)
	case pcommon.ValueTypeInt:
		return strconv.AppendInt(dst, v.Int(), 10)
	case pcommon.ValueTypeDouble:
		if f := v.Double(); math.IsNaN(f) || math.IsInf(f, 0) {
			return append(appendFloat(append(dst, '"'), f), '"')
		}
		return appendFloat(dst, v.Double())
	case pcommon.ValueTypeBool:
		return strconv.AppendBool(dst, v.Bool())
	case pcommon.ValueTypeBytes:
		return append(appendBytes(append(dst, '"'), v.Bytes(), limit), '"')
	case pcommon.ValueTypeSlice:
		dst = append(dst, '[')
		for i, e := range v.Slice().All() {
			if len(dst) >= limit {
				return dst
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e, limit, depth+1)
		}
		return append(dst, ']')
	case pcommon.ValueTypeMap:
		return appendObject(dst, v.Map(), limit, depth)
	default:
		return append(dst, "null"...)
	}
}

func appendObject(dst []byte, m pcommon.Map, limit, depth int) []byte {
	dst = append(dst, '{')
	first := true
	for key, v := range m.All() {
		if len(dst) >= limit {
			return dst
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, key, limit), ':')
		dst = appendJSON(dst, v, limit, depth+1)
	}
	return append(dst, '}')
}

// appendQuoted appends text in quotes as JSON has it, which logfmt reads as well.
func appendQuoted(dst []byte, s string, limit int) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	if room := max(0, limit-len(dst)); len(s) > room {
		s = s[:room]
	}
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			dst = append(append(dst, s[start:i]...), '\\')
			switch c {
			case '"', '\\':
				dst = append(dst, c)
			case '\n':
				dst = append(dst, 'n')
			case '\r':
				dst = append(dst, 'r')
			case '\t':
				dst = append(dst, 't')
			default:
				dst = append(dst, 'u', '0', '0', digits[c>>4], digits[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
			start = i + 1
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	a := math.Abs(f)
	if a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	if thousands := a * 1000; a != 0 && a < 1e12 && thousands == math.Trunc(thousands) && thousands/1000 == a {
		return appendThousandths(dst, f < 0, uint64(thousands))
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendThousandths appends a number with at most three decimals, as times in milliseconds mostly
// have: of those that read back as the same it is the shortest, for it has not more than 15 digits.
func appendThousandths(dst []byte, negative bool, n uint64) []byte {
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, n/1000, 10)
	rest := n % 1000
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendBytes appends base 64, as pdata writes bytes in text.
func appendBytes(dst []byte, raw pcommon.ByteSlice, limit int) []byte {
	var three [3]byte
	n := 0
	for i := range raw.Len() {
		if len(dst) >= limit {
			return dst
		}
		three[n] = raw.At(i)
		if n++; n == len(three) {
			dst, n = base64.StdEncoding.AppendEncode(dst, three[:]), 0
		}
	}
	return base64.StdEncoding.AppendEncode(dst, three[:n])
}
