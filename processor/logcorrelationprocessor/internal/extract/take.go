package extract

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// place is where a field was found.
type place struct {
	set  *idSet
	rank rank // of the place; the rank of the name is added
	opts ids.Options
	// key is the attribute's key, empty where the value is no attribute of
	// the record itself.
	key string
}

// Ranks of the places for standard fields and request ids.
const (
	rankAttributes rank = 0
	rankRegex      rank = 4096
	rankBody       rank = 8192
	// rankPayload is that of ids of a response, behind all ids of a request.
	rankPayload rank = 48
)

// take reads the value of one field.
func (x *Extractor) take(f *Found, e *entry, v value, p place) {
	if e.mark != markNone {
		x.takeMark(f, e.mark, v.text)
	}
	r := p.rank + rank(e.rank)
	switch e.means {
	case meansID:
		x.takeID(f, e, v.text, p)
	case meansField:
		takeField(f, e, v, r, p.key)
	case meansBare:
		takeBare(f, e, v, r, p.key)
	case meansWhole:
		takeWhole(f, e, v, r, p.key)
	case meansRequest:
		f.wanted.about = true
	case meansStatus:
		f.wanted.about = f.wanted.about || httpStatus(v)
	case meansMessage:
		x.takeMessage(f, v.text)
	case meansMoment:
		if n, ok := v.count(); ok {
			f.wanted.moments[e.moment] = n
		}
	case meansPayloadID:
		if e.rank > 0 || x.hasPrefix(v.text) {
			f.wanted.addRequest(v.text, p.rank+rankPayload, "", false)
		}
	case meansNothing, meansContainer, meansMark:
	}
}

func (x *Extractor) takeMark(f *Found, m mark, text string) {
	if m == markLiteLLMHint {
		if f.wanted.hints++; f.wanted.hints >= 2 {
			m = markLiteLLM
		}
	}
	if program := programOf(m, text); program != programUnknown && x.programs[program] {
		f.wanted.program = program
	}
}

func (x *Extractor) takeID(f *Found, e *entry, text string, p place) {
	if e.id.Role == ids.RoleRequest {
		if text != "" {
			f.wanted.addRequest(text, p.rank+rank(e.id.Rank), p.key, e.id.Shared())
		}
		return
	}
	p.set.keepFirst = f.wanted.keepFirst
	// Ranks of ids count inside their source only.
	p.set.add(e.id, p.rank%rankRegex+rank(e.id.Rank), p.key, text, p.opts)
}

func takeField(f *Found, e *entry, v value, r rank, key string) {
	if e.field.IsText() {
		if !v.isNumber {
			f.text(e.field, v.text, r, key)
		}
		return
	}
	n, ok := 0.0, false
	if e.field.IsTokens() {
		n, ok = v.count()
	} else {
		n, _, ok = v.time(e.unit)
	}
	switch {
	case ok:
		f.number(e.field, n, r, key)
	case !nothing(v.text):
		f.Dropped++
	}
}

// takeBare takes a time whose name has no unit. Where its value has none
// either, it waits for its program. Names as queue and total may be anything,
// so what is no time is not counted.
func takeBare(f *Found, e *entry, v value, r rank, key string) {
	n, hasUnit, ok := v.time(noUnit)
	if !ok {
		return
	}
	if hasUnit {
		f.number(e.field, n, r, key)
		return
	}
	if bare := &f.wanted.bare[e.field-firstTime]; f.wanted.beats(r, bare.rank) {
		*bare = stated{number: n, rank: r, key: key}
	}
}

func takeWhole(f *Found, e *entry, v value, r rank, key string) {
	n, hasUnit, ok := v.time(e.unit)
	if w := &f.wanted; ok && w.beats(r, w.whole.rank) {
		w.whole, w.wholeIs = stated{number: n, rank: r, key: key}, hasUnit
	}
}

func (x *Extractor) takeMessage(f *Found, text string) {
	f.wanted.message = text
	if c := classOf(text); c != ClassOther {
		f.Class = c
	}
	switch text {
	case "request.received", "request.received.openai", "request.finished":
		if x.programs[programSGLang] {
			f.wanted.program = programSGLang
		}
	}
}

// httpStatus tells a status of HTTP from that of a job ("ok").
func httpStatus(v value) bool {
	n, ok := v.count()
	return ok && n >= 100 && n < 600
}

// hasPrefix reports whether an id begins as those that APIs make.
func (x *Extractor) hasPrefix(id string) bool {
	for _, p := range x.rules.Prefixes {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}
