package push

// Pair is a label, or one piece of structured metadata.
type Pair struct {
	Name, Value string
}

// Entry is one log line with its structured metadata, kept as push.proto writes them: so a push
// is put together by copying, whatever is in it. What the entries of a resource have in common is
// there once.
type Entry struct {
	// Time is the time in nanoseconds since 1970, UTC. It may be negative.
	Time int64
	// Content is the line and the metadata, from AppendLine and AppendPairs. Its strings are sent
	// as they are: Loki keeps any bytes in a line, and drops what is no UTF-8 from the values of
	// metadata.
	Content string
	// Shared is more metadata, behind that of Content.
	Shared string
	// Texts is the memory of both, nil where it is no such.
	Texts *Texts
	// Size is what Loki counts of the entry against its rate limits, in bytes: the line and the
	// names and values of the metadata, which is more than max_line_size looks at.
	Size int
}

// NewEntry returns an entry of a line and its metadata.
func NewEntry(at int64, line string, metadata []Pair) Entry {
	return Entry{Time: at, Content: string(AppendPairs(AppendLine(nil, line), metadata)), Size: len(line) + MetadataSize(metadata)}
}

// Stream is what shares one set of labels.
type Stream struct {
	// Labels is the canonical form that AppendLabels writes.
	Labels  string
	Entries []Entry
}

// overhead is what an entry costs besides its Size, in memory and on the wire, about, in bytes.
const overhead = 64

// Cost is what an entry counts in queues and batches, so that many small ones have a limit, too.
func (e *Entry) Cost() int { return e.Size + overhead }

// MetadataSize is what Loki holds against max_structured_metadata_size, in bytes.
func MetadataSize(pairs []Pair) int {
	n := 0
	for i := range pairs {
		n += len(pairs[i].Name) + len(pairs[i].Value)
	}
	return n
}
