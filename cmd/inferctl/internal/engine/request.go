package engine

import "time"

// Milestone is a point in the life of a request. They are reached in this order,
// and a request that fails skips straight to [Ended] (through [Generated] if it
// was on a GPU).
type Milestone int

const (
	// Arrived is when the first byte of the request came in.
	Arrived Milestone = iota
	// Received ends the receive phase: the whole request is there.
	Received
	// Preprocessed ends the preprocess phase: the request enters the queue.
	Preprocessed
	// Scheduled ends the queue phase: a GPU takes the request into its batch.
	Scheduled
	// FirstToken is when the first output token is out.
	FirstToken
	// Generated ends the inference phase, also for a request that fails in it.
	Generated
	// Postprocessed ends the postprocess phase.
	Postprocessed
	// Ended is when the last byte of the answer has left.
	Ended

	milestones
)

// Outcome is how a request ended.
type Outcome string

// The outcomes of a request.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "error"
	TimedOut Outcome = "timeout"
	Rejected Outcome = "rejected"
	Aborted  Outcome = "aborted"
)

// The finish reasons of a successful request.
const (
	FinishStop   = "stop"
	FinishLength = "length"
)

// Request is one request and what has become of it so far.
type Request struct {
	// Index counts requests from 0 in the order of their arrival.
	Index int
	// Model serves the request.
	Model Model
	// InputTokens is the length of the prompt.
	InputTokens int
	// OutputTokens is the number of tokens generated so far.
	OutputTokens int
	// MaxTokens is the most output tokens that the client allows.
	MaxTokens int
	// BatchSize is the number of sequences, this one included, in the step
	// that took the request in. 0 before [Scheduled].
	BatchSize int
	// FinishReason says why generation stopped; empty unless it stopped well.
	FinishReason string
	// Outcome is valid from [Ended] on, and from [Generated] on for a request
	// that fails on the GPU.
	Outcome Outcome
	// ErrorType says what went wrong; empty for [OK].
	ErrorType string

	fate    fate
	at      [milestones]time.Duration
	reached [milestones]bool
}

// At is the time of a milestone; false if the request has not reached it.
func (r *Request) At(m Milestone) (time.Duration, bool) {
	return r.at[m], r.reached[m]
}

// Between is the time from one milestone to another; false unless both were reached.
func (r *Request) Between(from, to Milestone) (time.Duration, bool) {
	return r.at[to] - r.at[from], r.reached[from] && r.reached[to]
}

// Has tells if the request has reached a milestone.
func (r *Request) Has(m Milestone) bool { return r.reached[m] }

// Moment is a request reaching a milestone.
type Moment struct {
	Request   *Request
	Milestone Milestone
	At        time.Duration
}
