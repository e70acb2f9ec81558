package engine

import "math/rand/v2"

// The error types of an engine that breaks, of a full queue, of a deadline
// that passed and of a client that went away.
const (
	ErrorEngine       = "engine_error"
	ErrorOutOfMemory  = "out_of_memory"
	ErrorQueueFull    = "429"
	ErrorTimeout      = "timeout"
	ErrorDisconnected = "client_disconnected"
)

// never is a number of tokens that no request reaches.
const never = -1

// fate is what would happen to a request if nothing else stopped it before.
type fate struct {
	// tokens is the length of the whole answer, and cut tells that it would
	// have been longer had the client allowed more.
	tokens int
	cut    bool
	// failAfter is the number of tokens after which the engine breaks, 0 for
	// a failure in prefill.
	failAfter int
	failType  string
	// leaveAfter is the number of tokens after which the client goes away.
	leaveAfter int
}

// drawFate always takes the same number of draws, so that a change of one rate
// changes no other request.
func drawFate(rng *rand.Rand, tokens int, cut bool, errorRate, abortRate float64) fate {
	f := fate{tokens: tokens, cut: cut, failAfter: never, leaveAfter: never}
	fails, failAt, failKind := rng.Float64(), rng.Float64(), rng.Float64()
	leaves, leaveAt := rng.Float64(), rng.Float64()
	if fails < errorRate {
		f.failAfter = int(failAt * float64(tokens))
		f.failType = ErrorEngine
		if failKind < 0.3 {
			f.failType = ErrorOutOfMemory
		}
		return f
	}
	// Mid-stream: after the first token and before the last.
	if leaves < abortRate && tokens > 1 {
		f.leaveAfter = 1 + int(leaveAt*float64(tokens-1))
	}
	return f
}
