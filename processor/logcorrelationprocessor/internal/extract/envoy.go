package extract

import "strings"

// readEnvoy reads Envoy's default access log, and Istio's:
//
//	[2026-08-21T12:00:00.000Z] "POST /v1/completions HTTP/1.1" 200 - 123 456 789 780 "-" "curl/8" "8f2e1a3c-…" "llm" "10.0.0.2:8000"
//	[2026-08-21T12:00:00.000Z] "POST /v1/completions HTTP/2" 200 - via_upstream - "-" 123 456 789 780 "-" "curl/8" "8f2e1a3c-…" "llm" "10.0.0.2:8000" …
//
// Envoy does not escape quotes of a client's user agent, so a line is taken
// only if it has as many quotes as its format.
func readEnvoy(_ *Extractor, f *Found, l *line, p place) bool {
	const open = `] "`
	s := l.text
	if s[0] != '[' || len(s) < 2 || !digit(s[1]) {
		return false
	}
	at := strings.Index(l.head(), open)
	if at < 0 {
		return false
	}
	s = s[at+len(open):]
	at = strings.Index(s, `" `)
	if at < 0 {
		return false
	}
	s = s[at+2:]
	quotes := strings.Count(s, `"`)
	istio := quotes == 12
	if quotes != 10 && !istio || len(s) < 4 || !digit(s[0]) {
		return false
	}
	if istio {
		_, s, _ = strings.Cut(s, `"`)
		_, s, _ = strings.Cut(s, `" `)
	} else {
		_, s = cutToken(s) // status
		_, s = cutToken(s) // flags
	}
	_, s = cutToken(s) // bytes in
	_, s = cutToken(s) // and out
	duration, s := cutToken(s)
	_, s = cutToken(s) // the upstream's time
	for range 2 {      // forwarded for, user agent
		if s == "" || s[0] != '"' {
			return false
		}
		_, s, _ = strings.Cut(s[1:], `" `)
	}
	if s == "" || s[0] != '"' {
		return false
	}
	id, _, ok := strings.Cut(s[1:], `"`)
	if !ok {
		return false
	}
	f.Class = ClassRequestEnd
	f.wanted.addRequest(id, p.rank, "", false)
	if ms, _, ok := parseTime(duration, milliseconds); ok {
		f.number(FieldTotalTime, ms, p.rank, "")
	}
	return true
}
