package inference

import (
	"strconv"
	"strings"
)

// Dimensions are the values of the dimensions that a site configures, in its order, as one string
// that is comparable. They stand apart by a byte that is in no valid UTF-8. Where none has a value
// it is empty. An absent value is an empty one.
type Dimensions string

const dimensionSeparator = 0xFF

// Cut returns the first value and the others.
func (d Dimensions) Cut() (value string, rest Dimensions) {
	if d == "" {
		return "", "" // the usual case of most places where a value may be
	}
	if i := strings.IndexByte(string(d), dimensionSeparator); i >= 0 {
		return string(d[:i]), d[i+1:]
	}
	return string(d), ""
}

// DimensionsBuilder puts Dimensions together. What it returns for equal values is one string, so
// that it allocates for new ones only. It remembers a bounded number. The zero value is ready; it
// is not safe for concurrent use.
type DimensionsBuilder struct {
	text     []byte
	last     Dimensions // what was returned last, and is often again
	interned map[string]Dimensions
}

// maxInterned bounds what a builder remembers: it begins anew, as after a
// flood of values that come once.
const maxInterned = 1024

// Begin begins the next Dimensions.
func (b *DimensionsBuilder) Begin() { b.text = b.text[:0] }

// Next ends the value of one dimension: others follow.
func (b *DimensionsBuilder) Next() { b.text = append(b.text, dimensionSeparator) }

// Add adds to the value of the present dimension: valid UTF-8.
func (b *DimensionsBuilder) Add(value string) { b.text = append(b.text, value...) }

// AddInt adds a number to it.
func (b *DimensionsBuilder) AddInt(n int64) { b.text = strconv.AppendInt(b.text, n, 10) }

// End returns what was put together.
func (b *DimensionsBuilder) End() Dimensions {
	last := len(b.text)
	for last > 0 && b.text[last-1] == dimensionSeparator {
		last-- // absent values at the end need no place
	}
	if last == 0 {
		return ""
	}
	if string(b.text[:last]) == string(b.last) {
		return b.last
	}
	if d, known := b.interned[string(b.text[:last])]; known {
		b.last = d
		return d
	}
	if b.interned == nil || len(b.interned) >= maxInterned {
		b.interned = make(map[string]Dimensions)
	}
	b.last = Dimensions(b.text[:last])
	b.interned[string(b.last)] = b.last
	return b.last
}

// From is where the value of a dimension may come from.
type From uint8

// The sources.
const (
	FromAny      From = iota // the first of those below that has it, in their order
	FromSpan                 // the span of the call or request, then that of its request, or of its last successful call
	FromParent               // the span above that one
	FromResource             // the resource of the span
)

var fromNames = [...]string{"", "span", "parent", "resource"}

// String returns the name of the source, empty for FromAny.
func (f From) String() string { return fromNames[f] }

// ParseFrom is the inverse of String; false for what is no source.
func ParseFrom(s string) (From, bool) {
	for f, name := range fromNames {
		if name == s {
			return From(f), true
		}
	}
	return 0, false
}

// Dimension is one dimension that a site configures.
type Dimension struct {
	Name string // of the attribute that it becomes
	// Attributes are where its value is, the first one that is there and not
	// empty.
	Attributes []string
	From       From
	Default    string // where it is nowhere; empty: the attribute is left out
}
