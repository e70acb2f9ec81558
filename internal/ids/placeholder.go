package ids

// placeholders are what loggers write where there is no id, in lower case:
// Envoy "-", Python "None", Go "<nil>", KServe "N.A.", Triton "<id_unknown>",
// JavaScript "undefined". Zeros are left to zero.
var placeholders = map[string]struct{}{
	"":             {},
	"-":            {},
	"--":           {},
	"?":            {},
	"n.a.":         {},
	"n.a":          {},
	"n/a":          {},
	"na":           {},
	"nan":          {},
	"nil":          {},
	"null":         {},
	"none":         {},
	"undefined":    {},
	"unknown":      {},
	"unset":        {},
	"empty":        {},
	"<nil>":        {},
	"<null>":       {},
	"<none>":       {},
	"<unknown>":    {},
	"<id_unknown>": {},
	"(null)":       {},
	"(none)":       {},
	"(nil)":        {},
	"{}":           {},
	"[]":           {},
}

const longestPlaceholder = len("<id_unknown>")

// placeholder reports whether s is written where there is no id.
func placeholder(s string) bool {
	if len(s) > longestPlaceholder {
		return false
	}
	var buf [longestPlaceholder]byte
	for i := range len(s) {
		buf[i] = lower(s[i])
	}
	_, ok := placeholders[string(buf[:len(s)])]
	return ok
}

// zero reports whether s is zero in any width, as the nil UUID or behind 0x.
// Python's logging integration writes a single 0 outside a span.
func zero(s string) bool {
	s = cutHexPrefix(s)
	zeros := 0
	for i := range len(s) {
		switch s[i] {
		case '0':
			zeros++
		case '-':
		default:
			return false
		}
	}
	return zeros > 0
}

// trim removes spaces and quotes around s.
func trim(s string) string {
	for s != "" && (space(s[0]) || quote(s[0])) {
		s = s[1:]
	}
	for s != "" && (space(s[len(s)-1]) || quote(s[len(s)-1])) {
		s = s[:len(s)-1]
	}
	return s
}

func space(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}
