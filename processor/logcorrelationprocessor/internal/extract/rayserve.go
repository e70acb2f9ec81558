package extract

import "strings"

// readRayServe reads text of Ray Serve; JSON is read as JSON. Proxies and
// replicas write one format, which changed in Ray 2.10:
//
//	INFO 2026-08-21 12:00:00,123 default_LLM 4x7k2abc 8f2e1a3c-… -- GET /v1/chat/completions 200 3.5ms
//	INFO 2023-09-01 12:00:00,123 http_proxy 10.0.0.1 8f2e1a3c-… / default http_proxy.py:1026 - GET 200 3.5ms
//
// Lines outside a request have no third word before the dashes.
func readRayServe(_ *Extractor, f *Found, l *line, p place) bool {
	s := l.head()
	if strings.HasPrefix(s, "(") {
		n := bracketed(s, ')')
		s = strings.TrimLeft(s[n:], " ")
	}
	word, s := cutToken(s)
	if !level(word) {
		return false
	}
	date, s := cutToken(s)
	clock, s := cutToken(s)
	if len(date) != len("2026-08-21") || date[4] != '-' || len(clock) != len("12:00:00,123") || clock[8] != ',' {
		return false
	}
	_, s = cutToken(s) // component
	_, s = cutToken(s) // its id
	id, s := cutToken(s)
	if msg, ok := strings.CutPrefix(s, "-- "); ok {
		f.wanted.addRequest(id, p.rank, "", false)
		readRayAccess(f, msg, p.rank)
		return true
	}
	if n := strings.Index(s, ".py:"); n >= 0 && len(id) == 36 && strings.Count(id, "-") == 4 {
		if at := strings.Index(s[n:], " - "); at >= 0 {
			f.wanted.addRequest(id, p.rank, "", false)
			readRayAccess(f, s[n+at+len(" - "):], p.rank)
			return true
		}
	}
	return false
}

// readRayAccess reads the end of a message of the access log, the time of the
// request behind its status: GET /route 200 3.5ms, CALL __call__ OK 3.5ms. A
// client's address may stand before.
func readRayAccess(f *Found, msg string, r rank) {
	if len(msg) > maxHeader || strings.Count(msg, " ") > 4 {
		return
	}
	at := strings.LastIndexByte(msg, ' ')
	if at < 0 || !strings.HasSuffix(msg, "ms") {
		return
	}
	before := msg[:at]
	status := before[strings.LastIndexByte(before, ' ')+1:]
	if status != "OK" && status != "ERROR" && (len(status) != 3 || !digit(status[0]) || !digit(status[2])) {
		return
	}
	if ms, _, ok := parseTime(msg[at+1:], noUnit); ok {
		f.Class = ClassRequestEnd
		f.number(FieldTotalTime, ms, r, "")
	}
}
