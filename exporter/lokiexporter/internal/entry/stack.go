package entry

import "unsafe"

// stack holds texts that are needed until its owner cuts it: those of a record until the next
// one, those of its scope and resource for longer. They must not be kept any longer.
type stack struct{ text []byte }

func (s *stack) len() int { return len(s.text) }

// cut ends the texts from a length on.
func (s *stack) cut(n int) { s.text = s.text[:n] }

// string returns b as a string.
func (s *stack) string(b []byte) string {
	start := len(s.text)
	s.text = append(s.text, b...)
	return s.since(start)
}

// since returns what was appended to text from a length on as a string. Where there was no room
// append took a larger block, and the texts that were there before stay where they are.
func (s *stack) since(start int) string {
	if start == len(s.text) {
		return ""
	}
	return unsafe.String(&s.text[start], len(s.text)-start) //nolint:gosec // as strings.Builder does it, which cannot be cut
}
