package entry

import (
	"strings"
	"unicode/utf8"
)

// ellipsis ends what was cut.
const ellipsis = "..."

// boundary returns the largest n up to limit at which no character of s is cut.
func boundary[T string | []byte](s T, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	for n := limit; n > max(0, limit-utf8.UTFMax); n-- {
		if utf8.RuneStart(s[n]) {
			return n
		}
	}
	return max(0, limit)
}

// clean returns s as UTF-8 of at most limit bytes, ending in an ellipsis where it was longer.
// limit is at least that of the ellipsis.
func (b *batch) clean(s string, limit int) (text string, cut bool) {
	if len(s) > limit {
		// What is beyond the limit need not be read, nor be kept alive.
		s, cut = s[:boundary(s, limit)], true
	}
	if !utf8.ValidString(s) {
		b.tally.repaired++
		s = strings.ToValidUTF8(s, "\uFFFD")
		cut = cut || len(s) > limit
	}
	if cut {
		b.scratch = append(append(b.scratch[:0], s[:boundary(s, limit-len(ellipsis))]...), ellipsis...)
		s = b.made.String(b.scratch)
	}
	return s, cut
}
