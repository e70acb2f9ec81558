package assembly

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// addLateHops hands on the hops of layers that come after the call below them
// was closed: an outer span that comes too late to be the request still tells
// how long its layer took.
func (s *shard) addLateHops(t *openTrace, g *group) {
	tomb := s.graves.byTrace[t.id]
	if tomb == nil || g.cyclic {
		return
	}
	for _, i := range g.members {
		if p := tomb.parent(s.build.spans[i].Key); p != nil && p.below.Known() {
			s.addLayers(t, tomb, i, *p)
		}
	}
}

// addLayers hands on the hops from span i up, above what p knows.
func (s *shard) addLayers(t *openTrace, tomb *tombstone, i int32, p unseenParent) {
	b := &s.build
	labels := p.labels.Value()
	r := &inference.Request{TraceID: t.id, Identity: labels.Identity, Result: labels.Result}
	call := &inference.Call{Identity: labels.Identity}
	root := i
	for at := i; at != none; at = b.up(at) {
		root = at
		own, kind := b.layer(&b.spans[at])
		if !own.Known() {
			continue
		}
		if kind == inference.HopGateway || p.served {
			r.Hops = b.addHop(r.Hops, at, kind, own.Minus(p.below), call)
		}
		p.below, p.served = own, kind == inference.HopGateway
	}
	if len(r.Hops) > 0 {
		s.closed = append(s.closed, r)
	}
	tomb.remember(b.spans[i].Key, false)
	tomb.addAbove(b.spans[root].ParentID, p)
}
