package extract

import "strings"

// readKServe reads the latency line of KServe's Python models
// (enable_latency_logging):
//
//	2026-08-21 12:00:00.123 1 root INFO [__call__():128] requestId: X, preprocess_ms: 0.2, explain_ms: 0, predict_ms: 12.5, postprocess_ms: 0.1
//
// The id is the x-request-id of the request, N.A. where it had none.
func readKServe(x *Extractor, f *Found, l *line, p place) bool {
	const begin, then = "requestId: ", ", preprocess_ms: "
	head := l.head()
	at := strings.Index(head, begin)
	if at < 0 || at > 0 && head[at-1] != ' ' || strings.ContainsAny(head[:at], "\"'`{") {
		return false
	}
	rest := l.text[at+len(begin):]
	end := strings.Index(rest[:min(len(rest), maxTail)], then)
	if end < 0 {
		return false
	}
	f.wanted.addRequest(rest[:end], p.rank, "", false)
	f.Class = ClassRequestEnd
	rest = rest[end+len(", "):]
	for rest != "" {
		var pair string
		pair, rest, _ = strings.Cut(rest, ", ")
		name, text, _ := strings.Cut(pair, ": ")
		if e := x.names.of(name); e.means == meansField {
			x.take(f, &e, value{text: text}, p)
		}
	}
	return true
}
