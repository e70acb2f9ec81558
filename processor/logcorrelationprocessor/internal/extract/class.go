package extract

import "strings"

// Class says at which moment of its request a line is written, where its text
// tells. A line of the start is written long before the request's span ends.
type Class uint8

// The classes.
const (
	ClassOther Class = iota
	ClassRequestStart
	ClassRequestEnd
)

func (c Class) String() string {
	switch c {
	case ClassRequestStart:
		return "request_start"
	case ClassRequestEnd:
		return "request_end"
	default:
		return "other"
	}
}

// phrase is how a message begins that tells its class.
type phrase struct {
	text  string
	class Class
}

// phrases are those of engines and of our own request logs, by first letter.
var phrases = map[byte][]phrase{
	'A': {{"Added request ", ClassRequestStart}, {"Aborted request", ClassRequestEnd}},
	'F': {{"Finish: ", ClassRequestEnd}, {"Finished request ", ClassRequestEnd}},
	'G': {{"Generated response ", ClassRequestEnd}},
	'R': {
		{"Received request ", ClassRequestStart},
		{"Receive: ", ClassRequestStart},
		{"Receive OpenAI: ", ClassRequestStart},
	},
	'r': {
		{"request.received", ClassRequestStart},
		{"request.finished", ClassRequestEnd},
		{"request finished", ClassRequestEnd},
		{"request failed", ClassRequestEnd},
		{"request not served", ClassRequestEnd},
	},
}

// classOf returns the class of a message, without a header before it.
func classOf(message string) Class {
	if message == "" {
		return ClassOther
	}
	for _, p := range phrases[message[0]] {
		if strings.HasPrefix(message, p.text) {
			if message[0] == 'G' && strings.Contains(message[:min(len(message), 512)], "(streaming delta)") {
				return ClassOther
			}
			return p.class
		}
	}
	return ClassOther
}
