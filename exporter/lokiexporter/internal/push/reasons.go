package push

import (
	"strconv"
	"strings"
)

// Reason is a cause and how much it took.
type Reason struct {
	Cause Cause
	// Entries is the number of entries that are told to be ignored one by one.
	Entries int
	// Streams are the labels of streams that were refused as a whole, as Loki tells them: it adds
	// a service_name where there is none. How many entries they had is not told.
	Streams []string
}

// maxReasons bounds what is kept of one answer: with a cause per stream there can be thousands.
const maxReasons = 1000

// reasonsOf reads what was refused. first is the first cause of the text; total is the number of
// entries that is told together with that of the ignored ones, if it is.
//
// There are two forms. The distributor groups equal errors: "N errors like: X; M errors like: Y",
// or X alone for a single one. An ingester lists the entries of a stream, not necessarily all,
// and tells how many they are: "total ignored: N out of M for stream: {...}". It tells of one
// stream only, so that numbers are the least that was lost.
func reasonsOf(text string) (reasons []Reason, first mention, total int) {
	plain, labels := withoutLabels(text)
	plain = strings.ToLower(plain)
	first = causeOf(plain)
	if ignored, total, ok := totals(plain); ok {
		// The one reason of a list of entries is that of its first.
		return []Reason{{Cause: first.cause, Entries: ignored}}, first, total
	}
	parts := grouped(plain)
	if len(parts) > 0 {
		first = causeOf(parts[0].text)
	} else if first.scope != scopeRequest {
		parts = []group{{1, plain}}
	}
	for _, part := range parts {
		if len(reasons) == maxReasons {
			break
		}
		mention := causeOf(part.text)
		sets := strings.Count(part.text, "{}")
		switch {
		case mention.scope == scopeStream && sets > 0 && len(labels) > 0:
			reasons = append(reasons, Reason{Cause: mention.cause, Streams: labels[:1]})
		default:
			reasons = append(reasons, Reason{Cause: mention.cause, Entries: part.count})
		}
		labels = labels[min(sets, len(labels)):]
	}
	return reasons, first, 0
}

// group is one "N errors like: text".
type group struct {
	count int
	text  string
}

const groupMark = " errors like: "

func grouped(plain string) []group {
	var groups []group
	for {
		i := strings.Index(plain, groupMark)
		if i < 0 {
			return groups
		}
		count, digits := numberBefore(plain[:i])
		if n := len(groups); n > 0 {
			groups[n-1].text = plain[:i-digits]
		}
		plain = plain[i+len(groupMark):]
		groups = append(groups, group{count, plain})
	}
}

// totals sums up all "total ignored: N out of M". Where a body was cut before it, what it lists
// counts.
func totals(plain string) (ignored, total int, ok bool) {
	listed := strings.Count(plain, "entry with timestamp ")
	for {
		_, rest, found := strings.Cut(plain, "total ignored: ")
		if !found {
			break
		}
		ok = true
		n, digits := numberAt(rest)
		ignored = add(ignored, n)
		plain = rest[digits:]
		if rest, found := strings.CutPrefix(plain, " out of "); found {
			m, _ := numberAt(rest)
			total = add(total, max(n, m))
		}
	}
	if !ok && listed > 0 {
		return listed, 0, true
	}
	return ignored, total, ok
}

// maxCount keeps sums of numbers that a server told from overflowing.
const maxCount = 1 << 30

func add(a, b int) int {
	return min(a+b, maxCount)
}

func numberAt(s string) (n, digits int) {
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	return number(s[:digits]), digits
}

func numberBefore(s string) (n, digits int) {
	for digits < len(s) && '0' <= s[len(s)-1-digits] && s[len(s)-1-digits] <= '9' {
		digits++
	}
	return number(s[len(s)-digits:]), digits
}

// number is 1 where there is none, and at most maxCount.
func number(digits string) int {
	if digits == "" {
		return 1
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return maxCount
	}
	return min(n, maxCount)
}

// withoutLabels returns the text with each set of labels replaced by {}, and the sets. What a user
// has written into a label is no word of Loki's.
func withoutLabels(text string) (plain string, sets []string) {
	if !strings.Contains(text, `{`) {
		return text, nil
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			b.WriteString(text)
			return b.String(), sets
		}
		end := labelsEnd(text[i:])
		if end == 0 {
			b.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		b.WriteString(text[:i])
		b.WriteString("{}")
		if len(sets) < maxReasons {
			sets = append(sets, text[i:i+end])
		}
		text = text[i+end:]
	}
}

// labelsEnd is the length of the set of labels that text begins with, 0 if it is none.
func labelsEnd(text string) int {
	quoted := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			return i + 1
		case !quoted && (c == '\n' || c == '{'):
			return 0
		}
	}
	return 0
}
