package extract

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// Extractor reads records. It is safe for concurrent use.
type Extractor struct {
	names    *nameCache
	rules    ids.Rules
	maxBody  int
	foreign  []string
	regexes  []regex
	byPlace  bool // some setting depends on the service
	programs [numPrograms]bool
	json     bool
	text     []textParser
}

// New makes an Extractor of a valid configuration.
func New(cfg Config) (*Extractor, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	x := &Extractor{
		names: newNameCache(), rules: cfg.RequestID, maxBody: cfg.MaxBody,
		foreign: slices.Clone(cfg.ForeignTraceIDs), byPlace: len(cfg.ForeignTraceIDs) > 0,
	}
	enabled := func(name string) bool { return len(cfg.Parsers) == 0 || slices.Contains(cfg.Parsers, name) }
	for p, name := range programParsers {
		x.programs[p] = enabled(name)
		x.json = x.json || x.programs[p]
	}
	x.json = x.json || enabled("json")
	for _, p := range textParsers {
		if enabled(p.name) {
			x.text = append(x.text, p)
		}
	}
	for i := range cfg.Regexes {
		x.regexes = append(x.regexes, newRegex(&cfg.Regexes[i]))
		x.byPlace = x.byPlace || len(cfg.Regexes[i].Services) > 0
	}
	return x, nil
}

// Extract reads a record into f. It changes nothing; resource is the record's.
func (x *Extractor) Extract(resource pcommon.Map, rec plog.LogRecord, f *Found) {
	f.reset()
	service, opts := "", ids.Options(0)
	if x.byPlace {
		service = serviceOf(resource)
		if slices.Contains(x.foreign, service) {
			opts = ids.ForeignTraceID
		}
	}
	x.readMap(f, rec.Attributes(), place{set: &f.attrs, rank: rankAttributes, opts: opts}, true)

	body := rec.Body()
	p := place{set: &f.body, rank: rankBody, opts: opts}
	if body.Type() == pcommon.ValueTypeMap {
		if x.json {
			f.Parser = "json"
			x.readMap(f, body.Map(), p, false)
		}
	} else if text := bodyText(body, x.maxBody); text != "" {
		x.readText(f, text, service, p)
	}

	x.finish(f)
	f.resolve(rec)
}

// readText reads a body that is text.
func (x *Extractor) readText(f *Found, text, service string, p place) {
	head := text[:min(len(text), x.maxBody)]
	for i := range x.regexes {
		if x.regexes[i].read(x, f, head, service, place{set: &f.body, rank: rankRegex, opts: p.opts}) {
			f.Parser = x.regexes[i].parser
			return
		}
	}
	text = strings.TrimLeft(text, " \t\r\n")
	text = text[runtimePrefix(text):]
	if x.json && x.readJSON(f, text, p) {
		f.Parser = "json"
		return
	}
	f.wanted.keepFirst = true
	l := &f.line
	if *l = newLine(text, x.maxBody); l.text == "" {
		return
	}
	for i := range x.text {
		if x.text[i].read(x, f, l, p) {
			f.Parser = x.text[i].name
			return
		}
	}
	if f.Class == ClassOther {
		f.Class = classOf(l.message())
	}
}

// finish decides what waited for the whole record.
func (x *Extractor) finish(f *Found) {
	w := &f.wanted
	if w.program != programUnknown && (f.Parser == "" || f.Parser == "json") {
		f.Parser = programParsers[w.program]
	}
	switch {
	case w.program == programRayServe && w.message != "":
		readRayAccess(f, w.message, rankBody)
	case w.program == programTGI && w.message == "Success":
		f.Class = ClassRequestEnd
	case w.program == programEnvoy:
		f.Class = ClassRequestEnd
	}
	f.settle(&x.rules)
}

// resolve chooses the trace context of the record.
func (f *Found) resolve(rec plog.LogRecord) {
	f.Invalid += f.attrs.invalid + f.body.invalid
	var from *idSet
	if f.Trace = rec.TraceID(); !f.Trace.IsEmpty() {
		f.Native = true
	} else {
		switch a, b := &f.attrs, &f.body; {
		case a.hasTrace() && a.trace.Low64Only && b.hasTrace() && ids.Low64(a.trace.TraceID) == ids.Low64(b.trace.TraceID):
			from = b // the same, and perhaps whole
		case a.hasTrace():
			from = a
		case b.hasTrace():
			from = b
		}
		if from != nil {
			f.Trace, f.Low64 = from.trace.TraceID, from.trace.Low64Only
		}
	}
	f.Span = rec.SpanID()
	for _, s := range [...]*idSet{&f.attrs, &f.body} {
		if s != from && !s.belongs(f.Trace) {
			continue
		}
		if f.Span.IsEmpty() && s.spanRank != noRank {
			f.Span = s.span
		}
		if !f.HasFlags && s.flagsRank != noRank {
			f.Flags, f.HasFlags = s.flags, true
		}
	}
}
