package extract

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// value is the value of one field, as text or as a number.
type value struct {
	text   string
	number float64
	// isNumber says that number holds the value and text may be empty.
	isNumber bool
}

// valueOf returns a value of pdata; ok is false for what is neither text nor
// a number or a boolean.
func valueOf(v pcommon.Value) (value, bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return value{text: v.Str()}, true
	case pcommon.ValueTypeInt:
		// Text is made only where it is asked for; an id of Datadog has more
		// digits than a double.
		return value{number: float64(v.Int()), isNumber: true}, true
	case pcommon.ValueTypeDouble:
		return value{number: v.Double(), isNumber: true}, true
	case pcommon.ValueTypeBool:
		return value{text: strconv.FormatBool(v.Bool())}, true
	case pcommon.ValueTypeSlice:
		// A header is recorded as a list.
		if v.Slice().Len() == 1 && v.Slice().At(0).Type() == pcommon.ValueTypeStr {
			return value{text: v.Slice().At(0).Str()}, true
		}
		return value{}, false
	default:
		return value{}, false
	}
}

// count returns the value as a number of tokens.
func (v value) count() (float64, bool) {
	if v.isNumber {
		return v.number, true
	}
	return parseCount(v.text)
}

// time returns the value in milliseconds, or as it is where hasUnit is false.
func (v value) time(u unit) (ms float64, hasUnit, ok bool) {
	if !v.isNumber {
		return parseTime(v.text, u)
	}
	if u == noUnit {
		return v.number, false, true
	}
	return v.number * float64(u), true, true
}

// nothing reports whether text is written where there is no value.
func nothing(s string) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		return s == "-" || s == "?"
	case 3, 4, 7, 9:
		for _, word := range []string{"n/a", "nil", "null", "none", "N.A.", "unknown", "undefined"} {
			if strings.EqualFold(s, word) {
				return true
			}
		}
	}
	return false
}
