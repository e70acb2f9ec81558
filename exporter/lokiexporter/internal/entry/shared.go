package entry

import (
	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// shared is the metadata that a resource and a scope give to their records. Mostly it is the same
// for all of them, and is written once; only where a record has one of its names, or no room for
// it, is it made for that record.
type shared struct {
	made bool
	// usable is false where it depends on the record, or where it is counted for each.
	usable                  bool
	names, replaced, chosen uint32 // for which it was made

	pairs []push.Pair
	bits  []uint8
	heads []string // room
	seen  [4]uint64
	wire  string
	size  int
}

func (s *shared) reset() {
	clear(s.pairs)
	clear(s.heads)
	*s = shared{pairs: s.pairs[:0], bits: s.bits[:0], heads: s.heads[:0]}
}

// inherit adds the metadata of scope and resource.
func (b *batch) inherit(r route) {
	for i := range b.scope.meta {
		b.addItem(b.scope.meta[i], fromScope, r)
	}
	for i := range b.resource.meta {
		b.addItem(b.resource.meta[i], fromResource, r)
	}
}

// share returns what the record of a route, which is described already, can have from shared; nil
// where it must be made for it.
func (b *batch) share(r route) *shared {
	s := &b.shared
	if !s.made || s.names != r.names || s.replaced != r.replaced || s.chosen != b.chosen[fromResource] {
		b.makeShared(r)
	}
	m := &b.meta
	if !s.usable || m.cut || len(m.pairs)+len(s.pairs) > b.c.cfg.MaxMetadataCount-headroomCount || m.size+s.size > b.c.cfg.MaxMetadataSize-headroomSize {
		return nil
	}
	if m.overlaps(s) {
		return nil
	}
	return s
}

// overlaps reports whether a record has one of the names.
func (m *metadata) overlaps(s *shared) bool {
	if m.seen[0]&s.seen[0]|m.seen[1]&s.seen[1]|m.seen[2]&s.seen[2]|m.seen[3]&s.seen[3] == 0 {
		return false
	}
	for i, bit := range s.bits {
		if m.has(bit) && m.find(name{text: s.pairs[i].Name, bit: bit}) >= 0 {
			return true
		}
	}
	return false
}

// makeShared makes it as for a record that has nothing of its own.
func (b *batch) makeShared(r route) {
	s, own := &b.shared, b.meta
	s.reset()
	s.made, s.names, s.replaced, s.chosen = true, r.names, r.replaced, b.chosen[fromResource]
	before := b.tally
	b.meta = metadata{pairs: s.pairs, bits: s.bits, heads: s.heads[:0]}
	b.occupy(r)
	b.inherit(r)
	m := &b.meta
	s.usable = !m.contested && b.tally == before
	s.pairs, s.bits, s.heads, s.size = m.pairs, m.bits, m.heads, m.size
	for _, bit := range s.bits {
		s.seen[bit>>6] |= 1 << (bit & 63)
	}
	b.scratch = push.AppendPairs(b.scratch[:0], s.pairs)
	s.wire = b.arena.string(b.scratch)
	b.meta, b.tally = own, before
}
