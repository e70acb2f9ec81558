package ids

// Reason says what became of a value. Only Invalid is worth counting: an
// absent id is how most loggers write "no trace".
type Reason uint8

const (
	// OK says that the id was read.
	OK Reason = iota
	// Absent says that the value is empty, zero or a placeholder, or that the
	// source declared it to be no id of ours.
	Absent
	// Invalid says that something is written that is no id of this spelling.
	// The record passes on with its field as it is.
	Invalid
)

func (r Reason) String() string {
	switch r {
	case OK:
		return "ok"
	case Absent:
		return "absent"
	default:
		return "invalid"
	}
}
