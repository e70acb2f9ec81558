package inference

// Phase is a part of a call. The phases inside a server call and PhaseOther
// add up to the call's duration.
type Phase uint8

// The phases, in the order in which a request meets them.
const (
	PhaseReceive Phase = iota
	PhasePreprocess
	PhaseQueue
	PhaseInference
	PhasePostprocess
	PhaseOther // the call's time that no phase explains
	NumPhases
)

var phaseNames = [NumPhases]string{"receive", "preprocess", "queue", "inference", "postprocess", "other"}

// String returns the value of the attribute inference.phase.
func (p Phase) String() string { return phaseNames[p] }

// Subphase is a part of a phase. Subphases have a metric of their own, so that
// phases alone add up to a call.
type Subphase uint8

// The subphases.
const (
	SubphasePrefill Subphase = iota
	SubphaseDecode
	SubphaseKVTransfer // moving the key-value cache between engines
	NumSubphases
)

var subphaseNames = [NumSubphases]string{"prefill", "decode", "kv_transfer"}

// String returns the value of the attribute inference.subphase.
func (s Subphase) String() string { return subphaseNames[s] }

// HopKind is where between the layers of a request time went.
type HopKind uint8

// The hops.
const (
	HopGateway HopKind = iota // a layer's server span less what it calls
	HopNetwork                // a client span less the server span that it reaches
)

var hopNames = [...]string{"gateway", "network"}

// String returns the value of the attribute inference.hop.
func (h HopKind) String() string { return hopNames[h] }

// Role tells from which side a call was seen.
type Role uint8

// The roles.
const (
	RoleServer Role = iota // the engine's own view
	RoleClient             // an SDK or proxy that calls the engine
)

var roleNames = [...]string{"server", "client"}

// String returns the value of the attribute inference.role.
func (r Role) String() string { return roleNames[r] }

// Outcome is how a request or call ended.
type Outcome uint8

// The outcomes.
const (
	OutcomeOK       Outcome = iota
	OutcomeError            // anything that is none of the others
	OutcomeTimeout          // a deadline passed
	OutcomeRejected         // refused before it was served: rate limit, full queue
	OutcomeAborted          // the caller went away
)

var outcomeNames = [...]string{"ok", "error", "timeout", "rejected", "aborted"}

// String returns the value of the attribute inference.outcome.
func (o Outcome) String() string { return outcomeNames[o] }

// Tristate is a fact that is known to be true, known to be false, or unknown.
type Tristate uint8

// The states; the zero value is Unknown.
const (
	Unknown Tristate = iota
	No
	Yes
)
