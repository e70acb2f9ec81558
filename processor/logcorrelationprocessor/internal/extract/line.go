package extract

import "strings"

// maxHeader is how long the part of a line before its message can be.
const maxHeader = 256

// line is a body of text while parsers try it.
type line struct {
	text string // from its beginning, bounded
	tail string // its end, the last bytes of the whole body
	// msg is what message returned, if hasMsg.
	msg    string
	hasMsg bool
}

// maxTail is how much of a line's end is looked at.
const maxTail = 512

func newLine(s string, limit int) line {
	s = strings.TrimRight(s, " \t\r\n")
	l := line{text: s[:min(len(s), limit)], tail: s[max(0, len(s)-maxTail):]}
	if strings.IndexByte(l.text, escape) >= 0 {
		l.text = withoutColors(l.text)
		l.tail = withoutColors(l.tail)
	}
	return l
}

// head returns the beginning of the line, where headers are.
func (l *line) head() string { return l.text[:min(len(l.text), maxHeader)] }

// message returns the line behind its header.
func (l *line) message() string {
	if !l.hasMsg {
		l.msg, l.hasMsg = l.text[headerEnd(l.head()):], true
	}
	return l.msg
}

// runtimePrefix returns the length of what a container runtime puts before a
// line in its file: 2026-08-21T12:00:00.123456789Z stdout F . Behind it the
// line begins, which may be JSON; behind a header of a logger JSON is a
// message.
func runtimePrefix(s string) int {
	const shortest = len("2026-08-21T12:00:00Z ")
	if len(s) < shortest || !digit(s[0]) || s[10] != 'T' {
		return 0
	}
	head := s[:min(len(s), 64)]
	for _, stream := range []string{" stdout F ", " stderr F ", " stdout P ", " stderr P "} {
		if at := strings.Index(head, stream); at >= shortest-2 {
			return at + len(stream)
		}
	}
	return 0
}

const escape = 0x1b

// withoutColors removes the escape sequences of terminals.
func withoutColors(s string) string {
	var b strings.Builder
	for {
		n := strings.IndexByte(s, escape)
		if n < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:n])
		s = s[n+1:]
		if !strings.HasPrefix(s, "[") {
			continue
		}
		n = 1
		for n < len(s) && (digit(s[n]) || s[n] == ';') {
			n++
		}
		s = s[min(n+1, len(s)):]
	}
}
