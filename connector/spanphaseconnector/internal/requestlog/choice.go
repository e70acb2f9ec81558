package requestlog

import (
	"regexp"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Objective is what the requests of some models should take at most; zero is no objective.
type Objective struct {
	Model               *regexp.Regexp // matches the whole name
	Request, TTFT, TPOT time.Duration
}

// choice says which requests get a record.
type choice struct {
	only       Only
	slow       time.Duration
	objectives []Objective
}

// wants reports whether a request gets a record. One of which the span was not seen is none: its
// calls may be of several.
func (c *choice) wants(r *inference.Request) bool {
	switch {
	case !r.Seen:
		return false
	case c.only == OnlyError:
		return r.Result.Outcome != inference.OutcomeOK
	case c.only == OnlySlow:
		return c.isSlow(r)
	}
	return true
}

// isSlow reports whether a request took longer than it should: as a whole, to its first token, or
// for a token. The first objective for its model counts.
func (c *choice) isSlow(r *inference.Request) bool {
	limit := Objective{}
	for i := range c.objectives {
		if o := &c.objectives[i]; o.Model.MatchString(r.Identity.Model) {
			limit = *o
			break
		}
	}
	if c.slow > 0 {
		limit.Request = c.slow
	}
	above := func(m inference.Measure, limit time.Duration) bool {
		return limit > 0 && m.Known() && m.Seconds > limit.Seconds()
	}
	return above(r.Duration, limit.Request) || above(r.TTFT, limit.TTFT) || above(perToken(r), limit.TPOT)
}
