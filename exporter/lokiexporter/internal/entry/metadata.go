package entry

import (
	"encoding/hex"
	"math/bits"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// origin is where metadata comes from, in the order of precedence.
type origin uint8

const (
	fromRecord origin = iota
	fromScope
	fromResource
)

// suffixes of names that are taken.
var suffixes = [...]string{fromRecord: "attribute", fromScope: "scope", fromResource: "resource"}

// The names of what is no attribute, as Loki's own OTLP endpoint has them.
var (
	nameTrace        = lasting("trace_id")
	nameSpan         = lasting("span_id")
	nameNumber       = lasting("severity_number")
	nameSeverity     = lasting("severity_text")
	nameFlags        = lasting("flags")
	nameEvent        = lasting("event_name")
	nameObserved     = lasting("observed_timestamp")
	nameDroppedAttrs = lasting("dropped_attributes_count")
	nameScope        = lasting("scope_name")
	nameScopeVersion = lasting("scope_version")
	// Those that are ours.
	nameOriginal  = lasting("original_timestamp")
	nameTruncated = lasting("truncated")
)

const (
	// headroomCount is for detected_level, which Loki adds, and for truncated.
	headroomCount = 2
	// headroomSize is the size of these two, and some more.
	headroomSize = 128
	// maxDepth is how deep maps are flattened; what is deeper is JSON.
	maxDepth = 8
	// maxSuffix is how many names are tried where one is taken.
	maxSuffix = 9
	// longestID is the longest text that is taken for the id of a trace or span.
	longestID = 256
)

// item is one name with its value before it is known whether the name is free.
type item struct {
	name  *name
	value string
}

// metadata is that of one record in the making.
type metadata struct {
	items []item
	// seen has the bit of every name, those of labels too.
	seen [4]uint64
	// ids is how many items at the beginning are ids, which are never cut.
	ids  int
	size int
	cut  bool
	// contested says that a name was taken.
	contested bool
}

func (m *metadata) reset() {
	clear(m.items)
	*m = metadata{items: m.items[:0]}
}

func (m *metadata) mark(bit uint8) { m.seen[bit>>6] |= 1 << (bit & 63) }

// has reports whether a name may be taken.
func (m *metadata) has(bit uint8) bool { return m.seen[bit>>6]&(1<<(bit&63)) != 0 }

// find returns the place of a name, or -1.
func (m *metadata) find(n *name) int {
	for i := range m.items {
		if own := m.items[i].name; own.bit == n.bit && own.text == n.text {
			return i
		}
	}
	return -1
}

// occupy takes the names of labels.
func (b *batch) occupy(r route) {
	for i, n := range b.c.labels {
		if r.names&(1<<i) != 0 {
			b.meta.mark(n.bit)
		}
	}
}

// append appends the items as they are sent.
func (m *metadata) append(dst []byte) []byte {
	for i := range m.items {
		if it := &m.items[i]; it.name.head != "" {
			dst = push.AppendHeaded(dst, it.name.head, it.value)
		} else {
			dst = push.AppendPair(dst, it.name.text, it.value)
		}
	}
	return dst
}

// text returns text as an item.
func (b *batch) text(n *name, value string) item {
	value, _ = b.clean(value, b.c.cfg.MaxMetadataSize)
	return item{n, value}
}

// describe makes the metadata of a record's own that goes to a route.
func (b *batch) describe(rec plog.LogRecord, r route, st stamp) {
	b.meta.reset()
	b.occupy(r)
	b.describeIDs(rec, r)
	if st.original != 0 {
		b.add(nameOriginal, b.unsigned(st.original), fromRecord, r)
	}
	if n := rec.SeverityNumber(); n != plog.SeverityNumberUnspecified {
		b.add(nameNumber, b.number(int64(n)), fromRecord, r)
	}
	if s := rec.SeverityText(); s != "" {
		b.addItem(b.text(nameSeverity, s), fromRecord, r)
	}
	if s := rec.EventName(); s != "" {
		b.addItem(b.text(nameEvent, s), fromRecord, r)
	}
	if f := rec.Flags(); f != 0 {
		b.add(nameFlags, b.number(int64(f)), fromRecord, r)
	}
	if observed(rec, st) {
		b.add(nameObserved, b.unsigned(uint64(rec.ObservedTimestamp())), fromRecord, r)
	}
	if n := rec.DroppedAttributesCount(); n != 0 {
		b.add(nameDroppedAttrs, b.number(int64(n)), fromRecord, r)
	}
	b.describeAttributes(r)
}

// observed reports whether the time when a record was observed is told.
func observed(rec plog.LogRecord, st stamp) bool {
	o := rec.ObservedTimestamp()
	return o != 0 && nanos(uint64(o)) != st.at
}

// describeIDs takes the ids first, so that they have a place whatever comes behind them.
func (b *batch) describeIDs(rec plog.LogRecord, r route) {
	attrs := rec.Attributes()
	if id := rec.TraceID(); !id.IsEmpty() {
		b.add(nameTrace, b.hex(id[:]), fromRecord, r)
	} else if s := attribute(attrs, nameTrace.text); s != "" && len(s) <= longestID {
		b.addItem(b.text(nameTrace, s), fromRecord, r)
	}
	if id := rec.SpanID(); !id.IsEmpty() {
		b.add(nameSpan, b.hex(id[:]), fromRecord, r)
	} else if s := attribute(attrs, nameSpan.text); s != "" && len(s) <= longestID {
		b.addItem(b.text(nameSpan, s), fromRecord, r)
	}
	b.meta.ids = len(b.meta.items)
}

// attr is an attribute of a record with the name it gets.
type attr struct {
	raw   string
	name  *name
	kind  pcommon.ValueType
	value pcommon.Value
}

// scan finds the names of a record's attributes, and those that labels are taken from.
func (b *batch) scan(rec plog.LogRecord) {
	b.attrs, b.labelled = b.attrs[:0], [maxLabelEntries]int{}
	for key, v := range rec.Attributes().All() {
		n := b.at(len(b.attrs), key)
		b.attrs = append(b.attrs, attr{key, n, v.Type(), v})
		for left := n.sources[fromRecord]; left != 0; left &= left - 1 {
			if i := bits.TrailingZeros32(left); b.labelled[i] == 0 {
				b.labelled[i] = len(b.attrs)
			}
		}
	}
}

func (b *batch) describeAttributes(r route) {
	for i := range b.attrs {
		a := &b.attrs[i]
		if nothing(a.kind, a.value) {
			continue
		}
		if a.kind == pcommon.ValueTypeMap {
			if b.full() {
				b.drop()
				continue
			}
			b.items = b.flatten(b.items[:0], a.raw, a.value.Map(), 1)
			for i := range b.items {
				b.addItem(b.items[i], fromRecord, r)
			}
			clear(b.items)
			continue
		}
		if b.full() && a.name.sources[fromRecord]&b.chosen[fromRecord] == 0 {
			b.drop() // before text is made of what may be large
			continue
		}
		b.addItem(item{a.name, b.value(a.kind, a.value)}, fromRecord, r)
	}
}

// nothing reports whether a value becomes no metadata.
func nothing(kind pcommon.ValueType, v pcommon.Value) bool {
	return kind == pcommon.ValueTypeEmpty || kind == pcommon.ValueTypeStr && v.Str() == ""
}

// collect appends the attributes of what records have in common.
func (b *batch) collect(dst []item, attrs pcommon.Map) []item {
	for key, v := range attrs.All() {
		if nothing(v.Type(), v) {
			continue
		}
		if len(dst) >= b.c.cfg.MaxMetadataCount {
			// No record has a place for it, and none counts it.
			b.drop()
			continue
		}
		if v.Type() == pcommon.ValueTypeMap {
			dst = b.flatten(dst, key, v.Map(), 1)
			continue
		}
		dst = append(dst, item{b.c.names.of(key, b), b.value(v.Type(), v)})
	}
	return dst
}

// flatten appends what is in a map as parent_child.
func (b *batch) flatten(dst []item, parent string, m pcommon.Map, depth int) []item {
	for key, v := range m.All() {
		if nothing(v.Type(), v) {
			continue
		}
		if len(dst) >= b.c.cfg.MaxMetadataCount {
			b.drop()
			continue
		}
		b.scratch = append(append(append(b.scratch[:0], parent[:min(len(parent), maxName)]...), '_'), key...)
		joined := b.temp.string(b.scratch)
		if v.Type() == pcommon.ValueTypeMap && depth < maxDepth {
			dst = b.flatten(dst, joined, v.Map(), depth+1)
			continue
		}
		dst = append(dst, item{b.c.names.of(joined, b), b.value(v.Type(), v)})
	}
	return dst
}

// value returns an attribute's value as text.
func (b *batch) value(kind pcommon.ValueType, v pcommon.Value) string {
	limit := b.c.cfg.MaxMetadataSize
	switch kind {
	case pcommon.ValueTypeEmpty:
		return ""
	case pcommon.ValueTypeStr:
		s, _ := b.clean(v.Str(), limit)
		return s
	case pcommon.ValueTypeInt:
		return b.number(v.Int())
	case pcommon.ValueTypeBool:
		return strconv.FormatBool(v.Bool())
	default:
		start := b.temp.len()
		b.temp.text = appendText(b.temp.text, v, start+limit+1)
		if b.temp.len()-start > limit {
			end := start + boundary(b.temp.text[start:], limit-len(ellipsis))
			b.temp.text = append(b.temp.text[:end], ellipsis...)
		}
		return b.temp.since(start)
	}
}

// finish returns what is in line as text of at most limit bytes.
func (b *batch) finish(limit int) string {
	if len(b.line) > limit {
		b.line = append(b.line[:boundary(b.line, limit-len(ellipsis))], ellipsis...)
	}
	return b.temp.string(b.line)
}

func (b *batch) number(n int64) string {
	if n >= 0 && n < 100 {
		return strconv.Itoa(int(n)) // is there already
	}
	start := b.temp.len()
	b.temp.text = strconv.AppendInt(b.temp.text, n, 10)
	return b.temp.since(start)
}

func (b *batch) unsigned(n uint64) string {
	start := b.temp.len()
	b.temp.text = strconv.AppendUint(b.temp.text, n, 10)
	return b.temp.since(start)
}

func (b *batch) hex(id []byte) string {
	start := b.temp.len()
	b.temp.text = hex.AppendEncode(b.temp.text, id)
	return b.temp.since(start)
}

func (b *batch) full() bool { return len(b.meta.items) >= b.c.cfg.MaxMetadataCount-headroomCount }

func (b *batch) drop() {
	b.tally.metadataDropped++
	b.meta.cut = true
}

func (b *batch) addItem(it item, from origin, r route) {
	if it.name.sources[from]&b.chosen[from] != 0 && b.isLabel(&it, from, r) {
		return
	}
	b.add(it.name, it.value, from, r)
}

// isLabel reports whether the value of an attribute is that of the label that was made of it.
// Where the label has another, as "other", the attribute becomes <label>_original.
func (b *batch) isLabel(it *item, from origin, r route) bool {
	for i := range b.c.sources {
		if it.name.sources[from]&b.chosen[from]&(1<<i) == 0 {
			continue
		}
		slot := b.c.sources[i].slot
		if r.replaced&(1<<slot) == 0 && it.value == b.values[slot] {
			return true
		}
		it.name = b.c.originals[slot]
		return false
	}
	return false
}

// add adds a pair, under another name where its own is taken.
func (b *batch) add(n *name, value string, from origin, r route) {
	m := &b.meta
	if value == "" {
		return
	}
	if n.poison {
		b.tally.renamed++
	}
	if m.has(n.bit) {
		var free bool
		if n, free = b.free(n, value, from, r); !free {
			return
		}
	}
	if b.full() {
		b.drop()
		return
	}
	m.mark(n.bit)
	m.items = append(m.items, item{n, value})
	m.size += len(n.text) + len(value)
}

// free returns a name that is not taken; ok is false where the value is there already.
func (b *batch) free(n *name, value string, from origin, r route) (_ *name, ok bool) {
	there, taken := b.holder(n, r)
	if !taken {
		return n, true
	}
	b.meta.contested = true
	if there == value {
		return n, false
	}
	b.tally.renamed++
	for i := range maxSuffix {
		b.scratch = appendPart(append(b.scratch[:0], n.text...), suffixes[from])
		if i > 0 {
			b.scratch = strconv.AppendInt(append(b.scratch, '_'), int64(i+1), 10)
		}
		other := newName(b.temp.string(b.scratch))
		if there, taken := b.holder(other, r); !taken {
			return other, true
		} else if there == value {
			return other, false
		}
	}
	b.drop()
	return n, false
}

// holder returns the value of a name that is taken.
func (b *batch) holder(n *name, r route) (value string, taken bool) {
	m := &b.meta
	if !m.has(n.bit) {
		return "", false
	}
	for i := range b.c.labels {
		if l := b.c.labels[i]; r.names&(1<<i) != 0 && l.text == n.text {
			if r.replaced&(1<<i) != 0 {
				return other, true
			}
			return b.values[i], true
		}
	}
	if i := m.find(n); i >= 0 {
		return m.items[i].value, true
	}
	return "", false
}
