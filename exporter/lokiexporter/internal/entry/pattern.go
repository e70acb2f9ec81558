package entry

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// pattern is the names of a record's metadata. Most records have those of the record before, and
// where none of them met another then, none does now: such a record is written in one go.
type pattern struct {
	known  bool
	fields fields
	route  route
	chosen [len(suffixes)]uint32
	names  []*name // of its attributes
}

func (p *pattern) reset() { p.known = false }

// fields says which of a record's fields become metadata.
type fields uint8

const (
	hasTrace fields = 1 << iota
	hasSpan
	hasNumber
	hasSeverity
	hasFlags
	hasObserved
	hasOthers // which are seldom there
)

func fieldsOf(rec plog.LogRecord, st stamp) (f fields) {
	set := func(bit fields, there bool) {
		if there {
			f |= bit
		}
	}
	set(hasTrace, !rec.TraceID().IsEmpty())
	set(hasSpan, !rec.SpanID().IsEmpty())
	set(hasNumber, rec.SeverityNumber() != plog.SeverityNumberUnspecified)
	set(hasSeverity, rec.SeverityText() != "")
	set(hasFlags, rec.Flags() != 0)
	set(hasObserved, observed(rec, st))
	set(hasOthers, st.original != 0 || rec.EventName() != "" || rec.DroppedAttributesCount() != 0)
	return f
}

// learn takes the pattern of the record that was described last, where it is one.
func (b *batch) learn(f fields, r route) {
	p := &b.pattern
	p.known = false
	if f&hasOthers != 0 || b.meta.contested {
		return
	}
	p.names = p.names[:0]
	for i := range b.attrs {
		a := &b.attrs[i]
		if !simple(a.kind) || nothing(a.kind, a.value) || a.name.poison || a.name.head == "" || isID(a.name) {
			return
		}
		p.names = append(p.names, a.name)
	}
	p.known, p.fields, p.route, p.chosen = true, f, r, b.chosen
}

// simple reports whether a value becomes metadata of one name, but for text that is empty. Empty
// bytes become none, and so would not have met a name that is taken.
func simple(kind pcommon.ValueType) bool {
	switch kind {
	case pcommon.ValueTypeStr, pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return true
	default:
		return false
	}
}

// isID reports whether an attribute may stand for an id, which depends on its value.
func isID(n *name) bool { return n.text == nameTrace.text || n.text == nameSpan.text }

// fits reports whether a record has the pattern.
func (b *batch) fits(f fields, r route) bool {
	p := &b.pattern
	if !p.known || p.fields != f || p.route != r || p.chosen != b.chosen || len(p.names) != len(b.attrs) {
		return false
	}
	for i, n := range p.names {
		if b.attrs[i].name != n {
			return false
		}
	}
	return true
}

// repeat appends the metadata of a record that fits the pattern to wire, and returns its size; ok
// is false where it is not as easy as that, and nothing has been done.
func (b *batch) repeat(rec plog.LogRecord, f fields, r route) (size int, ok bool) {
	w := pairs{wire: b.wire}
	if f&hasTrace != 0 {
		id := rec.TraceID()
		w.hex(nameTrace, id[:])
	}
	if f&hasSpan != 0 {
		id := rec.SpanID()
		w.hex(nameSpan, id[:])
	}
	if f&hasNumber != 0 {
		w.int(nameNumber, int64(rec.SeverityNumber()))
	}
	if f&hasSeverity != 0 && !w.text(nameSeverity, rec.SeverityText()) {
		return 0, false
	}
	if f&hasFlags != 0 {
		w.int(nameFlags, int64(rec.Flags()))
	}
	if f&hasObserved != 0 {
		w.begin(nameObserved)
		w.wire = strconv.AppendUint(w.wire, uint64(rec.ObservedTimestamp()), 10)
		w.end(nameObserved)
	}
	for i := range b.attrs {
		a := &b.attrs[i]
		if a.name.sources[fromRecord]&b.chosen[fromRecord] != 0 {
			it := item{a.name, b.value(a.kind, a.value)}
			if !b.isLabel(&it, fromRecord, r) {
				return 0, false
			}
			continue
		}
		if !w.attribute(a) {
			return 0, false
		}
	}
	if w.size+b.shared.meta.size > b.c.cfg.MaxMetadataSize-headroomSize {
		return 0, false
	}
	b.wire = w.wire
	return w.size, true
}

// pairs is metadata as it is written.
type pairs struct {
	wire []byte
	size int
	from int // where the pair begins that is written
}

const (
	// longestHead is of a name with which any number makes a pair of less than 128 bytes.
	longestHead = 64
	// longestValue is of texts that are surely not cut.
	longestValue = minMetadataSize - headroomSize
)

func (w *pairs) begin(n *name) {
	w.from = len(w.wire)
	w.wire = push.BeginPair(w.wire, n.head)
}

func (w *pairs) end(n *name) {
	w.size += len(n.text) + push.EndPair(w.wire[w.from:], n.head)
}

func (w *pairs) int(n *name, v int64) {
	w.begin(n)
	w.wire = strconv.AppendInt(w.wire, v, 10)
	w.end(n)
}

func (w *pairs) hex(n *name, id []byte) {
	w.begin(n)
	w.wire = hex.AppendEncode(w.wire, id)
	w.end(n)
}

// text writes text; ok is false where there is none, or it may have to be changed.
func (w *pairs) text(n *name, s string) (ok bool) {
	if s == "" || len(s) > longestValue || !utf8.ValidString(s) {
		return false
	}
	w.wire = push.AppendHeaded(w.wire, n.head, s)
	w.size += len(n.text) + len(s)
	return true
}

func (w *pairs) attribute(a *attr) (ok bool) {
	if a.kind == pcommon.ValueTypeStr {
		return w.text(a.name, a.value.Str())
	}
	if len(a.name.head) > longestHead {
		return false
	}
	switch a.kind {
	case pcommon.ValueTypeInt:
		w.int(a.name, a.value.Int())
	case pcommon.ValueTypeDouble:
		w.begin(a.name)
		w.wire = appendFloat(w.wire, a.value.Double())
		w.end(a.name)
	case pcommon.ValueTypeBool:
		w.begin(a.name)
		w.wire = strconv.AppendBool(w.wire, a.value.Bool())
		w.end(a.name)
	default:
		return false
	}
	return true
}
