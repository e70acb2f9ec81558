package push

import (
	"slices"
	"strconv"
	"strings"
)

// AppendLabels appends the labels as Loki itself writes them, {a="b", c="d"}: sorted by name, with
// values quoted as in Go, and without those that are empty, which are no labels to Loki. Two equal
// sets of labels give equal bytes.
//
// It sorts pairs in place. Names have to match [a-zA-Z_][a-zA-Z0-9_]* and differ from each other;
// that is for the caller to see to, since only they can tell what to do about it.
func AppendLabels(dst []byte, pairs []Pair) []byte {
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	dst = append(dst, '{')
	first := true
	for i := range pairs {
		if pairs[i].Value == "" {
			continue
		}
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = append(dst, pairs[i].Name...)
		dst = append(dst, '=')
		dst = strconv.AppendQuote(dst, pairs[i].Value)
	}
	return append(dst, '}')
}
