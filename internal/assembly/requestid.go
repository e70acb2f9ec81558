package assembly

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// requestID returns what a request is called: by the outermost of the spans
// from its own down to its decisive call, for that is the one that its caller
// knows; else by another call of it.
func (b *Builder) requestID(r *inference.Request, decisive *inference.Call) (id string) {
	at := b.find(r.SpanID)
	if decisive != nil {
		at = b.find(decisive.SpanID)
	}
	for ; at != none; at = b.up(at) {
		if own := b.called(at); own != "" {
			id = own
		}
		if b.spans[at].SpanID == r.SpanID {
			break
		}
	}
	for i := 0; i < len(r.Calls) && id == ""; i++ {
		id = b.called(b.find(r.Calls[i].SpanID))
	}
	return id
}

// called returns what span i calls its request.
func (b *Builder) called(i int32) string {
	if d := b.spans[i].Details; d != nil {
		return d.RequestID
	}
	return ""
}
