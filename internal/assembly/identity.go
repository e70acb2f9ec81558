package assembly

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// identity names who served the call at span i. The model is that of its own
// span, else of the spans above, below, beside it, of the resource, or the
// default: never empty.
func (b *Builder) identity(i int32, beside string) inference.Identity {
	o := b.spans[i].Origin.Value()
	model := cmp.Or(b.inherit(i, modelOf), b.modelBelow[i], beside, o.Model, b.DefaultModel, inference.UnknownModel)
	version := cmp.Or(b.inherit(i, versionOf), b.versionBelow[i], o.ModelVersion)
	return inference.Identity{
		ServiceName:      o.ServiceName,
		ServiceNamespace: o.ServiceNamespace,
		Environment:      o.Environment,
		Model:            model,
		ModelVersion:     version,
	}
}

func modelOf(d *dialect.Details) string   { return d.Model }
func versionOf(d *dialect.Details) string { return d.ModelVersion }

// inherit returns what span i or the nearest span above it says, agents and
// what is above them included.
func (b *Builder) inherit(i int32, of func(*dialect.Details) string) string {
	for steps := 0; i != none && steps <= len(b.spans); steps++ {
		if d := b.spans[i].Details; d != nil {
			if s := of(d); s != "" {
				return s
			}
		}
		i = b.parent[i]
	}
	return ""
}

// plant places spans and finds, for each, what the spans below it say.
func (b *Builder) plant(spans []dialect.Facts) {
	b.forest.plant(spans)
	b.beyond = resize(b.beyond, len(spans))
	clear(b.beyond)
	b.modelBelow = b.below(b.modelBelow, modelOf)
	b.versionBelow = b.below(b.versionBelow, versionOf)
}

// below returns, for each span, what the first to start of the spans below it
// says. A climb ends where another one was: all of them together pass each span
// once.
func (b *Builder) below(found []string, of func(*dialect.Details) string) []string {
	found = resize(found, len(b.spans))
	clear(found)
	b.saying = b.saying[:0]
	for i := range b.spans {
		if d := b.spans[i].Details; d != nil && of(d) != "" {
			b.saying = append(b.saying, int32(i))
		}
	}
	slices.SortFunc(b.saying, b.before)
	for _, i := range b.saying {
		for at := b.up(i); at != none && found[at] == ""; at = b.up(at) {
			found[at] = of(b.spans[i].Details)
		}
	}
	return found
}
