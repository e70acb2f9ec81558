package assembly

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// identity names who served the call at span i. The model is that of its own
// span, else of the spans above, below, beside it, of the resource, or the
// default: never empty. Spans beside it count where all of them name one model.
func (b *Builder) identity(i int32, beside string) inference.Identity {
	o := b.spans[i].Origin.Value()
	model := cmp.Or(b.inherit(i, modelOf), b.modelBelow[i], beside, b.around(i), o.Model, b.DefaultModel, inference.UnknownModel)
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

// around returns the model that spans elsewhere below those above i name, if
// they name one.
func (b *Builder) around(i int32) string {
	for at := b.up(i); at != none && !b.modelsDiffer[at]; at = b.up(at) {
		if b.modelBelow[at] != "" {
			return b.modelBelow[at]
		}
	}
	return ""
}

// plant places spans and finds, for each, what the spans below it say.
func (b *Builder) plant(spans []dialect.Facts) {
	b.forest.plant(spans)
	b.numbers.reset()
	b.beyond = resize(b.beyond, len(spans))
	clear(b.beyond)
	b.modelsDiffer = resize(b.modelsDiffer, len(spans))
	b.versionBelow = b.below(b.versionBelow, versionOf)
	b.modelBelow = b.below(b.modelBelow, modelOf) // the last: modelsDiffer is of models
}

// below returns, for each span, what the first to start of the spans below it
// says, and marks in modelsDiffer those below which others say otherwise. A climb
// ends where another one with the same word was: together they pass each span
// twice at most.
func (b *Builder) below(found []string, of func(*dialect.Details) string) []string {
	found = resize(found, len(b.spans))
	clear(found)
	clear(b.modelsDiffer)
	b.saying = b.saying[:0]
	for i := range b.spans {
		if d := b.spans[i].Details; d != nil && of(d) != "" {
			b.saying = append(b.saying, int32(i))
		}
	}
	slices.SortFunc(b.saying, b.before)
	for _, i := range b.saying {
		b.say(found, i, of(b.spans[i].Details))
	}
	return found
}

// say passes a word of span i to the spans above it.
func (b *Builder) say(found []string, i int32, word string) {
	for at := b.up(i); at != none; at = b.up(at) {
		switch {
		case found[at] == "":
			found[at] = word
		case found[at] == word || b.modelsDiffer[at]:
			return // it was passed on from here before
		default:
			b.modelsDiffer[at] = true
		}
	}
}
