package extract

import (
	"encoding/json"
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// jsonReader goes once over a JSON object and stops at what is of interest. It
// builds no values, and it checks no more than it needs: a body that is broken
// or cut off behind a field still has that field.
//
// Its work is bounded by limit for all but the inside of strings, which are
// skipped at the speed of memory: a long prompt must not hide what follows it.
type jsonReader struct {
	x     *Extractor
	f     *Found
	s     string
	pos   int
	limit int // grows with each string
	// members counts what was read, to tell JSON from a line in braces.
	members int
}

// longestEscaped is the longest string with escapes that is unescaped.
const longestEscaped = 512

// readJSON reads a body of JSON and reports whether it was one.
func (x *Extractor) readJSON(f *Found, s string, p place) bool {
	if !strings.HasPrefix(s, "{") {
		return false
	}
	r := jsonReader{x: x, f: f, s: s, limit: x.maxBody}
	r.object(p, 0, "", nestPlain)
	if p.set.plain && f.wanted.program == programLiteLLM && p.opts&ids.ForeignTraceID == 0 {
		// What was read as a trace id is LiteLLM's own.
		p.set.reset()
		p.opts |= ids.ForeignTraceID
		r.pos, r.limit = 0, x.maxBody
		r.object(p, 0, "", nestPlain)
	}
	return r.members > 0
}

// object reads an object, from its brace to behind the closing one, and
// reports whether it could.
func (r *jsonReader) object(p place, depth int, name string, nest nesting) bool {
	p.rank += rankDepth
	r.pos++
	for {
		switch r.next() {
		case '}':
			r.pos++
			return true
		case ',':
			r.pos++
			continue
		case '"':
		default:
			return false
		}
		key, escaped, ok := r.str()
		if !ok || r.next() != ':' {
			return false
		}
		r.pos++
		var e entry
		if !escaped {
			e = r.x.lookUp(name, key, nest)
		}
		if !r.value(&e, p, depth, name, key) {
			return false
		}
		r.members++
	}
}

// value reads the value of a member.
func (r *jsonReader) value(e *entry, p place, depth int, name, key string) bool {
	switch c := r.next(); c {
	case 0:
		return false
	case '"':
		text, escaped, ok := r.str()
		if !ok {
			return false
		}
		if e.means == meansNothing {
			return true
		}
		if escaped {
			text = unescape(text)
		}
		r.x.take(r.f, e, value{text: text}, p)
		return true
	case '{':
		if e.nest != 0 && depth < maxDepth {
			return r.object(p, depth+1, joined(name, key, e.nest), e.nest)
		}
		return r.skipNested()
	case '[':
		return r.skipNested()
	default:
		return r.scalar(e, p)
	}
}

// scalar reads a number or a literal.
func (r *jsonReader) scalar(e *entry, p place) bool {
	start := r.pos
	for r.pos < r.end() && wordByte(r.s[r.pos]) || r.pos < r.end() && r.s[r.pos] == '+' {
		r.pos++
	}
	text := r.s[start:r.pos]
	// A number that reaches the end may go on behind it.
	if text == "" || r.pos == r.end() {
		return false
	}
	if e.means != meansNothing && text != "null" {
		r.x.take(r.f, e, value{text: text}, p)
	}
	return true
}

// end is where reading has to stop.
func (r *jsonReader) end() int { return min(r.limit, len(r.s)) }

// next skips white space and returns the character there, 0 at the end.
func (r *jsonReader) next() byte {
	for r.pos < r.end() {
		switch c := r.s[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// str reads a string, from its quote to behind the closing one, and returns
// what is between, as it is written.
func (r *jsonReader) str() (text string, escaped, ok bool) {
	start := r.pos + 1
	end, escaped := closingQuote(r.s, start, '"')
	if end < 0 {
		return "", false, false
	}
	r.limit += end - start
	r.pos = end + 1
	return r.s[start:end], escaped, true
}

// closingQuote returns where a quoted text that begins at start ends, negative
// if it does not, and whether it holds backslashes.
func closingQuote(s string, start int, quote byte) (end int, escaped bool) {
	at := start
	for {
		n := strings.IndexByte(s[at:], quote)
		if n < 0 {
			return -1, false
		}
		at += n
		slashes := 0
		for at-slashes > start && s[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at, escaped || strings.IndexByte(s[start:at], '\\') >= 0
		}
		escaped = true
		at++
	}
}

// skipNested skips an array or an object.
func (r *jsonReader) skipNested() bool {
	depth := 0
	for r.pos < r.end() {
		switch r.s[r.pos] {
		case '"':
			if _, _, ok := r.str(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				r.pos++
				return true
			}
		}
		r.pos++
	}
	return false
}

// unescape returns the text of a JSON string with escapes, "" if it is too
// long to be of interest or not valid.
func unescape(raw string) string {
	if len(raw) > longestEscaped {
		return ""
	}
	var text string
	if json.Unmarshal([]byte(`"`+raw+`"`), &text) != nil {
		return ""
	}
	return text
}
