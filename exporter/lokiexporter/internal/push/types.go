package push

// Pair is a label, or one piece of structured metadata.
type Pair struct {
	Name, Value string
}

// Entry is one log line. Its strings are sent as they are: Loki keeps any bytes in a line, and
// drops what is no UTF-8 from the values of metadata.
type Entry struct {
	// Time is the time in nanoseconds since 1970, UTC. It may be negative.
	Time int64
	Line string
	// Metadata is the structured metadata, in the order in which it is sent.
	Metadata []Pair
}

// Stream is what shares one set of labels.
type Stream struct {
	// Labels is the canonical form that AppendLabels writes.
	Labels  string
	Entries []Entry
}

// Size is what Loki counts of an entry against its rate limits, in bytes: the line and the names
// and values of the metadata, which is more than max_line_size looks at.
func Size(e *Entry) int {
	return len(e.Line) + MetadataSize(e.Metadata)
}

// MetadataSize is what Loki holds against max_structured_metadata_size, in bytes.
func MetadataSize(pairs []Pair) int {
	n := 0
	for i := range pairs {
		n += len(pairs[i].Name) + len(pairs[i].Value)
	}
	return n
}
