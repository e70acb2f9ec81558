package extract

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// Config says what is read. All keys have defaults, see DefaultConfig.
type Config struct {
	// Parsers are the built-in parsers that may read bodies; empty is all. The
	// order does not matter.
	Parsers []string `mapstructure:"parsers"`
	// Regexes are tried before the built-in parsers, in order; the first that
	// matches reads the body alone.
	Regexes []Regex `mapstructure:"regexes"`
	// MaxBody is how many bytes of a body are looked at, from its beginning.
	// What is inside JSON strings does not count.
	MaxBody int `mapstructure:"max_body"`
	// ForeignTraceIDs are names of services whose field trace_id holds an id
	// of their own that is not the trace's. LiteLLM is known by its fields.
	ForeignTraceIDs []string `mapstructure:"foreign_trace_ids"`
	// RequestID are the rules by which request ids of several spellings meet.
	RequestID ids.Rules `mapstructure:"request_id"`
}

// Regex reads bodies by a regular expression of RE2 with named groups:
// trace_id, span_id, request_id and their kin, and the standard fields; a time
// bears its unit, as queue_time_s.
type Regex struct {
	Name    string `mapstructure:"name"`
	Pattern string `mapstructure:"pattern"`
	// Services are the values of service.name whose bodies it is tried on;
	// empty is all.
	Services []string `mapstructure:"services"`
}

// Bounds of the configuration.
const (
	defaultMaxBody = 16 << 10
	minMaxBody     = 256
	maxMaxBody     = 1 << 20
	maxRegexes     = 32
)

// DefaultConfig returns the defaults: all parsers.
func DefaultConfig() Config {
	return Config{MaxBody: defaultMaxBody, RequestID: ids.DefaultRules()}
}

// Check reports every mistake, each with its key and the fix. It is not called Validate, which the
// collector would call by itself, and a person would read each mistake twice.
func (c *Config) Check() error {
	var errs []error
	known := ParserNames()
	for i, name := range c.Parsers {
		switch {
		case !slices.Contains(known, name):
			errs = append(errs, fmt.Errorf("parsers::%d: there is no parser %q; choose from %s", i, name, strings.Join(known, ", ")))
		case slices.Index(c.Parsers, name) < i:
			errs = append(errs, fmt.Errorf("parsers::%d: %q is there twice; remove one", i, name))
		}
	}
	if len(c.Regexes) > maxRegexes {
		errs = append(errs, fmt.Errorf("regexes: must be at most %d (got %d); give them to parsers of the receiver, "+
			"such as file_log's operators", maxRegexes, len(c.Regexes)))
	}
	for i := range c.Regexes {
		if err := c.Regexes[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("regexes::%d: %w", i, err))
		}
		if first := slices.IndexFunc(c.Regexes, func(r Regex) bool { return r.Name == c.Regexes[i].Name }); first < i {
			errs = append(errs, fmt.Errorf("regexes::%d: name: %q is already that of regexes::%d; choose another",
				i, c.Regexes[i].Name, first))
		}
	}
	if c.MaxBody < minMaxBody || c.MaxBody > maxMaxBody {
		errs = append(errs, fmt.Errorf("max_body: must be at least %d and at most %d bytes (got %d); the default is %d",
			minMaxBody, maxMaxBody, c.MaxBody, defaultMaxBody))
	}
	for i, service := range c.ForeignTraceIDs {
		if service == "" {
			errs = append(errs, fmt.Errorf("foreign_trace_ids::%d: must not be empty; name a service or remove the entry", i))
		}
	}
	if err := c.RequestID.Check(); err != nil {
		errs = append(errs, fmt.Errorf("request_id: %w", err))
	}
	return errors.Join(errs...)
}

func (r *Regex) validate() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("name: must not be empty; it is what telemetry calls the regex"))
	}
	pattern, err := regexp.Compile(r.Pattern)
	switch {
	case r.Pattern == "":
		errs = append(errs, errors.New("pattern: must not be empty; write one with named groups, as (?P<trace_id>[0-9a-f]{32})"))
	case err != nil:
		errs = append(errs, fmt.Errorf("pattern: %w; it must be a regular expression of RE2", err))
	default:
		errs = append(errs, validateGroups(pattern))
	}
	for i, service := range r.Services {
		if service == "" {
			errs = append(errs, fmt.Errorf("services::%d: must not be empty; name a service or remove the entry", i))
		}
	}
	return errors.Join(errs...)
}

func validateGroups(pattern *regexp.Regexp) error {
	var errs []error
	named := 0
	for _, name := range pattern.SubexpNames() {
		if name == "" {
			continue
		}
		named++
		switch e := resolve(name); {
		case e.means == meansID || e.means == meansField || e.means == meansWhole && e.unit != noUnit:
		case e.means == meansBare || e.means == meansWhole:
			errs = append(errs, fmt.Errorf("pattern: group %q says no unit; add one to its name, as in %s_ms or %s_s", name, name, name))
		default:
			errs = append(errs, fmt.Errorf("pattern: group %q means nothing; name it trace_id, span_id, request_id or as "+
				"a standard field (%s), or leave it unnamed", name, strings.Join(fieldNames[1:], ", ")))
		}
	}
	if named == 0 {
		errs = append(errs, errors.New("pattern: has no named group, so that it would read nothing; "+
			"name one, as (?P<request_id>[^ ]+)"))
	}
	return errors.Join(errs...)
}
