package extract

import "strings"

// readOTelPython reads the format that OpenTelemetry's logging integration for
// Python sets, OTEL_PYTHON_LOG_CORRELATION:
//
//	2026-08-21 12:00:00,123 INFO [app] [app.py:12] [trace_id=… span_id=… resource.service.name=app trace_sampled=True] - message
//
// Outside a span both ids are 0.
func readOTelPython(x *Extractor, f *Found, l *line, p place) bool {
	head := l.head()
	at := strings.Index(head, "[trace_id=")
	if at < 0 || strings.ContainsAny(head[:at], "\"'`{=") {
		return false
	}
	fields := l.text[at+1:]
	end := strings.IndexByte(fields[:min(len(fields), maxTail)], ']')
	if end < 0 {
		return false
	}
	fields = fields[:end]
	if !strings.Contains(fields, " span_id=") {
		return false
	}
	for fields != "" {
		var pair string
		pair, fields = cutToken(fields)
		name, text, _ := strings.Cut(pair, "=")
		if e := x.names.of(name); e.means == meansID {
			x.take(f, &e, value{text: text}, p)
		}
	}
	return true
}
