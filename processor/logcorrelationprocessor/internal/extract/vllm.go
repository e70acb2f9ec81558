package extract

import "strings"

// vllmVerbs are the words before a request id, and the class of their lines.
var vllmVerbs = map[byte][]phrase{
	'A': {
		{"Added request ", ClassRequestStart},
		{"Aborted request(s) ", ClassRequestEnd},
		{"Aborted request ", ClassRequestEnd},
	},
	'F': {{"Finished request ", ClassRequestEnd}},
	'G': {{"Generated response ", ClassRequestEnd}},
	'R': {{"Received request ", ClassRequestStart}, {"Request ", ClassOther}},
}

// vllmOutcomes are the words behind "Request <id> ".
var vllmOutcomes = []phrase{
	{"details: ", ClassRequestStart},
	{"aborted", ClassRequestEnd},
	{"failed", ClassRequestEnd},
	{"finished", ClassRequestEnd},
	{"completed", ClassRequestEnd},
}

// readVLLM reads the request log of vLLM (--enable-log-requests), V0 and V1,
// and of servers that took it over (aphrodite, SGLang's forks, FastDeploy):
//
//	INFO 08-21 12:00:00 [logger.py:42] Received request cmpl-X-0: prompt: 'Hi', params: …
//
// The id stands at a fixed place before anything that a user wrote.
func readVLLM(_ *Extractor, f *Found, l *line, p place) bool {
	msg := l.message()
	if msg == "" {
		return false
	}
	for _, verb := range vllmVerbs[msg[0]] {
		rest, ok := strings.CutPrefix(msg, verb.text)
		if !ok {
			continue
		}
		token, rest := cutToken(rest)
		id := strings.TrimRight(token, ".:,")
		class := verb.class
		if verb.text == "Request " {
			if class, ok = outcome(rest); !ok {
				return false
			}
		}
		if !engineID(id, token, rest) {
			return false
		}
		if strings.HasPrefix(rest, "(streaming delta)") {
			class = ClassOther
		}
		f.Class = class
		f.wanted.addRequest(id, p.rank, "", false)
		return true
	}
	return false
}

func outcome(rest string) (Class, bool) {
	for _, o := range vllmOutcomes {
		if strings.HasPrefix(rest, o.text) {
			return o.class, true
		}
	}
	return ClassOther, false
}

// engineID tells an id from a word of prose ("Added request handler."): it has
// a digit, and the sentence is over behind it or goes on with a remark in
// brackets or an outcome. A list of ids is no id.
func engineID(id, token, rest string) bool {
	return strings.ContainsAny(id, "0123456789") && !strings.ContainsAny(id, ",'\"[](){}=") &&
		(rest == "" || len(token) > len(id) || rest[0] == '(' || known(rest))
}

func known(rest string) bool {
	_, ok := outcome(rest)
	return ok
}
