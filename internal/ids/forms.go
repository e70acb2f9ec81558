package ids

import "bytes"

// MaxRequestID is the length of the longest request id, in bytes. Callers
// choose request ids, and a store keeps them.
const MaxRequestID = 256

// maxForms is: as it is, without its prefix or sample, and two cuts.
const maxForms = 4

// Forms are the keys under which a request id meets the same id written
// elsewhere, from the most specific to the least. Reuse one for many ids.
//
// Two ids meet if one key of each is the same, byte for byte; nothing is
// compared by its beginning, so X1 never meets X12. Keys are of two classes:
//
//   - Whole keys are the id as it is and the id without its API prefix:
//     cmpl-X and X.
//   - Cut keys have also lost what a server may have added, a number or a
//     random suffix: X-0 and X of cmpl-X-0-9f3e1a2b.
//
// A key that was cut meets whole keys only. It is a guess that an end was
// added by a server; two such guesses are one too many: cmpl-order-5 and
// cmpl-order-6 have the cut key order in common and nothing else.
//
// And a cut is made only where the guess is a good one: the id had an API
// prefix, which says that a server made it up from another id, or what is left
// is an id that a machine made, a UUID or 32 or 16 hexadecimal digits. So
// order-5 and job-12ab34cd have one key each.
//
// A store indexes all keys of a span, and with each whether it was cut. A log
// record looks its keys up in order, a cut key among whole ones only. The
// first key that finds something decides; if it finds more than one trace, the
// id is ambiguous. Match is this rule for two ids.
type Forms struct {
	text  [MaxRequestID]byte // the canonical id; every key is a part of it
	keys  [maxForms]struct{ from, to uint16 }
	n     uint8
	whole uint8
}

// Len returns the number of keys, 1 to 4 for an id that was read OK.
func (f *Forms) Len() int { return int(f.n) }

// Key returns a key. It is valid until the next Parse into f; a store keeps a
// copy.
func (f *Forms) Key(i int) []byte { return f.text[f.keys[i].from:f.keys[i].to] }

// Cut reports whether key i is a cut one. Cut keys come after whole ones.
func (f *Forms) Cut(i int) bool { return i >= int(f.whole) }

// Written returns raw, of which f was read; or, where much stands around the id, the id alone. So
// what is kept of an id is never longer than one.
func (f *Forms) Written(raw string) string {
	if len(raw) > MaxRequestID {
		return string(f.Key(0))
	}
	return raw
}

// Strings returns copies of all keys, for people.
func (f *Forms) Strings() []string {
	s := make([]string, f.n)
	for i := range s {
		s[i] = string(f.Key(i))
	}
	return s
}

// Match reports whether a and b are forms of one id.
func Match(a, b *Forms) bool {
	for i := range a.Len() {
		for j := range b.Len() {
			if (!a.Cut(i) || !b.Cut(j)) && bytes.Equal(a.Key(i), b.Key(j)) {
				return true
			}
		}
	}
	return false
}

// add appends the key f.text[from:to], which was written as s, unless any
// request could have it.
func (f *Forms) add(s string, from, to int) {
	if zero(s) || placeholder(s) {
		return
	}
	f.keys[f.n].from, f.keys[f.n].to = uint16(from), uint16(to)
	f.n++
}
