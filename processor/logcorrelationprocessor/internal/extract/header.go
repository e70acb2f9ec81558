package extract

import "strings"

// headerEnd returns where the message of a line begins. Before it may be, in
// any order: times and dates, a level, process ids, the names of a file or
// logger, things in brackets, and what container runtimes put before all.
// Nothing else is skipped, so that what a program quotes in the middle of its
// message is never taken for the beginning of one.
func headerEnd(s string) int {
	at := 0
	for range 16 {
		for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
			at++
		}
		n := headerWord(s[at:])
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// headerWord returns the length of the one thing of a header that s begins
// with, or 0.
func headerWord(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == '[':
		return bracketed(s, ']')
	case c == '(':
		// vLLM: (APIServer pid=7), Ray: (ServeReplica:app:Model pid=7)
		if n := bracketed(s, ')'); strings.Contains(s[:n], "pid=") {
			return n
		}
		return 0
	case c == '-' || c == '|':
		n := 1
		for n < len(s) && s[n] == c {
			n++
		}
		if n < len(s) && s[n] != ' ' {
			return 0
		}
		return n
	case digit(c):
		return timeWord(s)
	case letter(c) || c == '_':
		return nameWord(s)
	default:
		return 0
	}
}

// bracketed returns the length of a short thing in brackets without quotes.
func bracketed(s string, closing byte) int {
	n := strings.IndexByte(s, closing)
	if n < 0 || strings.ContainsAny(s[:n], "\"'`{") {
		return 0
	}
	return n + 1
}

// timeWord returns the length of a date, a time or a process id.
func timeWord(s string) int {
	n := 0
	for n < len(s) && (digit(s[n]) || strings.IndexByte(":.,-/+TZ", s[n]) >= 0) {
		n++
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// nameWord returns the length of a level, or of the name of a file or logger.
func nameWord(s string) int {
	n, dots := 0, 0
	for n < len(s) && (wordByte(s[n]) || s[n] == '/') {
		if s[n] == '.' {
			dots++
		}
		n++
	}
	word := s[:n]
	if level(word) || word == "stdout" || word == "stderr" || word == "F" || word == "P" {
		if n < len(s) && s[n] == ':' {
			// INFO:logger:message of Python's basicConfig
			n++
			if m := loggerName(s[n:]); m > 0 {
				n += m
			}
		}
		return n
	}
	if dots == 0 || dots == n || word[n-1] == '.' {
		return 0
	}
	// file.py:12, router/src/server.rs:300:, package.module:, and older vLLM's
	// file.py:12]
	for n < len(s) && (s[n] == ':' || digit(s[n])) {
		n++
	}
	if n < len(s) && s[n] == ']' {
		n++
	}
	if n < len(s) && s[n] != ' ' && s[n-1] != ':' {
		return 0
	}
	return n
}

// loggerName returns the length of "name:".
func loggerName(s string) int {
	n := 0
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	if n == 0 || n == len(s) || s[n] != ':' {
		return 0
	}
	return n + 1
}

func level(word string) bool {
	switch word {
	case "INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "CRITICAL", "NOTICE",
		"info", "warn", "warning", "error", "debug", "trace", "fatal", "critical", "notice", "I", "W", "E", "D":
		return true
	}
	return false
}

// cutToken returns what is before the first space, and the rest behind it.
func cutToken(s string) (token, rest string) {
	token, rest, _ = strings.Cut(s, " ")
	return token, rest
}
