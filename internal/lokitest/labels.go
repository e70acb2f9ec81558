package lokitest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseLabels reads a set of labels as PromQL's ParseMetric does, of which a push needs the part
// without a metric's name: {a="b", `c`='d',}. Loki's texts of syntax errors start with the place,
// line:column, of which the line is always 1 here.
//
// Empty values are left out, since Loki takes them for absent. A name that comes twice is kept
// twice: that is for the limits to refuse.
func parseLabels(text string) ([]Pair, error) {
	p := parser{text: text}
	p.space()
	if !p.take('{') {
		return nil, p.fail("unexpected input, expected \"{\"")
	}
	var labels []Pair
	for {
		p.space()
		if p.take('}') {
			break
		}
		name := p.name()
		if name == "" {
			return nil, p.fail("unexpected character inside braces: " + p.next())
		}
		p.space()
		if !p.take('=') {
			return nil, p.fail("unexpected character inside braces: " + p.next())
		}
		p.space()
		value, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if value != "" {
			labels = append(labels, Pair{name, value})
		}
		p.space()
		if p.take('}') {
			break
		}
		if !p.take(',') {
			return nil, p.fail("unexpected character in label set, expected \",\" or \"}\": " + p.next())
		}
	}
	p.space()
	if p.at < len(p.text) {
		return nil, p.fail("could not parse remaining input " + strconv.Quote(p.text[p.at:]))
	}
	slices.SortStableFunc(labels, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return labels, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) fail(text string) error {
	return fmt.Errorf("1:%d: parse error: %s", p.at+1, text)
}

func (p *parser) next() string {
	if p.at == len(p.text) {
		return "end of input"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.QuoteRune(r)
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// name takes a label's name. Quoted names are UTF-8 names of Prometheus 3, which Loki refuses.
func (p *parser) name() string {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (p.at == start || c < '0' || c > '9') {
			break
		}
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) quoted() (string, error) {
	start := p.at
	if start == len(p.text) || strings.IndexByte("\"'`", p.text[start]) < 0 {
		return "", p.fail("unexpected character inside braces, expected string: " + p.next())
	}
	quote := p.text[start]
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			value, err := unquote(p.text[start:p.at])
			if err != nil {
				return "", p.fail(err.Error())
			}
			return value, nil
		case c == '\\' && quote != '`':
			p.at++
		case c == '\n' && quote != '`':
			return "", p.fail("unterminated quoted string")
		}
	}
	p.at = len(p.text)
	return "", p.fail("unterminated quoted string")
}

// unquote is strconv.Unquote that takes strings in single quotes as well, as PromQL's does.
func unquote(quoted string) (string, error) {
	quote, inner := quoted[0], quoted[1:len(quoted)-1]
	if quote == '`' {
		return inner, nil
	}
	var b strings.Builder
	for inner != "" {
		r, multibyte, rest, err := strconv.UnquoteChar(inner, quote)
		if err != nil {
			return "", errors.New("invalid syntax")
		}
		inner = rest
		if r < utf8.RuneSelf || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String(), nil
}

// formatLabels writes labels as Loki does.
func formatLabels(labels []Pair) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, l := range labels {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(l.Name)
		b.WriteByte('=')
		b.WriteString(strconv.Quote(l.Value))
	}
	b.WriteByte('}')
	return b.String()
}

// withServiceName adds the service_name that is discovered.
func withServiceName(labels []Pair, from []string) []Pair {
	values := toMap(labels)
	if _, ok := values[serviceName]; ok || len(from) == 0 {
		return labels
	}
	name := "unknown_service"
	for _, key := range from {
		if value, ok := values[key]; ok {
			name = value
			break
		}
	}
	labels = append(slices.Clone(labels), Pair{serviceName, name})
	slices.SortStableFunc(labels, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	return labels
}

const serviceName = "service_name"

func toMap(labels []Pair) map[string]string {
	m := make(map[string]string, len(labels))
	for _, l := range labels {
		m[l.Name] = l.Value
	}
	return m
}

func fromMap(m map[string]string) []Pair {
	var labels []Pair
	for _, name := range slices.Sorted(maps.Keys(m)) {
		labels = append(labels, Pair{name, m[name]})
	}
	return labels
}
