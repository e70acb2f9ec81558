package assembly

import (
	"cmp"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// dimensionsOf returns the values of the configured dimensions for what span i is, in the request
// that span other, or none, belongs to, too: each from the first of i, other, what is above i and above other,
// and their resources that may state it and does, else its default.
func (b *Builder) dimensionsOf(i, other int32) inference.Dimensions {
	if len(b.Dimensions) == 0 {
		return ""
	}
	if other == i {
		other = none
	}
	spans := [2]inference.Dimensions{b.stated(i), b.stated(other)}
	parents := [2]inference.Dimensions{b.stated(b.parentOf(i)), b.stated(b.parentOf(other))}
	resources := [2]inference.Dimensions{b.spans[i].Origin.Value().Dimensions}
	if other != none {
		resources[1] = b.spans[other].Origin.Value().Dimensions
	}
	b.dimensions.Begin()
	for d := range b.Dimensions {
		if d > 0 {
			b.dimensions.Next()
		}
		span, parent, resource := next(&spans), next(&parents), next(&resources)
		switch b.Dimensions[d].From {
		case inference.FromSpan:
			parent, resource = "", ""
		case inference.FromParent:
			span, resource = "", ""
		case inference.FromResource:
			span, parent = "", ""
		}
		b.dimensions.Add(cmp.Or(span, parent, resource, b.Dimensions[d].Default))
	}
	return b.dimensions.End()
}

// next cuts the next value off both and returns the first that is there.
func next(of *[2]inference.Dimensions) string {
	first, rest := of[0].Cut()
	second, others := of[1].Cut()
	of[0], of[1] = rest, others
	return cmp.Or(first, second)
}

// stated returns what span i itself states.
func (b *Builder) stated(i int32) inference.Dimensions {
	if i == none || b.spans[i].Details == nil || b.spans[i].Details.Extra == nil {
		return ""
	}
	return b.spans[i].Details.Extra.Dimensions
}

// parentOf returns the span directly above i, an agent's, too.
func (b *Builder) parentOf(i int32) int32 {
	if i == none {
		return none
	}
	return b.parent[i]
}

// requestDimensions returns those of the request at span i: what its own span does not state, its
// last successful call does.
func (b *Builder) requestDimensions(i int32, decisive *inference.Call) inference.Dimensions {
	call := none
	if decisive != nil {
		call = b.find(decisive.SpanID)
	}
	return b.dimensionsOf(i, call)
}

// inheritDimensions gives a late part what was observed of its request, where the part itself
// states nothing.
func (b *Builder) inheritDimensions(own, was inference.Dimensions) inference.Dimensions {
	if len(b.Dimensions) == 0 || own == was {
		return own
	}
	b.dimensions.Begin()
	for d := range b.Dimensions {
		if d > 0 {
			b.dimensions.Next()
		}
		var value, before string
		value, own = own.Cut()
		before, was = was.Cut()
		if value == "" || value == b.Dimensions[d].Default {
			value = cmp.Or(before, value)
		}
		b.dimensions.Add(value)
	}
	return b.dimensions.End()
}

// semconvOf returns the attributes that the semantic conventions ask for of the call at span i. The
// provider is the engine, and the model that of the call, where the span names none.
func (b *Builder) semconvOf(i int32, c *inference.Call) inference.Dimensions {
	if !b.Semconv {
		return ""
	}
	var stated [inference.NumSemconvAttributes]string
	if d := b.spans[i].Details; d != nil && d.Extra != nil {
		rest := d.Extra.Semconv
		for k := range stated {
			stated[k], rest = rest.Cut()
		}
	}
	provider, model := &stated[inference.SemconvProvider], &stated[inference.SemconvRequestModel]
	*provider = cmp.Or(*provider, c.Identity.Engine)
	if *model == "" && stated[inference.SemconvResponseModel] == "" && c.Identity.Model != inference.UnknownModel {
		*model = c.Identity.Model
	}
	b.dimensions.Begin()
	for k := range stated {
		if k > 0 {
			b.dimensions.Next()
		}
		b.dimensions.Add(cmp.Or(stated[k], inference.SemconvAttributes[k].Default))
	}
	return b.dimensions.End()
}
