package dialect

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// attributes is one pass over a span's attributes: the values of the keys that
// dialects know.
type attributes struct {
	values [numKeys]pcommon.Value
	alias  [numKeys]alias
	set    uint64 // bit per key
	texts  texts
}

// scan reads m. The values are views, valid as long as m is. dimensions, if not
// nil, sees all of them.
func (a *attributes) scan(m pcommon.Map, dimensions *dimensionReader) {
	a.set = 0
	if dimensions != nil {
		dimensions.begin()
	}
	for name, v := range m.All() {
		if dimensions != nil {
			dimensions.see(name, v)
		}
		if !mayBeAlias(name) {
			continue
		}
		al, known := aliases[name]
		if !known || v.Type() == pcommon.ValueTypeEmpty {
			continue
		}
		if a.has(al.key) && a.alias[al.key].rank < al.rank {
			continue
		}
		if al.key == keyModel && namesNone(v) {
			continue // a lower rank may still name the model
		}
		a.set |= 1 << al.key
		a.values[al.key] = v
		a.alias[al.key] = al
	}
}

// forget lets go of the values.
func (a *attributes) forget() {
	a.set = 0
	clear(a.values[:])
}

// value returns the attribute's value, an empty one when absent.
func (a *attributes) value(k key) pcommon.Value {
	if !a.has(k) {
		return pcommon.NewValueEmpty()
	}
	return a.values[k]
}

func (a *attributes) has(k key) bool { return a.set&(1<<k) != 0 }

// text returns a string attribute, empty when absent or of another type.
func (a *attributes) text(k key) string {
	if !a.has(k) || a.values[k].Type() != pcommon.ValueTypeStr {
		return ""
	}
	return a.values[k].Str()
}

// model returns the model's name, empty where a span says that it has none.
func (a *attributes) model() string {
	if !a.has(keyModel) {
		return ""
	}
	return a.texts.own(strings.TrimSpace(a.values[keyModel].Str()))
}

// namesNone reports whether v names no model, in one of the ways in which SDKs
// write that.
func namesNone(v pcommon.Value) bool {
	if v.Type() != pcommon.ValueTypeStr {
		return true
	}
	name := strings.TrimSpace(v.Str())
	switch len(name) {
	case 0:
		return true
	case len("nil"), len("none"), len("unknown"), len("undefined"):
		switch strings.ToLower(name) {
		case "none", "null", "nil", "undefined", "unknown":
			return true
		}
	}
	return false
}

// maxLabel is the longest label value in bytes. Clients choose many of them,
// and each series repeats them on the page for each of its buckets.
const maxLabel = 256

// label returns an own copy of s that is fit to be a label value: valid UTF-8,
// cut at maxLabel, and not sharing memory with the span.
func label(s string) string { return strings.Clone(fitLabel(s)) }

// fitLabel is label, of which the text may still be the span's.
func fitLabel(s string) string {
	if len(s) > maxLabel {
		cut := maxLabel
		for cut > maxLabel-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// texts are own copies of label values, the latest ones: most spans have those of
// the span before.
type texts struct {
	kept [16]string
	next int
}

// own returns label(s).
func (t *texts) own(s string) string {
	s = fitLabel(s)
	if s == "" {
		return ""
	}
	for i := range t.kept {
		if t.kept[i] == s {
			return t.kept[i]
		}
	}
	s = strings.Clone(s)
	t.kept[t.next] = s
	t.next = (t.next + 1) % len(t.kept)
	return s
}

// version returns a model version, which may be a number.
func (a *attributes) version() string {
	if !a.has(keyModelVersion) {
		return ""
	}
	v := a.values[keyModelVersion]
	if v.Type() == pcommon.ValueTypeStr {
		return a.texts.own(v.Str())
	}
	return a.texts.own(v.AsString())
}

// duration stores key k, in seconds, as value i.
func (a *attributes) duration(k key, v *Values, i Value) {
	if !a.has(k) {
		return
	}
	n, ok := number(a.values[k])
	if !ok {
		v.Drop(i, ReasonType)
		return
	}
	v.Set(i, n*float64(a.alias[k].unit))
}

// maxCount is the largest number that counts as one of tokens or requests: far
// above any model's context, and far below what sums overflow at.
const maxCount = 1e12

// count returns a number of things, unknown when absent or wrong; what is wrong
// is counted in v by its reason.
func (a *attributes) count(k key, v *Values) inference.Count {
	if !a.has(k) {
		return inference.Count{}
	}
	n, ok := number(a.values[k])
	switch {
	case !ok:
		v.Dropped[ReasonType]++
	case n < 0:
		v.Dropped[ReasonNegative]++
	case !(n <= maxCount):
		v.Dropped[ReasonNotFinite]++
	default:
		return inference.NewCount(int64(n))
	}
	return inference.Count{}
}

// code returns a status code, 0 when there is none.
func (a *attributes) code(k key) int64 {
	var ignored Values
	return a.count(k, &ignored).N()
}

// flag returns a boolean attribute, which may be the text of one, or 0 and 1.
func (a *attributes) flag(k key) inference.Tristate {
	if !a.has(k) {
		return inference.Unknown
	}
	switch v := a.values[k]; v.Type() {
	case pcommon.ValueTypeBool:
		if v.Bool() {
			return inference.Yes
		}
		return inference.No
	case pcommon.ValueTypeStr, pcommon.ValueTypeInt:
		if b, err := strconv.ParseBool(strings.TrimSpace(v.AsString())); err == nil && b {
			return inference.Yes
		} else if err == nil {
			return inference.No
		}
	}
	return inference.Unknown
}

// finishReason returns the finish reason, which may be an array, a JSON array
// as text, or a bare string; of several the last one, which ended the request.
func (a *attributes) finishReason() string {
	return inference.FinishReason(a.finishWord())
}

// finishWord returns the finish reason in the engine's own word, lower case.
func (a *attributes) finishWord() string {
	if !a.has(keyFinishReason) {
		return ""
	}
	v := a.values[keyFinishReason]
	if v.Type() == pcommon.ValueTypeSlice {
		if v.Slice().Len() == 0 {
			return ""
		}
		v = v.Slice().At(v.Slice().Len() - 1)
	}
	text := v.AsString()
	if inner, isArray := strings.CutPrefix(text, "["); isArray {
		inner = strings.TrimSuffix(inner, "]")
		text = strings.Trim(inner[strings.LastIndexByte(inner, ',')+1:], `" `)
	}
	return strings.ToLower(text)
}

// number returns an int, a double, or a numeric string: some SDKs write
// unsigned integers as text.
func number(v pcommon.Value) (float64, bool) {
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int()), true
	case pcommon.ValueTypeDouble:
		return v.Double(), true
	case pcommon.ValueTypeStr:
		n, err := strconv.ParseFloat(strings.TrimSpace(v.Str()), 64)
		return n, err == nil
	}
	return 0, false
}

// state stores what an attribute states whose unit is that of one dialect alone.
func (s *source) state(key string, in unit, v *Values, i Value) {
	value, ok := s.span.Attributes().Get(key)
	if !ok {
		return
	}
	n, isNumber := number(value)
	if !isNumber || in == nanoseconds && n != math.Trunc(n) {
		v.Drop(i, ReasonType) // a fraction of a nanosecond is of another unit
		return
	}
	v.Set(i, n*float64(in))
}
