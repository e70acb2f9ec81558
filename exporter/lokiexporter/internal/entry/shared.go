package entry

// shared is the metadata that a resource and a scope give to their records. Mostly it is the same
// for all of them, and is written once; only where a record has one of its names, or no room for
// it, is it made for that record.
type shared struct {
	made bool
	// usable is false where it depends on the record, or where it is counted for each.
	usable                  bool
	names, replaced, chosen uint32 // for which it was made

	meta metadata
	wire string // of meta
}

func (s *shared) reset() {
	s.meta.reset()
	*s = shared{meta: s.meta}
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
	if !s.usable || m.cut || len(m.items)+len(s.meta.items) > b.c.cfg.MaxMetadataCount-headroomCount ||
		m.size+s.meta.size > b.c.cfg.MaxMetadataSize-headroomSize {
		return nil
	}
	for i := range s.meta.items {
		if n := s.meta.items[i].name; m.has(n.bit) && m.find(n) >= 0 {
			return nil
		}
	}
	return s
}

// makeShared makes it as for a record that has nothing of its own.
func (b *batch) makeShared(r route) {
	s, own, before := &b.shared, b.meta, b.tally
	s.reset()
	b.pattern.reset()
	s.made, s.names, s.replaced, s.chosen = true, r.names, r.replaced, b.chosen[fromResource]
	b.meta = s.meta
	b.occupy(r)
	b.inherit(r)
	s.meta = b.meta
	s.usable = !s.meta.contested && b.tally == before
	b.scratch = s.meta.append(b.scratch[:0])
	s.wire = b.texts.String(b.scratch)
	b.meta, b.tally = own, before
}
