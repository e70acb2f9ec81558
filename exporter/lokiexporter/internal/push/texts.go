package push

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Texts is the memory in which Content and Shared of entries lie that are made together. It is
// used again once all of them have been released; where one never is, it is garbage as any other.
type Texts struct {
	blocks  [][]byte
	slab    []Entry
	next    int // size of the next block, in bytes
	entries atomic.Int64
}

// Blocks are from 4 to 64 KiB, so that a small batch in a queue does not hold much more than it
// needs, and each size has a pool of its own.
const (
	firstBlock, mostBlock = 4 << 10, 64 << 10
	blockSizes            = 5
)

var blockPools [blockSizes]sync.Pool

func poolOf(size int) *sync.Pool { return &blockPools[bits.Len(uint(size/firstBlock))-1] }

// NewTexts returns texts without entries.
func NewTexts() *Texts { return &Texts{next: firstBlock} }

// String returns b as a string for the entries.
func (t *Texts) String(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	last := len(t.blocks) - 1
	if last < 0 || cap(t.blocks[last])-len(t.blocks[last]) < len(b) {
		if len(b) >= t.next/4 {
			return string(b)
		}
		t.blocks = append(t.blocks, block(t.next))
		t.next = min(2*t.next, mostBlock)
		last++
	}
	start := len(t.blocks[last])
	t.blocks[last] = append(t.blocks[last], b...)
	return unsafe.String(&t.blocks[last][start], len(b)) //nolint:gosec // the block does not move, and is written once
}

func block(size int) []byte {
	if known, ok := poolOf(size).Get().(*byte); ok {
		return unsafe.Slice(known, size)[:0] //nolint:gosec // only blocks of this size are put there
	}
	return make([]byte, 0, size)
}

var slabs sync.Pool // of *[]Entry

// Entries returns room for the entries, empty ones. It is called once, and all of them are to be
// released.
func (t *Texts) Entries(n int) []Entry {
	t.entries.Store(int64(n))
	// One that is much too large would stay with few entries for as long as they wait.
	if known, ok := slabs.Get().(*[]Entry); ok && cap(*known) >= n && cap(*known) <= 4*n {
		t.slab = (*known)[:n]
	} else {
		t.slab = make([]Entry, n)
	}
	return t.slab
}

// Release ends the use of the entries of streams, at which nobody may look any more.
func Release(streams []Stream) {
	for i := range streams {
		s := &streams[i]
		for len(s.Entries) > 0 {
			texts, n := s.Entries[0].Texts, 1
			for n < len(s.Entries) && s.Entries[n].Texts == texts {
				n++
			}
			if texts != nil {
				texts.release(n)
			}
			s.Entries = s.Entries[n:]
		}
	}
}

// release clears what was there once the last entry is, so that a mistake would send nothing of
// others.
func (t *Texts) release(entries int) {
	if t.entries.Add(-int64(entries)) != 0 {
		return
	}
	for _, b := range t.blocks {
		b = b[:cap(b)]
		clear(b)
		poolOf(len(b)).Put(&b[0])
	}
	clear(t.slab)
	slabs.Put(&t.slab)
	t.blocks = nil
}
