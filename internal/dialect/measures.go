package dialect

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Measures says which of a site's own measures a span has: state is called with the index of each
// and its value, a number, a numeric text or a duration, which counts in seconds. Views, valid only
// during the call.
type Measures func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span, state func(index int, value any))

// StatedMeasure is the value of one of them.
type StatedMeasure struct {
	Index int
	Value float64 // finite and not below zero
}

// readMeasures adds the measures of the span to f. What is no such number is dropped and counted.
func readMeasures(f *Facts, read Measures, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) {
	var stated []StatedMeasure
	var dropped [NumReasons]uint8
	read(rs, ss, span, func(index int, value any) {
		v, isNumber := measureValue(value)
		switch {
		case !isNumber:
			dropped[ReasonType]++
		case v < 0:
			dropped[ReasonNegative]++
		case !(v <= maxCount):
			dropped[ReasonNotFinite]++
		default:
			stated = append(stated, StatedMeasure{index, v})
		}
	})
	if stated == nil && dropped == [NumReasons]uint8{} {
		return
	}
	d := f.copyOfDetails()
	if stated != nil {
		own := Extra{Measures: stated}
		if d.Extra != nil {
			own.Dimensions, own.Semconv = d.Extra.Dimensions, d.Extra.Semconv
		}
		d.Extra = &own
	}
	for r, n := range dropped {
		d.Values.Dropped[r] += n
	}
	f.Details = d
}

func measureValue(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case time.Duration:
		return v.Seconds(), true
	case string:
		return number(pcommon.NewValueStr(v))
	case pcommon.Value:
		return number(v)
	}
	return math.NaN(), false
}
