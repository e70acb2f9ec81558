package extract

import "strings"

// readSGLang reads the text of SGLang's request log (--log-requests), which
// writes Python objects; the JSON format is read as JSON:
//
//	[2026-05-09 12:00:00 TP0] Finish: obj=GenerateReqInput(rid='f3…', …), out={'meta_info': {…}}
//
// Of lists of ids, which a batch has, none is taken. Lines about batches of
// the scheduler name no request.
func readSGLang(x *Extractor, f *Found, l *line, p place) bool {
	msg := l.message()
	var class Class
	var rest string
	switch {
	case strings.HasPrefix(msg, "Receive: "):
		class, rest = ClassRequestStart, msg[len("Receive: "):]
	case strings.HasPrefix(msg, "Finish: "):
		class, rest = ClassRequestEnd, msg[len("Finish: "):]
	default:
		return false
	}
	if !strings.HasPrefix(rest, "obj=") {
		return false
	}
	f.Class, f.wanted.program = class, programSGLang
	f.wanted.keepFirst = false // keys of Python objects are unique
	r := pythonReader{x: x, f: f, s: rest}
	r.members(p, 0, "", nestPlain, 0)
	return true
}
