package entry

import (
	"encoding/hex"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// format returns the line of a record.
func (b *batch) format(rec plog.LogRecord) (line string, cut bool) {
	limit := b.c.cfg.MaxLineSize
	// Text that is one byte too long is known to be too long.
	switch b.line = b.line[:0]; b.c.cfg.Format {
	case FormatJSON:
		b.line = b.appendRecordJSON(b.line, rec, limit+1)
	case FormatLogfmt:
		b.line = b.appendRecordLogfmt(b.line, rec, limit+1)
	case FormatTemplate:
		b.line = b.appendTemplate(b.line, rec, limit+1)
	case FormatRequest:
		if b.line = b.appendRequest(b.line, rec, limit+1); len(b.line) == 0 {
			return b.body(rec, limit)
		}
	default:
		return b.body(rec, limit)
	}
	return b.finishLine(limit)
}

// body returns a line that is the body alone.
func (b *batch) body(rec plog.LogRecord, limit int) (line string, cut bool) {
	if body := rec.Body(); body.Type() == pcommon.ValueTypeStr && body.Str() != "" {
		return b.clean(body.Str(), limit)
	}
	b.line = appendBody(b.line[:0], rec, limit+1)
	return b.finishLine(limit)
}

func (b *batch) finishLine(limit int) (line string, cut bool) {
	cut = len(b.line) > limit
	return b.finish(limit), cut
}

// appendBody appends the body as text. In place of an empty one stands the name of the event,
// or what the record has else.
func appendBody(dst []byte, rec plog.LogRecord, limit int) []byte {
	body := rec.Body()
	start := len(dst)
	if dst = appendText(dst, body, limit); len(dst) > start {
		return dst
	}
	if s := rec.EventName(); s != "" {
		return appendValid(dst, s[:min(len(s), max(0, limit-len(dst)))])
	}
	if attrs := rec.Attributes(); attrs.Len() > 0 {
		return appendObject(dst, attrs, limit, 0)
	}
	return dst
}

// appendRecordJSON appends a record with the keys that contrib's exporter had, which dashboards
// know.
func (b *batch) appendRecordJSON(dst []byte, rec plog.LogRecord, limit int) []byte {
	dst = append(dst, '{')
	key := func(name string) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), `":`...)
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			dst = appendQuoted(dst, value, limit)
		}
	}
	object := func(name string, m pcommon.Map) {
		if m.Len() > 0 {
			key(name)
			dst = appendObject(dst, m, limit, 0)
		}
	}
	text("name", rec.EventName())
	if body := rec.Body(); body.Type() != pcommon.ValueTypeEmpty {
		key("body")
		dst = appendJSON(dst, body, limit, 0)
	}
	if id := rec.TraceID(); !id.IsEmpty() {
		key("traceid")
		dst = append(hex.AppendEncode(append(dst, '"'), id[:]), '"')
	}
	if id := rec.SpanID(); !id.IsEmpty() {
		key("spanid")
		dst = append(hex.AppendEncode(append(dst, '"'), id[:]), '"')
	}
	text("severity", severityOf(rec))
	if f := rec.Flags(); f != 0 {
		key("flags")
		dst = append(dst, b.number(int64(f))...)
	}
	object("attributes", rec.Attributes())
	object("resources", b.resource.attrs)
	if s := b.scope.scope; s.Name() != "" {
		key("instrumentation_scope")
		dst = appendQuoted(append(dst, `{"name":`...), s.Name(), limit)
		if s.Version() != "" {
			dst = appendQuoted(append(dst, `,"version":`...), s.Version(), limit)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendRecordLogfmt is the same as logfmt.
func (b *batch) appendRecordLogfmt(dst []byte, rec plog.LogRecord, limit int) []byte {
	text := func(name, value string) {
		if value != "" {
			dst = appendPair(dst, "", name, value, limit)
		}
	}
	text("name", rec.EventName())
	if body := rec.Body(); body.Type() == pcommon.ValueTypeMap {
		dst = b.appendPairs(dst, "body_", body.Map(), limit, 0)
	} else {
		dst = b.appendPairOf(dst, "", "body", body, limit, 0)
	}
	if id := rec.TraceID(); !id.IsEmpty() {
		dst = hex.AppendEncode(appendPairKey(dst, "", "traceID"), id[:])
	}
	if id := rec.SpanID(); !id.IsEmpty() {
		dst = hex.AppendEncode(appendPairKey(dst, "", "spanID"), id[:])
	}
	text("severity", severityOf(rec))
	if f := rec.Flags(); f != 0 {
		text("flags", b.number(int64(f)))
	}
	dst = b.appendPairs(dst, "attribute_", rec.Attributes(), limit, 0)
	dst = b.appendPairs(dst, "resource_", b.resource.attrs, limit, 0)
	text("instrumentation_scope_name", b.scope.scope.Name())
	text("instrumentation_scope_version", b.scope.scope.Version())
	return dst
}

// severityOf returns the severity as the service has called it, or its level.
func severityOf(rec plog.LogRecord) string {
	if s := rec.SeverityText(); s != "" {
		return s
	}
	return levelOf(rec)
}
