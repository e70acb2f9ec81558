package extract

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// nameSlots bounds the cache of names. Services write some hundred names.
const nameSlots = 2048

// nameCache remembers the meaning of names, which costs a tenth of working it
// out. A slot is written once and never again, so that records with made-up
// names can neither fill memory nor keep anyone busy with replacing. It is
// safe for concurrent use.
type nameCache struct {
	seed  maphash.Seed
	slots [nameSlots]atomic.Pointer[namedEntry]
}

type namedEntry struct {
	name string
	entry
}

func newNameCache() *nameCache { return &nameCache{seed: maphash.MakeSeed()} }

// of returns the meaning of a name.
func (c *nameCache) of(name string) entry {
	if len(name) > longestName {
		return entry{}
	}
	slot := &c.slots[maphash.String(c.seed, name)%nameSlots]
	if known := slot.Load(); known != nil {
		if known.name == name {
			return known.entry
		}
		return resolve(name)
	}
	e := resolve(name)
	slot.CompareAndSwap(nil, &namedEntry{name: strings.Clone(name), entry: e})
	return e
}
