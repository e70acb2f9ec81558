// Package xid says what the driver's Xid codes mean to whoever operates the
// machine.
package xid

import "go.opentelemetry.io/collector/pdata/plog"

// Unidentified is the code NVML hands out when an event arrived but its Xid
// could not be determined (nvmlEventData_t.eventData in nvml.h).
const Unidentified = 999

// Meaning is what an Xid code tells. It is the same for every GPU: the
// numbers in the kernel log next to the code may narrow it down.
type Meaning struct {
	// Text is one sentence, ready for the body of a log record: what happened,
	// and who should act.
	Text string
	// Severity is WARN where an application caused it or can continue after a
	// restart, ERROR where damage was contained or somebody should look, FATAL
	// where the GPU is unusable until a reset, a reboot or a replacement, and
	// INFO where nothing needs to be done.
	Severity plog.SeverityNumber
	// Known is false for a code that is not in the table, and for Unidentified.
	Known bool
}

// Lookup returns the meaning of an Xid code. It never fails: an unknown code
// has a text and a severity too. It is safe for concurrent use.
func Lookup(code uint64) Meaning {
	if m, ok := table[code]; ok {
		return m
	}
	text := "The driver reported an Xid that is not in this table; look it up in NVIDIA's Xid catalog and read the kernel log."
	if code == Unidentified {
		text = "The driver reported an error but could not say which Xid it was; read the kernel log."
	}
	return Meaning{Text: text, Severity: plog.SeverityNumberError}
}
