package extract

import "strings"

// readTriton reads lines of Triton that name a request (--log-verbose), in
// both formats of --log-format:
//
//	I0821 12:00:00.123456 1 infer_request.cc:905] "[request id: X] prepared: …"
//	2026-08-21T12:00:00Z I 1 infer_request.cc:905] "[request id: X] prepared: …"
//
// The id is the client's, and <id_unknown> where it gave none.
func readTriton(_ *Extractor, f *Found, l *line, p place) bool {
	head := l.head()
	if len(head) < 20 || !digit(head[1]) || !digit(head[0]) && strings.IndexByte("IWEFV", head[0]) < 0 {
		return false
	}
	n := strings.Index(head, "] ")
	if n < 0 || !strings.Contains(head[:n], ".cc:") && !strings.Contains(head[:n], ".h:") {
		return false
	}
	rest := strings.TrimPrefix(l.text[n+2:], `"`)
	rest, ok := strings.CutPrefix(rest, "[request id: ")
	if !ok {
		return false
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return false
	}
	f.wanted.addRequest(rest[:end], p.rank, "", false)
	return true
}
