package dialect

// Mark is a point in the life of a request that an engine writes as an event.
type Mark uint8

// The marks.
const (
	MarkReceiveStart Mark = iota // the first byte came
	MarkReceiveEnd
	MarkSendEnd // the last byte left
	MarkQueueStart
	MarkComputeStart
	MarkInputEnd
	MarkOutputStart
	MarkComputeEnd
	numMarks
)

// Marks are points in time in Unix nanoseconds, of one clock; 0 is unknown.
// They may lie on other spans than those they are about, and before them.
type Marks struct {
	At [numMarks]int64
	// FirstResponse is when the first of several responses was complete; 0
	// where there was one response.
	FirstResponse int64
}

// Merge takes over what m does not know.
func (m *Marks) Merge(from *Marks) {
	for i, at := range from.At {
		if m.At[i] == 0 {
			m.At[i] = at
		}
	}
}

// Between returns the seconds from one mark to another, 0 unless both are known
// and in order.
func (m *Marks) Between(from, to Mark) float64 {
	start, end := m.At[from], m.At[to]
	if start == 0 || end <= start {
		return 0
	}
	return float64(end-start) / 1e9
}
