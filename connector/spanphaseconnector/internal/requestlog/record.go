package requestlog

import (
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// EventName is the event name of the records, by which a query tells them from a service's own.
const EventName = "inference.request"

// outcomes are how a record tells each outcome. What the service or its user ended is a warning: it
// may be as it should. The texts are those of the request lines that log_correlation knows as a
// request's last.
var outcomes = [...]struct {
	severity plog.SeverityNumber
	level    string
	text     string
}{
	inference.OutcomeOK:       {plog.SeverityNumberInfo, "INFO", "request finished"},
	inference.OutcomeError:    {plog.SeverityNumberError, "ERROR", "request failed"},
	inference.OutcomeTimeout:  {plog.SeverityNumberWarn, "WARN", "request not served to its end"},
	inference.OutcomeRejected: {plog.SeverityNumberWarn, "WARN", "request not served to its end"},
	inference.OutcomeAborted:  {plog.SeverityNumberWarn, "WARN", "request not served to its end"},
}

// maxFields is how many attributes a record has at most.
const maxFields = 16

// writer writes entries as logs, those of one service below one resource.
type writer struct {
	scope, version string
	line           []byte // scratch
}

func (w *writer) logs(now time.Time, entries []entry) plog.Logs {
	logs := plog.NewLogs()
	of := make(map[service]plog.LogRecordSlice, 1)
	for i := range entries {
		e := &entries[i]
		records, known := of[e.service]
		if !known {
			records = w.open(logs, e.service)
			of[e.service] = records
		}
		w.write(records.AppendEmpty(), now, e)
	}
	return logs
}

// open adds a resource.
func (w *writer) open(logs plog.Logs, s service) plog.LogRecordSlice {
	rl := logs.ResourceLogs().AppendEmpty()
	attrs := rl.Resource().Attributes()
	attrs.PutStr(inference.AttrServiceName, s.name)
	putText(attrs, inference.AttrServiceNamespace, s.namespace)
	putText(attrs, inference.AttrEnvironment, s.environment)
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName(w.scope)
	sl.Scope().SetVersion(w.version)
	return sl.LogRecords()
}

func (w *writer) write(rec plog.LogRecord, now time.Time, e *entry) {
	o := &outcomes[e.outcome]
	rec.SetEventName(EventName)
	rec.SetTraceID(e.traceID)
	rec.SetSpanID(e.spanID)
	rec.SetObservedTimestamp(pcommon.NewTimestampFromTime(now))
	rec.SetTimestamp(rec.ObservedTimestamp())
	if e.ended > 0 {
		rec.SetTimestamp(pcommon.Timestamp(e.ended))
	}
	rec.SetSeverityNumber(o.severity)
	rec.SetSeverityText(o.level)

	attrs := rec.Attributes()
	attrs.EnsureCapacity(maxFields)
	putText(attrs, "request_id", e.requestID)
	putText(attrs, "model_name", e.model)
	putText(attrs, "model_version", e.modelVersion)
	putCount(attrs, "input_tokens", e.input)
	putCount(attrs, "output_tokens", e.output)
	putCount(attrs, "cached_input_tokens", e.cached)
	for t, ms := range e.ms {
		if ms > 0 {
			attrs.PutDouble(timeKeys[t], ms)
		}
	}
	attrs.PutStr("outcome", e.outcome.String())
	putText(attrs, "finish_reason", e.finishReason)
	putText(attrs, "slowest_phase", e.slowest)

	w.line = append(w.line[:0], o.text...)
	w.line = appendPairs(w.line, attrs)
	if e.errorType != "" {
		w.line = appendPair(w.line, "error_type", e.errorType)
	}
	rec.Body().SetStr(string(w.line))
}

func putText(attrs pcommon.Map, key, value string) {
	if value != "" {
		attrs.PutStr(key, value)
	}
}

func putCount(attrs pcommon.Map, key string, n inference.Count) {
	if n.Known() {
		attrs.PutInt(key, n.N())
	}
}

// appendPairs appends attributes as logfmt.
func appendPairs(line []byte, attrs pcommon.Map) []byte {
	for key, v := range attrs.All() {
		switch v.Type() {
		case pcommon.ValueTypeInt:
			line = strconv.AppendInt(append(append(append(line, ' '), key...), '='), v.Int(), 10)
		case pcommon.ValueTypeDouble:
			line = strconv.AppendFloat(append(append(append(line, ' '), key...), '='), v.Double(), 'f', -1, 64)
		default:
			line = appendPair(line, key, v.Str())
		}
	}
	return line
}

// appendPair appends a text; in quotes where it would not be read as one word. Clients choose some
// of them.
func appendPair(line []byte, key, value string) []byte {
	line = append(append(append(line, ' '), key...), '=')
	if strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c == '"' || c == '=' || !strconv.IsPrint(c) }) {
		return strconv.AppendQuote(line, value)
	}
	return append(line, value...)
}
