package entry

import (
	"slices"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// leastValue is to what values are cut at most; where that is not enough, pairs are left out,
// the last ones first.
const leastValue = 16

// fit makes metadata small enough for Loki: the largest values are cut first, to one size, so
// that as much as possible stays of all the others.
func (b *batch) fit() {
	m := &b.meta
	budget := b.c.cfg.MaxMetadataSize - headroomSize
	if m.size <= budget {
		return
	}
	m.cut = true
	level := b.level(budget)
	for i := m.ids; i < len(m.pairs); i++ {
		p := &m.pairs[i]
		if len(p.Value) <= level {
			continue
		}
		m.size -= len(p.Value)
		p.Value = b.shorten(p.Value, level)
		m.size += len(p.Value)
		b.tally.metadataTruncated++
	}
}

// level returns the size to which values must be cut, and removes pairs where none is enough.
func (b *batch) level(budget int) int {
	m := &b.meta
	for {
		b.sizes = b.sizes[:0]
		left := budget
		for i, p := range m.pairs {
			left -= len(p.Name)
			if i < m.ids {
				left -= len(p.Value)
				continue
			}
			b.sizes = append(b.sizes, len(p.Value))
		}
		slices.Sort(b.sizes)
		for i, size := range b.sizes {
			rest := len(b.sizes) - i
			if size*rest > left {
				if level := left / rest; level >= leastValue {
					return level
				}
				break
			}
			left -= size
			if rest == 1 {
				return size
			}
		}
		last := len(m.pairs) - 1
		if last < m.ids || len(b.sizes) == 0 {
			return leastValue
		}
		m.size -= len(m.pairs[last].Name) + len(m.pairs[last].Value)
		m.pairs[last] = push.Pair{} // which else would be kept alive
		m.pairs, m.bits, m.heads = m.pairs[:last], m.bits[:last], m.heads[:last]
		b.drop()
	}
}

// shorten cuts a value and says so.
func (b *batch) shorten(s string, limit int) string {
	b.scratch = append(append(b.scratch[:0], s[:boundary(s, limit-len(ellipsis))]...), ellipsis...)
	return b.temp.string(b.scratch)
}

// tell says in the metadata what was cut. An attribute of that name makes way.
func (b *batch) tell(line bool, r route) {
	m := &b.meta
	what := ""
	switch {
	case line && m.cut:
		what = "line,metadata"
	case line:
		what = "line"
	case m.cut:
		what = "metadata"
	default:
		return
	}
	if i := slices.IndexFunc(m.pairs, func(p push.Pair) bool { return p.Name == nameTruncated.text }); i >= 0 {
		value := m.pairs[i].Value
		m.pairs[i].Value = what
		m.size += len(what) - len(value)
		if !b.full() && m.size+len(value)+64 <= b.c.cfg.MaxMetadataSize-headroomSize {
			b.add(nameTruncated, value, fromRecord, r)
		} else {
			b.tally.metadataDropped++
		}
		return
	}
	name := nameTruncated.text
	if _, taken := b.holder(nameTruncated, r); taken { // by a label
		name += "_" + suffixes[fromRecord]
	}
	m.pairs = append(m.pairs, push.Pair{Name: name, Value: what})
	m.size += len(name) + len(what)
}
