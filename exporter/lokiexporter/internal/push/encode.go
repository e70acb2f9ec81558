package push

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Tags of the fields, number<<3 | type, by their message.
const (
	tagRequestStream = 1<<3 | 2

	tagStreamLabels = 1<<3 | 2
	tagStreamEntry  = 2<<3 | 2

	tagEntryTime     = 1<<3 | 2
	tagEntryLine     = 2<<3 | 2
	tagEntryMetadata = 3<<3 | 2

	tagTimeSeconds = 1 << 3
	tagTimeNanos   = 2 << 3

	tagPairName  = 1<<3 | 2
	tagPairValue = 2<<3 | 2
)

const second = 1_000_000_000

// AppendRequest appends a PushRequest, not compressed, and allocates nothing but room in dst.
// Streams without entries are left out, since Loki skips them. Equal streams give equal bytes.
func AppendRequest(dst []byte, streams []Stream) []byte {
	dst = slices.Grow(dst, RequestSize(streams))
	for i := range streams {
		if len(streams[i].Entries) > 0 {
			dst = appendStream(dst, &streams[i])
		}
	}
	return dst
}

// RequestSize is how many bytes AppendRequest appends.
func RequestSize(streams []Stream) int {
	n := 0
	for i := range streams {
		if len(streams[i].Entries) > 0 {
			n += sizeField(sizeStream(&streams[i]))
		}
	}
	return n
}

func appendStream(dst []byte, s *Stream) []byte {
	dst = append(dst, tagRequestStream)
	dst = binary.AppendUvarint(dst, uint64(sizeStream(s)))
	if s.Labels != "" {
		dst = appendString(dst, tagStreamLabels, s.Labels)
	}
	for i := range s.Entries {
		dst = appendEntry(dst, &s.Entries[i])
	}
	return dst
}

func appendEntry(dst []byte, e *Entry) []byte {
	dst = append(dst, tagStreamEntry)
	dst = binary.AppendUvarint(dst, uint64(sizeEntry(e)))

	// Written even where it is 1970: without it Loki takes the year 1.
	seconds, nanos := split(e.Time)
	dst = append(dst, tagEntryTime, byte(sizeTime(seconds, nanos)))
	if seconds != 0 {
		dst = append(dst, tagTimeSeconds)
		dst = binary.AppendUvarint(dst, uint64(seconds))
	}
	if nanos != 0 {
		dst = append(dst, tagTimeNanos)
		dst = binary.AppendUvarint(dst, uint64(nanos))
	}
	return append(append(dst, e.Content...), e.Shared...)
}

// AppendLine appends the line of an entry's Content.
func AppendLine(dst []byte, line string) []byte {
	if line == "" {
		return dst
	}
	return appendString(dst, tagEntryLine, line)
}

// AppendPairs appends the metadata of an entry's Content, or what is Shared.
func AppendPairs(dst []byte, pairs []Pair) []byte {
	for i := range pairs {
		dst = AppendPair(dst, pairs[i].Name, pairs[i].Value)
	}
	return dst
}

// PairHead is the name of a pair, for AppendHeaded.
func PairHead(name string) string {
	var head []byte
	if name != "" {
		head = appendString(head, tagPairName, name)
	}
	return string(append(head, tagPairValue))
}

// AppendHeaded appends a pair of a name that is there as PairHead has it; the value is not empty.
func AppendHeaded(dst []byte, head, value string) []byte {
	// Mostly both lengths are one byte.
	if n := len(head) + 1 + len(value); n < 1<<7 {
		end := len(dst)
		dst = slices.Grow(dst, 2+n)[:end+2+n]
		to := dst[end:]
		to[0], to[1] = tagEntryMetadata, byte(n)
		copy(to[2:], head)
		to[2+len(head)] = byte(len(value))
		copy(to[3+len(head):], value)
		return dst
	}
	dst = append(dst, tagEntryMetadata)
	dst = binary.AppendUvarint(dst, uint64(len(head)+sizeUvarint(uint64(len(value)))+len(value)))
	dst = append(dst, head...)
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(dst, value...)
}

// BeginPair appends a pair of a name that is there as PairHead has it but for its value, which is
// to be appended next. Then EndPair ends it, given all from the pair on, and returns the length of
// the value. Both together are shorter than 128 bytes, and the value is not empty.
func BeginPair(dst []byte, head string) []byte {
	return append(append(append(dst, tagEntryMetadata, 0), head...), 0)
}

// EndPair ends what BeginPair began.
func EndPair(pair []byte, head string) int {
	n := len(pair) - len(head) - 3
	pair[1], pair[2+len(head)] = byte(len(head)+1+n), byte(n)
	return n
}

// AppendPair appends one pair.
func AppendPair(dst []byte, name, value string) []byte {
	dst = append(dst, tagEntryMetadata)
	dst = binary.AppendUvarint(dst, uint64(sizeString(name)+sizeString(value)))
	if name != "" {
		dst = appendString(dst, tagPairName, name)
	}
	if value != "" {
		dst = appendString(dst, tagPairValue, value)
	}
	return dst
}

func appendString(dst []byte, tag byte, s string) []byte {
	dst = append(dst, tag)
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func sizeStream(s *Stream) int {
	n := sizeString(s.Labels)
	for i := range s.Entries {
		n += sizeField(sizeEntry(&s.Entries[i]))
	}
	return n
}

func sizeEntry(e *Entry) int {
	return sizeField(sizeTime(split(e.Time))) + len(e.Content) + len(e.Shared)
}

func sizeTime(seconds, nanos int64) int {
	n := 0
	if seconds != 0 {
		n += 1 + sizeUvarint(uint64(seconds))
	}
	if nanos != 0 {
		n += 1 + sizeUvarint(uint64(nanos))
	}
	return n
}

// sizeString is the size of a field that is left out where it is empty.
func sizeString(s string) int {
	if s == "" {
		return 0
	}
	return sizeField(len(s))
}

// sizeField is the size of a field of n bytes, with its tag and length.
func sizeField(n int) int {
	return 1 + sizeUvarint(uint64(n)) + n
}

func sizeUvarint(n uint64) int {
	return (bits.Len64(n|1) + 6) / 7
}

// split splits a time as google.protobuf.Timestamp has it: the nanoseconds count up from the
// second, before 1970 as well.
func split(t int64) (seconds, nanos int64) {
	seconds, nanos = t/second, t%second
	if nanos < 0 {
		seconds--
		nanos += second
	}
	return seconds, nanos
}
