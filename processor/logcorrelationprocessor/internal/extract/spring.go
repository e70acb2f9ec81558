package extract

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// readSpring reads the patterns of Spring Boot: Sleuth and Micrometer with
// Boot 2 and 3.0, and Boot's own since 3.2:
//
//	2026-08-21 12:00:00.123  INFO [orders,4bf9…,00f0…] 1 --- [nio-8080-exec-1] c.e.Api : message
//	2026-08-21T12:00:00.123Z  INFO 1 --- [orders] [nio-8080-exec-1] [4bf9…-00f0…] c.e.Api : message
//
// Outside a span the ids are missing.
func readSpring(_ *Extractor, _ *Found, l *line, p place) bool {
	head := l.head()
	if !digit(head[0]) {
		return false
	}
	for at := 0; at < len(head); {
		open := strings.IndexByte(head[at:], '[')
		if open < 0 || strings.ContainsAny(head[at:at+open], "\"'`{=") || strings.Contains(head[at:at+open], " : ") {
			return false
		}
		at += open + 1
		n := strings.IndexByte(head[at:], ']')
		if n < 0 {
			return false
		}
		if trace, span, ok := springIDs(head[at : at+n]); ok {
			p.set.add(ids.Field{Role: ids.RoleTrace}, 0, "", trace, p.opts)
			p.set.add(ids.Field{Role: ids.RoleSpan}, 0, "", span, p.opts)
			return true
		}
		at += n + 1
	}
	return false
}

// springIDs takes "app,trace,span[,exported]" or "trace-span" apart.
func springIDs(s string) (trace, span string, ok bool) {
	const spanLen = 16
	if at := len(s) - spanLen - 1; (at == 32 || at == 16) && s[at] == '-' {
		return s[:at], s[at+1:], hexText(s[:at]) && hexText(s[at+1:])
	}
	if _, s, ok = strings.Cut(s, ","); !ok {
		return "", "", false
	}
	trace, s, ok = strings.Cut(s, ",")
	span, _, _ = strings.Cut(s, ",")
	ok = ok && (len(trace) == 32 || len(trace) == 16) && len(span) == spanLen
	return trace, span, ok && hexText(trace) && hexText(span)
}

// hexText reports whether s is hexadecimal digits.
func hexText(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; !digit(s[i]) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}
