package assembly

import (
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// addSiteMeasures gives each request what its spans state of a site's own measures. Spans of no request,
// as those of an agent or around the request, have none.
func (b *Builder) addSiteMeasures(members []int32, requests []*inference.Request) {
	if !b.Measures {
		return
	}
	for _, i := range members {
		d := b.spans[i].Details
		if d == nil || d.Extra == nil || len(d.Extra.Measures) == 0 {
			continue
		}
		r := b.requestWith(i, requests)
		if r == nil {
			continue
		}
		m := inference.SiteMeasure{SpanID: b.spans[i].SpanID, Identity: r.Identity, Result: r.Result}
		if k := slices.IndexFunc(r.Calls, func(c inference.Call) bool { return c.SpanID == m.SpanID }); k >= 0 {
			m.Identity, m.Result = r.Calls[k].Identity, r.Calls[k].Result
		} else {
			o := b.spans[i].Origin.Value()
			m.Identity.ServiceName, m.Identity.ServiceNamespace, m.Identity.Environment = o.ServiceName, o.ServiceNamespace, o.Environment
			m.Identity.Dimensions = b.inheritDimensions(b.dimensionsOf(i, b.requestOf(i)), r.Identity.Dimensions)
		}
		for _, stated := range d.Extra.Measures {
			m.Index, m.Value = stated.Index, stated.Value
			r.SiteMeasures = append(r.SiteMeasures, m)
		}
	}
}

// requestWith returns the request that span i is part of: that of the span at which it starts, or the one
// whose span was not seen; nil if there is none.
func (b *Builder) requestWith(i int32, requests []*inference.Request) *inference.Request {
	at := b.requestOf(i)
	if at == none && b.callsBelow[i] > 0 {
		return nil // around the request
	}
	for _, r := range requests {
		if r.Seen == (at != none) && (at == none || r.SpanID == b.spans[at].SpanID) {
			return r
		}
	}
	return nil
}
