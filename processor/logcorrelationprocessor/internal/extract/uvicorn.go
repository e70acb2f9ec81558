package extract

import "strings"

// readUvicorn reads the access log of uvicorn, behind which many engines
// stand. It names no request: the line is claimed so that nothing of a path is
// taken for fields.
//
//	INFO:     127.0.0.1:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK
func readUvicorn(_ *Extractor, f *Found, l *line, _ place) bool {
	s := l.message()
	if len(s) > len(l.text)-len("INFO: ") || !strings.HasPrefix(l.text, "INFO:") && !strings.Contains(l.head(), " INFO:") {
		return false
	}
	s = strings.TrimPrefix(s, "- ")
	at := strings.LastIndex(s, ` HTTP/`)
	if at < 0 || !strings.Contains(s[:at], `"`) || len(s)-at < len(` HTTP/1.1" 200`) || s[at+len(` HTTP/1.1`)] != '"' {
		return false
	}
	f.Class = ClassRequestEnd
	return true
}
