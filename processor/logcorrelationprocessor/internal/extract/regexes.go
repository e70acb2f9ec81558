package extract

import (
	"regexp"
	"slices"
)

// regex is a compiled Regex.
type regex struct {
	parser   string // value of Found.Parser
	pattern  *regexp.Regexp
	services []string
	groups   []entry // by number of the group
}

func newRegex(r *Regex) regex {
	pattern := regexp.MustCompile(r.Pattern) // validated
	c := regex{parser: "regex/" + r.Name, pattern: pattern, services: r.Services}
	for _, name := range pattern.SubexpNames() {
		e := entry{}
		if name != "" {
			e = resolve(name)
		}
		if e.means == meansWhole {
			// The user says that it is the request's.
			e.means, e.rank = meansField, 0
		}
		c.groups = append(c.groups, e)
	}
	return c
}

// read reads a body and reports whether the pattern matched.
func (r *regex) read(x *Extractor, f *Found, line, service string, p place) bool {
	if len(r.services) > 0 && !slices.Contains(r.services, service) {
		return false
	}
	at := r.pattern.FindStringSubmatchIndex(line)
	if at == nil {
		return false
	}
	for i := range r.groups {
		if e := &r.groups[i]; e.means != meansNothing && at[2*i] >= 0 {
			x.take(f, e, value{text: line[at[2*i]:at[2*i+1]]}, p)
		}
	}
	return true
}
