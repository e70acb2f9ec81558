package correlate

import (
	"sync/atomic"
	"time"
)

// Config bounds a Core. All limits are at least 1.
type Config struct {
	MaxTraces        int
	MaxSpansPerTrace int
	MaxHeldBytes     int64
	MaxHeldPerTrace  int // records
	// TTL is how long a trace is remembered after its last span.
	TTL time.Duration
	// Linger is how long the engine's own span is waited for where only its caller's is known.
	Linger time.Duration
	// Sampling tells whether there is a sampler behind that tells what it keeps; nil: there is
	// none. It is called with the lock of the Core held.
	Sampling func() bool
	// SampledAfter is how long after a trace is complete it is waited for.
	SampledAfter time.Duration
	// WaitForSampled holds records until sampling is decided.
	WaitForSampled bool
	DefaultModel   string
}

const (
	// maxKeysPerTrace bounds the request ids of one trace, in all their forms.
	maxKeysPerTrace = 256

	// All traces together may have so many spans and request ids for each trace that may be
	// remembered; beyond it the oldest traces are forgotten. Most have three and two.
	meanSpans = 10
	meanKeys  = 8
)

// maxSpans bounds the spans of all traces. One trace always has room.
func (cfg *Config) maxSpans() int { return max(cfg.MaxSpansPerTrace, meanSpans*cfg.MaxTraces) }

// maxKeys bounds the request ids of all traces.
func (cfg *Config) maxKeys() int { return max(maxKeysPerTrace, meanKeys*cfg.MaxTraces) }

func (cfg *Config) sampling() bool { return cfg.Sampling != nil && cfg.Sampling() }

// Stats are the numbers of a Core, to be read at any time.
type Stats struct {
	// Traces, HeldRecords, HeldBytes and RequestIDs are what is there now. HeldBytes counts
	// what a record costs beside its data, too; see Parcel.
	Traces, HeldRecords, HeldBytes, RequestIDs atomic.Int64
	// EvictedTraces were forgotten before their TTL, by any limit on all traces together.
	EvictedTraces, RefusedSpans, RefusedIDs atomic.Int64
	LateSpans                               atomic.Int64 // of traces that were complete; the same span again is none
	Released                                [NumCauses]atomic.Int64
}
