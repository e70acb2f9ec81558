package extract

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Field is one of the standard fields of a request.
type Field uint8

// The standard fields. Texts come first, then token counts, then times.
const (
	FieldRequestID Field = iota
	FieldModelName
	FieldModelVersion
	FieldInputTokens
	FieldOutputTokens
	FieldCachedInputTokens
	FieldPreprocessTime
	FieldQueueTime
	FieldInferenceTime
	FieldPostprocessTime
	FieldTotalTime
	FieldTTFT
	NumFields
)

const (
	numTexts   = int(FieldInputTokens)
	numNumbers = int(NumFields) - numTexts
	firstTime  = FieldPreprocessTime
)

var fieldNames = [NumFields]string{
	"request_id", "model_name", "model_version",
	"input_tokens", "output_tokens", "cached_input_tokens",
	"preprocess_time_ms", "queue_time_ms", "inference_time_ms", "postprocess_time_ms",
	"total_time_ms", "ttft_ms",
}

// String returns the standard attribute's key.
func (f Field) String() string { return fieldNames[f] }

// IsText reports whether the field is a string. Token counts are integers, the
// others are times, doubles in milliseconds.
func (f Field) IsText() bool { return f < FieldInputTokens }

// IsTokens reports whether the field is a number of tokens.
func (f Field) IsTokens() bool { return f >= FieldInputTokens && f < firstTime }

// IsTime reports whether the field is a time in milliseconds.
func (f Field) IsTime() bool { return f >= firstTime && f < NumFields }

// Fields holds the standard fields that are known.
type Fields struct {
	known   uint16
	texts   [numTexts]string
	numbers [numNumbers]float64
}

// Known reports whether the field has a value.
func (v *Fields) Known(f Field) bool { return v.known&(1<<f) != 0 }

// Any reports whether any field has a value.
func (v *Fields) Any() bool { return v.known != 0 }

// Text returns the value of a text field, empty where it is not known.
func (v *Fields) Text(f Field) string { return v.texts[f] }

// Number returns a number of tokens, or a time in milliseconds; 0 where it is
// not known.
func (v *Fields) Number(f Field) float64 { return v.numbers[int(f)-numTexts] }

// SetText makes a text field known; an empty text says nothing.
func (v *Fields) SetText(f Field, text string) {
	if text != "" {
		v.texts[f], v.known = text, v.known|1<<f
	}
}

// SetNumber makes a number known and reports whether it is one that the field
// can have: whole and not negative for tokens, above 0 and no longer than a
// month for a time in milliseconds. A time of 0 is no measurement.
func (v *Fields) SetNumber(f Field, n float64) bool {
	if !validNumber(f, n) || n == 0 && f.IsTime() {
		return false
	}
	v.numbers[int(f)-numTexts], v.known = n, v.known|1<<f
	return true
}

// Forget makes a field unknown.
func (v *Fields) Forget(f Field) { v.known &^= 1 << f }

const (
	maxTokens = 1e12
	maxMillis = 30 * 24 * 3600 * 1e3
	// maxText is the longest name of a model or version that is taken.
	maxText = 256
)

// validNumber reports whether a field can have this number.
func validNumber(f Field, n float64) bool {
	if f.IsTokens() {
		return n >= 0 && n <= maxTokens && n == math.Trunc(n)
	}
	return n >= 0 && n <= maxMillis // false for NaN
}

// Put writes one known field of v under its standard key and reports whether
// it did. A valid value that is there stays, in the type that it has; one that
// the field cannot have, as -1 or text where a number belongs, is no value and
// is replaced.
func (v *Fields) Put(attrs pcommon.Map, f Field) bool {
	if !v.Known(f) {
		return false
	}
	there, ok := attrs.Get(fieldNames[f])
	switch {
	case !ok:
		there = attrs.PutEmpty(fieldNames[f])
	case stands(f, there):
		return false
	}
	switch {
	case f.IsText():
		there.SetStr(v.Text(f))
	case f.IsTokens():
		there.SetInt(int64(v.Number(f)))
	default:
		there.SetDouble(v.Number(f))
	}
	return true
}

// stands reports whether an attribute's value is one that the field can have.
func stands(f Field, v pcommon.Value) bool {
	if f.IsText() {
		return v.Type() != pcommon.ValueTypeEmpty && (v.Type() != pcommon.ValueTypeStr || v.Str() != "")
	}
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return validNumber(f, float64(v.Int()))
	case pcommon.ValueTypeDouble:
		return validNumber(f, v.Double())
	default:
		return false
	}
}
