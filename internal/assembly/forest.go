package assembly

import "github.com/otelcol-inference/otelcol-inference/internal/dialect"

// none is no index.
const none = int32(-1)

// forest is the spans of one trace with their places: who is whose parent, and
// which outermost span each belongs to. Agents cut it: what is below an agent
// has a root of its own. It is reused from trace to trace.
type forest struct {
	spans  []dialect.Facts
	parent []int32           // index, or none: no parent, or not seen
	root   []int32           // index of the outermost span above, itself at the top
	cyclic []bool            // of a root: its spans are their own ancestors
	byID   map[[8]byte]int32 // see indexed
	above  []bool            // spans above calls
	twins  []twin            // ids that stand for others
}

// plant places spans. It keeps the slice until the next call.
func (f *forest) plant(spans []dialect.Facts) {
	n := len(spans)
	f.spans = spans
	f.parent = resize(f.parent, n)
	f.root = resize(f.root, n)
	f.cyclic = resize(f.cyclic, n)
	if f.indexed() {
		f.index()
	}
	for i := range spans {
		f.parent[i] = none
		if spans[i].ParentID != [8]byte{} {
			f.parent[i] = f.find(spans[i].ParentID)
		}
	}
	f.findRoots()
	if f.adopt() {
		f.findRoots()
	}
}

// fewSpans is how many spans are looked through for one of them, which is faster
// than an index.
const fewSpans = 16

// indexed reports whether byID is used.
func (f *forest) indexed() bool { return len(f.spans) > fewSpans || len(f.twins) > 0 }

// index makes byID.
func (f *forest) index() {
	if f.byID == nil {
		f.byID = make(map[[8]byte]int32, len(f.spans))
	}
	clear(f.byID)
	for i := range f.spans {
		// Of two spans under one id the one that says something counts.
		if known, twice := f.byID[f.spans[i].SpanID]; !twice || f.better(int32(i), known) {
			f.byID[f.spans[i].SpanID] = int32(i)
		}
	}
	for _, w := range f.twins {
		i, seen := f.byID[w.of]
		if _, itself := f.byID[w.id]; seen && !itself {
			f.byID[w.id] = i
		}
	}
}

// better reports whether of two spans under one id the first says something and
// the other one does not.
func (f *forest) better(i, than int32) bool {
	return f.spans[than].Part == dialect.PartPlain && f.spans[i].Part != dialect.PartPlain
}

// find returns the span with an id, none if there is none.
func (f *forest) find(id [8]byte) int32 {
	if f.indexed() {
		if i, seen := f.byID[id]; seen {
			return i
		}
		return none
	}
	found := none
	for i := range f.spans {
		if f.spans[i].SpanID == id && (found == none || f.better(int32(i), found)) {
			found = int32(i)
		}
	}
	return found
}

func (f *forest) findRoots() {
	for i := range f.spans {
		f.root[i], f.cyclic[i] = none, false
	}
	for i := range f.spans {
		f.climb(int32(i))
	}
}

// climb finds the root of span i. A chain that comes back to itself is cut at
// its first span, which is marked.
func (f *forest) climb(i int32) {
	top, steps := i, 0
	for f.root[top] == none && f.parent[top] != none && f.spans[f.parent[top]].Part != dialect.PartAgent {
		top = f.parent[top]
		if steps++; steps > len(f.spans) {
			f.parent[top] = none
			f.cyclic[top] = true
		}
	}
	root := top
	if f.root[top] != none {
		root = f.root[top]
	}
	for at := i; at != none && f.root[at] == none; at = f.parent[at] {
		f.root[at] = root
		if at == root {
			break
		}
	}
}

// up returns the parent of i within its request: none at its root.
func (f *forest) up(i int32) int32 {
	if f.root[i] == i {
		return none
	}
	return f.parent[i]
}

// parentSeen reports whether nothing above root i is missing: it has no
// parent, or its parent is a known agent.
func (f *forest) parentSeen(i int32) bool {
	return !f.cyclic[i] && (f.spans[i].ParentID == [8]byte{} || f.parent[i] != none)
}

// aboveCalls marks every span that has a PartCall somewhere below it.
func (f *forest) aboveCalls() []bool {
	f.above = resize(f.above, len(f.spans))
	for i := range f.spans {
		f.above[i] = false
	}
	for i := range f.spans {
		if f.spans[i].Part != dialect.PartCall {
			continue
		}
		for at := f.up(int32(i)); at != none && !f.above[at]; at = f.up(at) {
			f.above[at] = true
		}
	}
	return f.above
}

// resize returns s with length n; what it holds is undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
