package entry

import (
	"hash/fnv"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// maxName is the longest name of metadata; the end of a longer one is a hash.
const maxName = 256

// sanitise returns the name under which Loki keeps an attribute: every run of characters other
// than letters and digits is one underscore, a digit does not come first. A name of which
// nothing is left would have Loki refuse everything that came with it; it is attr_ and a hash.
//
// VictoriaLogs, which takes the same pushes, has names of its own; an attribute of one of them would
// be lost there, or be the line.
//
// Loki leaves __x__ as it is, and so are the names called by which it passes its own errors
// through queries. Here they become _x_.
func sanitise(name string) string { return string(appendSanitised(nil, name)) }

func appendSanitised(dst []byte, name string) []byte {
	start, found := len(dst), false
	for i := range len(name) {
		switch c := name[i]; {
		case alphanumeric(c):
			if len(dst) == start && c >= '0' && c <= '9' {
				dst = append(dst, "key_"...)
			}
			dst, found = append(dst, c), true
		case len(dst) == start || dst[len(dst)-1] != '_':
			dst = append(dst, '_')
		}
		if len(dst)-start > maxName {
			break
		}
	}
	switch {
	case !found:
		return appendHash(append(dst[:start], "attr"...), name)
	case len(dst)-start > maxName:
		return appendHash(dst[:start+maxName-len("_12345678")], name)
	case slices.Contains(reservedNames, string(dst[start:])):
		return appendPart(dst, suffixes[fromRecord])
	default:
		return dst
	}
}

// reservedNames are what VictoriaLogs calls line, time and labels.
var reservedNames = []string{"_msg", "_time", "_stream", "_stream_id"}

// appendHash appends eight digits behind an underscore.
func appendHash(dst []byte, name string) []byte {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	var digits [16]byte
	return appendPart(dst, strconv.AppendUint(digits[:0], uint64(h.Sum32())|1<<32, 16)[1:])
}

// appendPart appends a part of a name behind one underscore.
func appendPart[T string | []byte](dst []byte, part T) []byte {
	if n := len(dst); n == 0 || dst[n-1] != '_' {
		dst = append(dst, '_')
	}
	return append(dst, part...)
}

// name is a name of metadata that is ready to be used.
type name struct {
	text string
	// head is the name as it stands in an entry before the length of its value; empty where it
	// is not kept.
	head string
	// bit is a small hash of text: what differs in it is not equal.
	bit uint8
	// poison says that nothing was left of the name.
	poison bool
	// sources has a bit for each entry of Config.Labels that takes its value from here.
	sources [len(suffixes)]uint32
}

func bitOf(text string) uint8 {
	// The ends of names differ most.
	h := uint32(len(text))
	for i := max(0, len(text)-6); i < len(text); i++ {
		h = h*31 + uint32(text[i])
	}
	return uint8(h ^ h>>8)
}

func newName(text string) *name { return &name{text: text, bit: bitOf(text)} }

// lasting is newName for a name that is used often.
func lasting(text string) *name {
	n := newName(text)
	n.head = push.PairHead(text)
	return n
}

const (
	nameSlots  = 4096
	nameProbes = 4
)

// nameCache remembers sanitised names. A slot is written once and never again, so that made-up
// names can neither fill memory nor keep anyone busy with replacing. It is safe for concurrent
// use.
type nameCache struct {
	sources []source
	seed    maphash.Seed
	slots   [nameSlots]atomic.Pointer[cachedName]
}

// mostRemembered is how many attributes of a record are remembered.
const mostRemembered = 64

// at returns the name of the attribute at a place of a record.
func (b *batch) at(place int, raw string) *name {
	if place < len(b.remembered) {
		if known := b.remembered[place]; known != nil && known.raw == raw {
			return &known.name
		}
	}
	known := b.c.names.find(raw)
	if known == nil {
		return b.c.names.of(raw, b)
	}
	if place < mostRemembered {
		for len(b.remembered) <= place {
			b.remembered = append(b.remembered, nil)
		}
		b.remembered[place] = known
	}
	return &known.name
}

type cachedName struct {
	raw string
	name
}

func newNameCache(sources []source) *nameCache {
	return &nameCache{sources: sources, seed: maphash.MakeSeed()}
}

// of returns the name of an attribute. What has no place in the cache is the batch's, for as long
// as a value.
func (c *nameCache) of(raw string, b *batch) *name {
	if known := c.find(raw); known != nil {
		return &known.name
	}
	b.scratch = appendSanitised(b.scratch[:0], raw)
	return c.resolve(raw, b.temp.string(b.scratch))
}

// find returns what is cached of a name, and caches it where there is a place; nil where there is
// none.
func (c *nameCache) find(raw string) *cachedName {
	if len(raw) > maxName {
		return nil
	}
	h := maphash.String(c.seed, raw)
	for i := range uint64(nameProbes) {
		slot := &c.slots[(h+i)%nameSlots]
		known := slot.Load()
		if known == nil {
			made := &cachedName{raw: strings.Clone(raw), name: *c.resolve(raw, sanitise(raw))}
			made.head = push.PairHead(made.text)
			slot.CompareAndSwap(nil, made)
			return made
		}
		if known.raw == raw {
			return known
		}
	}
	return nil
}

func (c *nameCache) resolve(raw, text string) *name {
	n := newName(text)
	n.poison = poisonous(raw)
	for i := range c.sources {
		s := &c.sources[i]
		if raw != "" && s.Attribute == raw {
			n.sources[fromRecord] |= 1 << i
		}
		if raw != "" && s.Resource == raw {
			n.sources[fromResource] |= 1 << i
		}
	}
	return n
}

// poisonous reports whether a name has nothing that Loki takes.
func poisonous(raw string) bool {
	for i := range len(raw) {
		if alphanumeric(raw[i]) {
			return false
		}
	}
	return true
}
