package extract

import "strings"

// readLogfmt reads key=value pairs, of logfmt and of other text that holds
// some: "level=info trace_id=…", "INFO [traceId=…, spanId=…] done". Ids may
// stand behind a colon too, as .NET writes them: "SpanId:…, TraceId:…". A
// value in quotes is one value, whatever it holds, and so is a text in quotes
// that is no value: nothing in it is a field.
func readLogfmt(x *Extractor, f *Found, l *line, p place) bool {
	s := l.text
	if strings.IndexByte(s, '=') < 0 && !strings.Contains(s, "d:") && !strings.Contains(s, "D:") {
		return false
	}
	found := false
	start := 0 // of the word before at
	for at := 0; at < len(s); {
		switch c := s[at]; {
		case wordByte(c):
			at++
		case c == ':' && !colonID(s[start:at]):
			at++
			start = at
		case (c == '=' || c == ':') && at > start:
			name, begins := s[start:at], keyBegins(s, start)
			if c == ':' && at+1 < len(s) && s[at+1] == ' ' {
				at++
			}
			text, next := logfmtValue(s, at+1)
			at, start = next, next
			if !begins || text == "" {
				continue
			}
			if e := x.names.of(name); e.means != meansNothing && (c == '=' || e.means == meansID) {
				found = found || e.tells()
				x.take(f, &e, value{text: text}, p)
			}
		case c == '"' || (c == '\'' || c == '`') && (at == 0 || s[at-1] == ' '):
			end, _ := closingQuote(s, at+1, c)
			if end < 0 {
				return found // all that follows may be quoted
			}
			at = end + 1
			start = at
		default:
			at++
			start = at
		}
	}
	return found
}

// colonID tells the name of an id from the words and numbers that stand before
// most colons.
func colonID(name string) bool {
	return len(name) > 2 && letter(name[0]) && name[len(name)-1]|0x20 == 'd'
}

// keyBegins reports whether a key can begin at a place: not in the query of a
// path (/x?trace_id=…), which a client writes.
func keyBegins(s string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\r\n[({,;|", s[at-1]) >= 0
}

// logfmtValue returns the value that begins at start, and where it ends.
func logfmtValue(s string, start int) (text string, end int) {
	if start == len(s) {
		return "", start
	}
	if c := s[start]; c == '"' || c == '\'' || c == '`' {
		end, escaped := closingQuote(s, start+1, c)
		if end < 0 {
			return "", len(s)
		}
		if escaped {
			return "", end + 1
		}
		return s[start+1 : end], end + 1
	}
	end = start
	for end < len(s) && strings.IndexByte(" \t,;)]}\"", s[end]) < 0 {
		end++
	}
	return s[start:end], end
}
