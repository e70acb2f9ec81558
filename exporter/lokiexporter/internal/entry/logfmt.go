package entry

import (
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// maxKey is how much of a key is written.
const maxKey = 1024

// appendPairKey appends the key of a pair of logfmt.
func appendPairKey(dst []byte, prefix, key string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ' ')
	}
	dst = appendKeyPart(dst, prefix)
	return append(appendKeyPart(dst, key), '=')
}

func appendKeyPart(dst []byte, part string) []byte {
	for _, r := range part[:min(len(part), maxKey)] {
		if r <= ' ' || r == '=' || r == '"' || r == 0x7f || r == utf8.RuneError {
			r = '_'
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// appendPair appends a pair of logfmt.
func appendPair(dst []byte, prefix, key, value string, limit int) []byte {
	if len(dst) >= limit {
		return dst
	}
	dst = appendPairKey(dst, prefix, key)
	if value = value[:min(len(value), max(0, limit-len(dst)))]; bare(value) {
		return append(dst, value...)
	}
	return appendQuoted(dst, value, limit)
}

// bare reports whether a value of logfmt needs no quotes.
func bare(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == '=' || c == '"' || c == '\\' || c >= 0x7f {
			return false
		}
	}
	return s != ""
}

// appendPairs appends a map as pairs; maps in it are prefix_parent_child.
func (b *batch) appendPairs(dst []byte, prefix string, m pcommon.Map, limit, depth int) []byte {
	for key, v := range m.All() {
		if len(dst) >= limit {
			return dst
		}
		dst = b.appendPairOf(dst, prefix, key, v, limit, depth)
	}
	return dst
}

func (b *batch) appendPairOf(dst []byte, prefix, key string, v pcommon.Value, limit, depth int) []byte {
	switch v.Type() {
	case pcommon.ValueTypeEmpty:
		return dst
	case pcommon.ValueTypeStr:
		return appendPair(dst, prefix, key, v.Str(), limit)
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return appendText(appendPairKey(dst, prefix, key), v, limit)
	case pcommon.ValueTypeMap:
		if depth < maxDepth {
			return b.appendPairs(dst, prefix+key+"_", v.Map(), limit, depth+1)
		}
	}
	b.scratch = appendText(b.scratch[:0], v, limit)
	return appendPair(dst, prefix, key, string(b.scratch), limit)
}
