// Package correlate remembers what traces know about their requests, and holds the records
// that wait for it. It has no clock and no goroutine: the caller brings both.
//
// What it takes of the heap, in bytes, at most:
//
//	traces × 1024 + spans × 512 + request ids × 256 + Stats.HeldBytes × 9/8
//
// A request id is one of its forms, of which most have two. A trace of three spans and one
// request id takes 3 KB; spans and ids of all traces are bounded by 10 and 8 for each that may
// be remembered. What a record counts as while it waits is said at Parcel.
package correlate

// The terms of the formula above, for a test that measures them.
const (
	bytesPerTrace = 1024
	bytesPerSpan  = 512
	bytesPerKey   = 256
)
