package extract

import (
	"strconv"
	"strings"
)

// unit is how many milliseconds one of a time is; 0 is no unit.
type unit float64

const (
	noUnit       unit = 0
	nanoseconds  unit = 1e-6
	microseconds unit = 1e-3
	milliseconds unit = 1
	seconds      unit = 1e3
	minutes      unit = 60e3
	hours        unit = 3600e3
)

// unitSuffixes are the ends of names that state a unit.
var unitSuffixes = map[string]unit{
	"_ns": nanoseconds, "_nanos": nanoseconds, "_nanoseconds": nanoseconds,
	"_us": microseconds, "_micros": microseconds, "_microseconds": microseconds,
	"_ms": milliseconds, "_msec": milliseconds, "_millis": milliseconds, "_milliseconds": milliseconds,
	"_s": seconds, "_sec": seconds, "_secs": seconds, "_seconds": seconds,
}

// unitNames are units as they follow a number in durations of Go, Rust's Debug
// and people. Both signs for micro are in use: Go writes U+00B5, Rust too, and
// keyboards of Greek U+03BC.
var unitNames = map[string]unit{
	"ns": nanoseconds, "us": microseconds, "µs": microseconds, "μs": microseconds,
	"ms": milliseconds, "msec": milliseconds, "millis": milliseconds, "milliseconds": milliseconds,
	"s": seconds, "sec": seconds, "secs": seconds, "second": seconds, "seconds": seconds,
	"m": minutes, "min": minutes, "h": hours,
}

// longestDuration is the longest text that is tried as a duration.
const longestDuration = 48

// parseTime reads a time in milliseconds: a number in unit u, or a number with
// a unit of its own, which then counts, or several (Go's 1m2.5s), or ISO 8601
// (PT1M2.5S). hasUnit is false where there was neither. ok is false where the
// text is no number at all.
func parseTime(s string, u unit) (ms float64, hasUnit, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > longestDuration {
		return 0, false, false
	}
	// ParseFloat makes an error that allocates.
	if last := s[len(s)-1]; digit(last) || last == '.' {
		n, err := strconv.ParseFloat(s, 64)
		if u == noUnit {
			return n, false, err == nil
		}
		return n * float64(u), true, err == nil
	}
	sign := 1.0
	if s[0] == '-' || s[0] == '+' {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" {
		return 0, false, false
	}
	if iso, is := strings.CutPrefix(s, "P"); is {
		ms, ok = parseISO(iso)
	} else {
		ms, ok = parseParts(s)
	}
	return sign * ms, ok, ok
}

// parseParts reads numbers with units: 350.1µs, 1m2.5s, "12 ms".
func parseParts(s string) (float64, bool) {
	total := 0.0
	for s != "" {
		n := 0
		for n < len(s) && (digit(s[n]) || s[n] == '.') {
			n++
		}
		number, err := strconv.ParseFloat(s[:n], 64)
		if n == 0 || err != nil {
			return 0, false
		}
		s = strings.TrimLeft(s[n:], " ")
		n = 0
		for n < len(s) && s[n] != ' ' && !digit(s[n]) {
			n++
		}
		u, ok := unitNames[s[:n]]
		if !ok {
			return 0, false
		}
		total += number * float64(u)
		s = strings.TrimLeft(s[n:], " ")
	}
	return total, true
}

// parseISO reads an ISO 8601 duration without its P. Months and years have no
// fixed length and no place here.
func parseISO(s string) (float64, bool) {
	total, clock, found := 0.0, false, false
	for s != "" {
		if s[0] == 'T' && !clock {
			clock, s = true, s[1:]
			continue
		}
		n := 0
		for n < len(s) && (digit(s[n]) || s[n] == '.') {
			n++
		}
		number, err := strconv.ParseFloat(s[:n], 64)
		if err != nil || n == len(s) {
			return 0, false
		}
		switch {
		case clock && s[n] == 'S':
			number *= float64(seconds)
		case clock && s[n] == 'M':
			number *= float64(minutes)
		case clock && s[n] == 'H':
			number *= float64(hours)
		case !clock && s[n] == 'D':
			number *= 24 * float64(hours)
		default:
			return 0, false
		}
		total, found, s = total+number, true, s[n+1:]
	}
	return total, found
}

// parseCount reads a number of tokens. Some loggers write all numbers as
// floats.
func parseCount(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > longestDuration {
		return 0, false
	}
	if !digit(s[len(s)-1]) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
