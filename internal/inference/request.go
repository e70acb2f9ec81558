package inference

// Identity names who served: the attributes that tell one service from
// another and one model from another. It is comparable.
type Identity struct {
	ServiceName      string
	ServiceNamespace string // empty when the resource has none
	Environment      string // deployment.environment.name; empty when the resource has none
	Model            string // never empty in a finished Request or Call
	ModelVersion     string // empty when unknown
	Engine           string // name of the dialect that told most
	Dimensions       Dimensions
}

// Result is how a request or call ended. It is comparable.
type Result struct {
	Outcome   Outcome
	ErrorType string // error.type; empty when the outcome is ok
	Streaming Tristate
}

// Call is one call to a model seen from one side.
type Call struct {
	SpanID [8]byte
	Role   Role
	// Outer says that another call lies below this one: the same call, seen
	// from further out.
	Outer bool
	// Buffered says that something between this caller and its engine held the
	// stream back.
	Buffered     bool
	Identity     Identity
	Result       Result
	Start        int64 // Unix nanoseconds on the clock of the process that wrote the span
	Duration     Measure
	TTFT         Measure // time to first token, from the arrival that this side saw
	TPOT         Measure // time per output token after the first
	Phases       [NumPhases]Measure
	Subphases    [NumSubphases]Measure
	InputTokens  Count
	OutputTokens Count
	CachedTokens Count // part of InputTokens
	BatchSize    Count // requests computed together
	FinishReason string
	// Semconv are the values of SemconvAttributes; empty where they were not
	// asked for.
	Semconv Dimensions
}

// Hop is time between two layers of a request.
type Hop struct {
	Kind     HopKind
	SpanID   [8]byte  // the span of the outer layer
	Identity Identity // the outer layer's service, the call's model and engine
	Duration Measure
}

// Request is what a user of the service waits for, with the calls it made.
type Request struct {
	TraceID  [16]byte
	SpanID   [8]byte // the request span; zero when it was not seen
	Seen     bool    // the request span was seen: the request itself can be observed
	Identity Identity
	Result   Result
	Start    int64 // Unix nanoseconds; of the decisive call when the span was not seen
	Duration Measure
	TTFT     Measure // request start to first token of the last successful call
	Calls    []Call  // by start time
	Hops     []Hop
	Retries  int // calls after a failed one to the same model
	// Phases of a request whose call is lost or was never made; all absent
	// when there are calls.
	Phases       [NumPhases]Measure
	InputTokens  Count // once per request, whatever the number of views
	OutputTokens Count
	CachedTokens Count
	FinishReason string
	// RequestID is what its spans call it; empty where they do not, or where it
	// was not asked for.
	RequestID    string
	SiteMeasures []SiteMeasure
}

// SiteMeasure is a value of a measure that a site defines, of a span of a request.
type SiteMeasure struct {
	Index    int // among the site's measures
	SpanID   [8]byte
	Identity Identity // the span's service, the request's or call's model and engine
	Result   Result   // of the request, or the call that the span is
	Value    float64  // finite and not below zero
}

// PhaseCall returns the call whose phases are told as the request's, nil if
// there is none: a successful one before others, of those one with no view of
// the same call below it, of those one that its engine tells of, and of those
// the last.
func (r *Request) PhaseCall() *Call {
	var best *Call
	top := -1
	for i := range r.Calls {
		c := &r.Calls[i]
		rank := 0
		if c.Result.Outcome == OutcomeOK {
			rank = 4
		}
		if !c.Outer {
			rank += 2
		}
		if c.Role == RoleServer {
			rank++
		}
		if rank >= top {
			best, top = c, rank
		}
	}
	return best
}

// Clone returns a copy that shares nothing with r that changes.
func (r *Request) Clone() *Request {
	c := *r
	c.Calls, c.Hops = append([]Call(nil), r.Calls...), append([]Hop(nil), r.Hops...)
	c.SiteMeasures = append([]SiteMeasure(nil), r.SiteMeasures...)
	return &c
}

// SlowestPhase returns the longest of phases and true, or false unless queue
// and inference are both known: a maximum over half of the parts says nothing.
func SlowestPhase(phases *[NumPhases]Measure) (Phase, bool) {
	if !phases[PhaseQueue].Known() || !phases[PhaseInference].Known() {
		return 0, false
	}
	slowest := PhaseQueue
	for p := range NumPhases {
		if phases[p].Seconds > phases[slowest].Seconds {
			slowest = p
		}
	}
	return slowest, true
}
