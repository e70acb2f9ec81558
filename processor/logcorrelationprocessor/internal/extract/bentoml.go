package extract

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// readBentoML reads lines of BentoML, which end with their trace context; the
// access log has the time of the request before it:
//
//	2026-08-21T12:00:00+0000 [INFO] [api_server:svc:1] 127.0.0.1:5000 (scheme=http,method=POST,path=/x,…) (status=200,…) 12.345ms (trace=…,span=…,sampled=1,service.name=svc)
//
// What a user wrote stands before that end and cannot follow it. The width of
// the ids is configurable there.
func readBentoML(_ *Extractor, f *Found, l *line, p place) bool {
	if !strings.HasSuffix(l.tail, ")") || !digit(l.text[0]) || !strings.Contains(l.head(), "] [") {
		return false
	}
	const open = " (trace="
	at := strings.LastIndex(l.tail, open)
	if at < 0 {
		return false
	}
	context := l.tail[at+len(" (") : len(l.tail)-1]
	if strings.ContainsAny(context, " ()\"'") {
		return false
	}
	for context != "" {
		var pair string
		pair, context, _ = strings.Cut(context, ",")
		name, text, _ := strings.Cut(pair, "=")
		switch name {
		case "trace":
			p.set.add(ids.Field{Role: ids.RoleTrace, Kind: ids.KindB3}, 0, "", text, p.opts)
		case "span":
			p.set.add(ids.Field{Role: ids.RoleSpan, Kind: ids.KindB3}, 0, "", text, p.opts)
		case "sampled":
			p.set.add(ids.Field{Role: ids.RoleFlags, Kind: ids.KindSampled}, 0, "", text, p.opts)
		}
	}
	before := l.tail[:at]
	took := before[strings.LastIndexByte(before, ' ')+1:]
	if strings.Contains(l.text, " (scheme=") && strings.HasSuffix(took, "ms") {
		if ms, _, ok := parseTime(took, noUnit); ok {
			f.number(FieldTotalTime, ms, p.rank, "")
			f.Class = ClassRequestEnd
		}
	}
	return true
}
