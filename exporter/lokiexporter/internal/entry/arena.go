package entry

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// arena holds the texts and pairs that are made for one batch, so that a record costs no
// allocations of its own. Blocks are handed over with the batch and never used again.
type arena struct {
	text  strings.Builder
	next  int // bytes of the next block of text
	pairs []push.Pair
	more  int // pairs of the next block
}

const (
	firstText, mostText   = 4 << 10, 64 << 10
	firstPairs, mostPairs = 64, 2048
)

func (a *arena) reset() { *a = arena{next: firstText, more: firstPairs} }

// string returns b as a string. A builder that does not grow leaves alone what it has given.
func (a *arena) string(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if a.text.Cap()-a.text.Len() < len(b) {
		if len(b) >= a.next/4 {
			return string(b)
		}
		a.text.Reset()
		a.text.Grow(a.next)
		a.next = min(2*a.next, mostText)
	}
	start := a.text.Len()
	a.text.Write(b)
	return a.text.String()[start:]
}

// keep returns a copy of pairs.
func (a *arena) keep(pairs []push.Pair) []push.Pair {
	n := len(pairs)
	if n == 0 {
		return nil
	}
	if cap(a.pairs)-len(a.pairs) < n {
		a.pairs = make([]push.Pair, 0, max(a.more, n))
		a.more = min(2*a.more, mostPairs)
	}
	start := len(a.pairs)
	a.pairs = append(a.pairs, pairs...)
	return a.pairs[start : start+n : start+n]
}
