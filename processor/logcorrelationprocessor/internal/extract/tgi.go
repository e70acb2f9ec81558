package extract

import "strings"

// readTGI reads the line that Text Generation Inference writes for a request
// that was served; --json-output is read as JSON:
//
//	… INFO generate{parameters=GenerateParameters { … } total_time="1.23s" …}: text_generation_router::server: router/src/server.rs:343: Success
//
// Fields are those of the span, in braces; parameters hold text of users, one
// level deeper. Durations are those of Rust's Debug, with units.
func readTGI(x *Extractor, f *Found, l *line, p place) bool {
	if !strings.HasSuffix(l.tail, "Success") {
		return false
	}
	start := strings.IndexByte(l.head(), '{')
	if start < 0 || !strings.Contains(l.tail, "text_generation_router") {
		return false
	}
	f.Class = ClassRequestEnd
	depth := 0
	for at := start; at < len(l.text); at++ {
		switch l.text[at] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case '"':
			end, _ := closingQuote(l.text, at+1, '"')
			if end < 0 {
				return true
			}
			if depth == 1 && l.text[at-1] == '=' {
				tgiField(x, f, l.text[:at-1], l.text[at+1:end], p)
			}
			at = end
		}
	}
	return true
}

// tgiField reads one field; its name is the last word of before.
func tgiField(x *Extractor, f *Found, before, text string, p place) {
	before = before[max(0, len(before)-longestName):]
	name := before[strings.LastIndexAny(before, " {")+1:]
	if e := x.names.of(name); e.means == meansBare {
		x.take(f, &e, value{text: text}, p)
	}
}
