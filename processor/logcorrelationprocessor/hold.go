package logcorrelationprocessor

import (
	"regexp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
)

var severities = map[string]plog.SeverityNumber{
	"": 0, "trace": plog.SeverityNumberTrace, "debug": plog.SeverityNumberDebug, "info": plog.SeverityNumberInfo,
	"warn": plog.SeverityNumberWarn, "error": plog.SeverityNumberError, "fatal": plog.SeverityNumberFatal,
}

// holder decides which records wait for their trace, and how long.
type holder struct {
	rules []holdRule
	wait  time.Duration
}

type holdRule struct {
	*HoldRule
	services []*regexp.Regexp
	severity plog.SeverityNumber
}

func newHolder(cfg *Config) *holder {
	h := &holder{wait: cfg.Wait}
	for i := range cfg.Hold {
		r := holdRule{HoldRule: &cfg.Hold[i], severity: severities[cfg.Hold[i].MinSeverity]}
		for _, s := range r.Services {
			r.services = append(r.services, regexp.MustCompile("^(?:"+s+")$"))
		}
		h.rules = append(h.rules, r)
	}
	return h
}

// of returns how long a record may wait; 0 is not at all.
func (h *holder) of(service string, rec plog.LogRecord, f *extract.Found) time.Duration {
	for i := range h.rules {
		if r := &h.rules[i]; r.fits(service, rec, f) {
			switch {
			case !r.Hold:
				return 0
			case r.Wait > 0:
				return r.Wait
			default:
				return h.wait
			}
		}
	}
	// The first line of a request comes the whole request before its trace.
	if f.Class == extract.ClassRequestStart {
		return 0
	}
	return h.wait
}

func (r *holdRule) fits(service string, rec plog.LogRecord, f *extract.Found) bool {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(service) }
	switch {
	case len(r.services) > 0 && !slices.ContainsFunc(r.services, matches):
		return false
	case len(r.Parsers) > 0 && !slices.Contains(r.Parsers, f.Parser):
		return false
	case rec.SeverityNumber() < r.severity:
		return false
	case r.Line == "start" && f.Class != extract.ClassRequestStart:
		return false
	case r.Line == "end" && f.Class != extract.ClassRequestEnd:
		return false
	default:
		return true
	}
}
