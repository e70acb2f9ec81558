package procs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseStat(t *testing.T) {
	rest := " S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 4096 1"
	for name, tt := range map[string]struct {
		text string
		comm string
		ok   bool
	}{
		"plain":               {"1 (python3)" + rest, "python3", true},
		"spaces":              {"1 (a b c)" + rest, "a b c", true},
		"parentheses":         {"1 (a) R (b)" + rest, "a) R (b", true},
		"newline":             {"1 (a\nb)" + rest, "a\nb", true},
		"no name":             {"1 ()" + rest, "", true},
		"empty":               {},
		"no parentheses":      {text: "1 python3" + rest},
		"wrong way round":     {text: ")1 python3(" + rest},
		"cut off":             {text: "1 (python3) S 1 1"},
		"start is no number":  {text: "1 (python3)" + strings.Replace(rest, "98765", "x", 1)},
		"start is below zero": {text: "1 (python3)" + strings.Replace(rest, "98765", "-1", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			s, ok := parseStat(tt.text)
			assert.Equal(t, tt.ok, ok)
			if tt.ok {
				assert.Equal(t, stat{comm: tt.comm, start: 98765}, s)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("1 (a) R (b) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 4096 1")
	f.Add(")(")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parseStat(text); ok && !strings.Contains(text, "("+s.comm+")") {
			t.Errorf("%q is not the name in %q", s.comm, text)
		}
	})
}
