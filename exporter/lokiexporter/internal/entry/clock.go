package entry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// Timestamps says what happens to times that Loki refuses. A record without a time has the
// one when it was observed, or now.
type Timestamps struct {
	// MaxAge is how old an entry may be: Loki's reject_old_samples_max_age less some time to
	// wait in a queue.
	MaxAge time.Duration `mapstructure:"max_age"`
	// MaxAhead is how far in the future: Loki's creation_grace_period less what clocks differ.
	MaxAhead time.Duration `mapstructure:"max_ahead"`
	// MaxBehind is how far behind the newest entry of its stream: half of Loki's
	// max_chunk_age, less some time; 0 does not look at it.
	MaxBehind time.Duration `mapstructure:"max_behind"`
	// TooOld is what happens to older records: clamp, drop or keep.
	TooOld string `mapstructure:"too_old"`
	// TooNew is what happens to records further ahead: clamp, drop or keep.
	TooNew string `mapstructure:"too_new"`
	// TooFarBehind is what happens to records further behind: clamp, drop or keep.
	TooFarBehind string `mapstructure:"too_far_behind"`
	// Distinct moves entries of one time in a stream apart by a nanosecond each, which keeps
	// their order and lets Loki, which until 3.6 looks at time and line only, keep them all.
	Distinct bool `mapstructure:"distinct"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// The policies for times that Loki refuses.
const (
	// PolicyClamp takes the oldest time that Loki takes. What is too far ahead, or from the
	// last century, as seconds are that were read as nanoseconds, has no right time at all: it
	// gets that when it was observed, or now. The record's own stays in the metadata as
	// original_timestamp.
	PolicyClamp = "clamp"
	PolicyDrop  = "drop"
	PolicyKeep  = "keep"
)

var policies = []string{PolicyClamp, PolicyDrop, PolicyKeep}

const (
	lokiMaxAge    = 7 * 24 * time.Hour
	lokiMaxAhead  = 10 * time.Minute
	lokiMaxBehind = time.Hour
	// mostAge is ten years.
	mostAge = 10 * 365 * 24 * time.Hour
	// thisCentury began at this time.
	thisCentury = 946684800e9
)

func defaultTimestamps() Timestamps {
	return Timestamps{
		MaxAge: lokiMaxAge - time.Hour, MaxAhead: lokiMaxAhead - time.Minute, MaxBehind: lokiMaxBehind - 5*time.Minute,
		TooOld: PolicyClamp, TooNew: PolicyClamp, TooFarBehind: PolicyClamp, Distinct: true,
	}
}

func (t *Timestamps) validate() (errs []error) {
	if t.MaxAge < time.Minute {
		errs = append(errs, fmt.Errorf("timestamps::max_age: must be at least %v (got %v); the default is %v", time.Minute, t.MaxAge, lokiMaxAge-time.Hour))
	}
	if t.MaxAge > mostAge {
		errs = append(errs, fmt.Errorf("timestamps::max_age: must be at most %v (got %v); too_old: keep takes any", mostAge, t.MaxAge))
	}
	if t.MaxAhead < 0 || t.MaxAhead > mostAge {
		errs = append(errs, fmt.Errorf("timestamps::max_ahead: must not be negative and at most %v (got %v); the default is %v", mostAge, t.MaxAhead, lokiMaxAhead-time.Minute))
	}
	if t.MaxBehind < 0 || t.MaxBehind > 0 && t.MaxBehind < time.Minute {
		errs = append(errs, fmt.Errorf("timestamps::max_behind: must be 0, for any, or at least %v (got %v); the default is %v",
			time.Minute, t.MaxBehind, lokiMaxBehind-5*time.Minute))
	}
	for _, p := range []struct{ key, policy string }{{"too_old", t.TooOld}, {"too_new", t.TooNew}, {"too_far_behind", t.TooFarBehind}} {
		if !slices.Contains(policies, p.policy) {
			errs = append(errs, fmt.Errorf("timestamps::%s: must be %s, but is %q", p.key, strings.Join(policies, ", "), p.policy))
		}
	}
	return errs
}

// clock gives records their time.
type clock struct {
	now, oldest, newest int64
	tooOld, tooNew      string
}

func (t *Timestamps) at(now time.Time) clock {
	return clock{
		now: now.UnixNano(), oldest: now.Add(-t.MaxAge).UnixNano(), newest: now.Add(t.MaxAhead).UnixNano(),
		tooOld: t.TooOld, tooNew: t.TooNew,
	}
}

// stamp is the time of an entry.
type stamp struct {
	at int64
	// original is the record's own time where at is another; it may be beyond an int64.
	original uint64
	dropped  bool
}

// stamp returns the time of a record's entry.
func (c *clock) stamp(rec plog.LogRecord, t *tally) stamp {
	own, observed := uint64(rec.Timestamp()), uint64(rec.ObservedTimestamp())
	if own == 0 {
		t.noTime++
		if own = observed; own == 0 {
			return stamp{at: c.now}
		}
	}
	at := nanos(own)
	policy := PolicyKeep
	switch {
	case at < c.oldest:
		t.tooOld++
		policy = c.tooOld
	case at > c.newest:
		t.tooNew++
		policy = c.tooNew
	}
	switch policy {
	case PolicyDrop:
		t.dropped++
		return stamp{dropped: true}
	case PolicyClamp:
		t.clamped++
		if at < c.oldest && at >= thisCentury {
			return stamp{at: c.oldest, original: own}
		}
		received := c.now
		if seen := nanos(observed); observed != 0 && seen >= c.oldest && seen <= c.newest {
			received = seen
		}
		return stamp{at: received, original: own}
	default:
		return stamp{at: at}
	}
}

// keepUp changes the time of an entry that is older than its stream takes.
func (b *batch) keepUp(st *stamp, floor int64) {
	if st.at >= floor {
		return
	}
	b.tally.behind++
	switch b.c.cfg.Timestamps.TooFarBehind {
	case PolicyDrop:
		b.tally.dropped++
		st.dropped = true
	case PolicyClamp:
		b.tally.clamped++
		if st.original == 0 {
			st.original = uint64(st.at)
		}
		st.at = floor
	}
}

// nanos reads a time of pdata, which has more bits than Go's.
func nanos(t uint64) int64 {
	const most = 1<<63 - 1
	return int64(min(t, most))
}
