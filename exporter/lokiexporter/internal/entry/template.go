package entry

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

// part is a piece of a template: text as it is, or a field.
type part struct {
	text  string
	field templateField
}

type templateField uint8

const (
	partText templateField = iota
	partBody
	partLevel
	partSeverity
	partTrace
	partSpan
	partEvent
	partScope
	partAttribute // of the record, else of the resource
	partRecord
	partResource
)

var templateFields = map[string]templateField{
	"body": partBody, "level": partLevel, "severity": partSeverity, "trace_id": partTrace, "span_id": partSpan,
	"event_name": partEvent, "scope_name": partScope,
}

// parseTemplate reads text with {{.name}} in it. A name is a field of the record (body, level,
// severity, trace_id, span_id, event_name, scope_name), attributes. or resource. and the key of
// an attribute, or the key alone, which is looked for in the record and then in the resource.
// There is nothing else in it: no record can make a line expensive, or fail.
func parseTemplate(s string) ([]part, error) {
	var parts []part
	for s != "" {
		text, rest, found := strings.Cut(s, "{{")
		if text != "" {
			parts = append(parts, part{text: text})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, fmt.Errorf("{{ before %q is not closed; write {{.name}}", cutTo(rest, 32))
		}
		p, err := parseField(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		parts, s = append(parts, p), after
	}
	return parts, nil
}

func parseField(name string) (part, error) {
	key, ok := strings.CutPrefix(name, ".")
	switch {
	case !ok || key == "":
		return part{}, fmt.Errorf("%q is no field; write {{.name}}", cutTo(name, 32))
	case strings.ContainsAny(key, " \t\n\"`(){}|$"):
		return part{}, fmt.Errorf("%q is no field; there are no functions, write {{.name}}", cutTo(name, 32))
	}
	if f, ok := templateFields[key]; ok {
		return part{field: f, text: key}, nil
	}
	for prefix, f := range map[string]templateField{"attributes.": partRecord, "resource.": partResource} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			if rest == "" {
				return part{}, errors.New(prefix + " must be followed by the key of an attribute")
			}
			return part{field: f, text: rest}, nil
		}
	}
	return part{field: partAttribute, text: key}, nil
}

func cutTo(s string, n int) string { return s[:boundary(s, n)] }

// appendTemplate appends the line of a template. What a record does not have is empty.
func (b *batch) appendTemplate(dst []byte, rec plog.LogRecord, limit int) []byte {
	for i := range b.c.template {
		if len(dst) >= limit {
			return dst
		}
		p := &b.c.template[i]
		switch p.field {
		case partText:
			dst = append(dst, p.text...)
		case partBody:
			dst = appendBody(dst, rec, limit)
		case partLevel:
			dst = append(dst, levelOf(rec)...)
		case partSeverity:
			dst = appendValid(dst, severityOf(rec))
		case partEvent:
			dst = appendValid(dst, rec.EventName())
		case partScope:
			dst = append(dst, b.scope.name...)
		case partTrace, partSpan:
			dst = appendID(dst, rec, p, limit)
		default:
			dst = b.appendAttribute(dst, rec, p, limit)
		}
	}
	return dst
}

func appendID(dst []byte, rec plog.LogRecord, p *part, limit int) []byte {
	if id := rec.TraceID(); p.field == partTrace && !id.IsEmpty() {
		return hex.AppendEncode(dst, id[:])
	}
	if id := rec.SpanID(); p.field == partSpan && !id.IsEmpty() {
		return hex.AppendEncode(dst, id[:])
	}
	if v, ok := rec.Attributes().Get(p.text); ok {
		return appendText(dst, v, limit)
	}
	return dst
}

func (b *batch) appendAttribute(dst []byte, rec plog.LogRecord, p *part, limit int) []byte {
	if p.field != partResource {
		if v, ok := rec.Attributes().Get(p.text); ok {
			return appendText(dst, v, limit)
		}
	}
	if p.field != partRecord {
		if v, ok := b.resource.attrs.Get(p.text); ok {
			return appendText(dst, v, limit)
		}
	}
	return dst
}
