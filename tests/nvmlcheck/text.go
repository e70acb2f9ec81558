package main

import (
	"slices"
	"strconv"
	"strings"
)

// text is an element's content as nvidia-smi prints it: "627.40 W", "[N/A]", "Not Active".
type text string

// absent are the ways of nvidia-smi to say that it does not know.
var absent = []string{
	"n/a", "not supported", "not available", "unknown error", "err!", "unknown",
	"requested functionality has been deprecated", "insufficient permissions",
	"gpu is lost", "gpu requires reset",
}

// scales turn what nvidia-smi prints into the units of OpenTelemetry.
var scales = map[string]float64{
	"":     1,
	"B":    1,
	"KiB":  1 << 10,
	"MiB":  1 << 20,
	"GiB":  1 << 30,
	"KB/s": 1000,
	"MB/s": 1e6,
	"W":    1,
	"mW":   1e-3,
	"C":    1,
	"MHz":  1e6,
	"%":    1e-2,
	"us":   1e-6,
	"x":    1,
}

// said is the content, if it is any.
func (t text) said() (string, bool) {
	s := strings.TrimSpace(string(t))
	if slices.Contains(absent, strings.ToLower(strings.Trim(s, "[]"))) {
		return "", false
	}
	return s, s != ""
}

// number is the content in the unit of OpenTelemetry. A unit that is not known here is no
// number: a guess would be worse than a gap in the table.
func (t text) number() (float64, bool) {
	s, ok := t.said()
	if !ok {
		return 0, false
	}
	end := strings.LastIndexAny(s, "0123456789") + 1
	v, err := strconv.ParseFloat(s[:end], 64)
	scale, known := scales[strings.TrimSpace(s[end:])]
	return v * scale, err == nil && known
}

// flag is 1 for yes and 0 for no.
func (t text) flag() (float64, bool) {
	s, _ := t.said()
	switch s {
	case "Active", "Yes":
		return 1, true
	case "Not Active", "No":
		return 0, true
	default:
		return 0, false
	}
}
