package entry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

// levels are those of the ranges of severity numbers, as Loki calls them.
var levels = [...]string{"trace", "debug", "info", "warn", "error", "fatal"}

// words are other spellings in severity texts.
var words = []struct{ word, level string }{
	{"information", "info"},
	{"informational", "info"},
	{"notice", "info"},
	{"warning", "warn"},
	{"err", "error"},
	{"critical", "fatal"},
	{"crit", "fatal"},
	{"alert", "fatal"},
	{"emergency", "fatal"},
	{"emerg", "fatal"},
	{"panic", "fatal"},
	{"verbose", "debug"},
}

// levelOf returns the level of a record; empty where it has none that is known. A text as it
// is would be a value for every spelling.
func levelOf(rec plog.LogRecord) string {
	if n := int(rec.SeverityNumber()); n >= 1 && n <= 24 {
		return levels[(n-1)/4]
	}
	text := rec.SeverityText()
	if text == "" || len(text) > len("informational") {
		return ""
	}
	for _, level := range levels {
		if strings.EqualFold(text, level) {
			return level
		}
	}
	for _, w := range words {
		if strings.EqualFold(text, w.word) {
			return w.level
		}
	}
	return ""
}
