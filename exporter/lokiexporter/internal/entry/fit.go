package entry

import "slices"

// leastValue is to what values are cut at most; where that is not enough, items are left out,
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
	for i := m.ids; i < len(m.items); i++ {
		it := &m.items[i]
		if len(it.value) <= level {
			continue
		}
		m.size -= len(it.value)
		it.value = b.shorten(it.value, level)
		m.size += len(it.value)
		b.tally.metadataTruncated++
	}
}

// level returns the size to which values must be cut, and removes items where none is enough.
func (b *batch) level(budget int) int {
	m := &b.meta
	for {
		b.sizes = b.sizes[:0]
		left := budget
		for i := range m.items {
			left -= len(m.items[i].name.text)
			if i < m.ids {
				left -= len(m.items[i].value)
				continue
			}
			b.sizes = append(b.sizes, len(m.items[i].value))
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
		last := len(m.items) - 1
		if last < m.ids || len(b.sizes) == 0 {
			return leastValue
		}
		m.size -= len(m.items[last].name.text) + len(m.items[last].value)
		m.items[last] = item{} // which else would be kept alive
		m.items = m.items[:last]
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
	if i := m.find(nameTruncated); i >= 0 {
		value := m.items[i].value
		m.items[i].value = what
		m.size += len(what) - len(value)
		if !b.full() && m.size+len(value)+64 <= b.c.cfg.MaxMetadataSize-headroomSize {
			b.add(nameTruncated, value, fromRecord, r)
		} else {
			b.tally.metadataDropped++
		}
		return
	}
	n := nameTruncated
	if _, taken := b.holder(n, r); taken { // by a label
		n = newName(n.text + "_" + suffixes[fromRecord])
	}
	m.items = append(m.items, item{n, what})
	m.size += len(n.text) + len(what)
}
