package correlate

import "encoding/binary"

// lowHalves finds traces by the lower half of their id, all that tracers of 64 bits know.
// Traces of one half are a list through the traces themselves.
type lowHalves map[uint64]*trace

func lowHalf(id [16]byte) uint64 { return binary.BigEndian.Uint64(id[8:]) }

// lowOnly returns an id without its upper half.
func lowOnly(id [16]byte) [16]byte {
	clear(id[:8])
	return id
}

func (l lowHalves) add(t *trace) {
	first := l[lowHalf(t.id)]
	if t.lowNext = first; first != nil {
		first.lowPrev = t
	}
	l[lowHalf(t.id)] = t
}

func (l lowHalves) remove(t *trace) {
	if t.lowNext != nil {
		t.lowNext.lowPrev = t.lowPrev
	}
	switch {
	case t.lowPrev != nil:
		t.lowPrev.lowNext = t.lowNext
	case t.lowNext != nil:
		l[lowHalf(t.id)] = t.lowNext
	default:
		delete(l, lowHalf(t.id))
	}
	t.lowPrev, t.lowNext = nil, nil
}

// trace returns the one trace of the lower half of id, or that there are several.
func (l lowHalves) trace(id [16]byte) (t *trace, several bool) {
	if t = l[lowHalf(id)]; t != nil && t.lowNext != nil {
		return nil, true
	}
	return t, false
}

func (l lowHalves) ambiguous(id [16]byte) bool {
	_, several := l.trace(id)
	return several
}
