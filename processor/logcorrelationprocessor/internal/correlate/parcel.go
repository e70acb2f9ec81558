package correlate

import (
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// State is how a record left.
type State uint8

// The states, in the words of the attribute correlation.state.
const (
	StateNoID      State = iota // the record names neither a trace nor a request
	StateJoined                 // the facts of its request were complete
	StatePartial                // its trace is known, its request is not, or not wholly
	StateUnmatched              // nothing is known of its trace
	StateAmbiguous              // its request id, or half trace id, is that of several live traces
	StateEvicted                // it left before its time because of a limit
	NumStates
)

var stateNames = [NumStates]string{"no_id", "joined", "partial", "unmatched", "ambiguous", "evicted"}

func (s State) String() string { return stateNames[s] }

// Cause is why a held record left.
type Cause uint8

// The causes.
const (
	CauseComplete Cause = iota // its request's facts are complete
	CauseDeadline
	CauseMaxHeldBytes
	CauseMaxHeldPerTrace
	CauseShutdown
	NumCauses
)

var causeNames = [NumCauses]string{"complete", "deadline", "max_held_bytes", "max_held_per_trace", "shutdown"}

func (c Cause) String() string { return causeNames[c] }

// Query is what a record says of itself.
type Query struct {
	Trace [16]byte // zero: none
	// Low64 says that only the lower half of Trace is known.
	Low64 bool
	Span  [8]byte // zero: none
	// Keys are the forms of its request id, the most specific first.
	Keys []Key
	// Own is how many of them are of ids that no other request has. By those behind them a trace
	// is only guessed as long as they may name another.
	Own int
}

// None tells that the record names nothing.
func (q *Query) None() bool { return q.Trace == [16]byte{} && len(q.Keys) == 0 }

// Answer is what is known about a record.
type Answer struct {
	State State
	// Trace is known where State is joined or partial, and may be where it is evicted; it may
	// be of the record itself or found by its request id.
	Trace   [16]byte
	Facts   *Facts // nil: of the request nothing is known
	Failed  bool   // a span of the trace failed
	Sampled Sampled
	// Final says that waiting would add nothing.
	Final bool
	// Guess says that the trace was found by an id that several requests may have, and that the
	// record has one of its own, which is not known.
	Guess bool
}

// Parcel is records that wait together: of one batch and resource, about the same request.
//
// While it waits it counts as len(Data), overhead bytes, and perKey bytes and its text for each
// of Query.Keys. That is what it takes of the heap, but for what Go rounds sizes up by.
type Parcel struct {
	Query   Query
	Logs    plog.Logs // the records, until they are marshalled
	Data    []byte
	Head    *Head // what it shares with others of its batch
	Records int
	// Owner is for the caller: to whom it belongs.
	Owner    any
	Arrived  time.Time
	Deadline time.Time
	// Answer, Cause and Left are set when the parcel is released.
	Answer Answer
	Cause  Cause
	Left   time.Time

	seq     uint64 // of all that arrived
	bytes   int64  // what it counts as
	age     node[*Parcel]
	waiting []waiter // by what it waits for
	due     int      // index in the heap
}

// Head is the resource and scope of parcels of one batch, marshalled.
type Head struct{ Data []byte }

// What a parcel costs beside its data.
const (
	overhead = 640 // itself and its places
	perKey   = 256 // its key, its place and a list for it
)

func (p *Parcel) size() int64 {
	n := len(p.Data) + overhead
	if p.Head != nil { // as if it were its own: it may be the last that has it
		n += len(p.Head.Data)
	}
	for i := range p.Query.Keys {
		n += perKey + len(p.Query.Keys[i].Text)
	}
	return int64(n)
}
