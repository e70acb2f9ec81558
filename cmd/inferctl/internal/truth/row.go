package truth

// outcomeOK is the outcome of what ended well.
const outcomeOK = "ok"

// Request is what a request's spans say about it as a whole.
type Request struct {
	Outcome   string
	ErrorType string
	// Duration is of the span that stands for the request; 0 if an observer
	// cannot tell it from other traffic.
	Duration float64
	// FirstToken is the time from its start to the first token; 0 if none.
	FirstToken float64
	// HasCall tells if there is a span of the call.
	HasCall bool
}

// Call is what the span of a server call says.
type Call struct {
	Outcome   string
	ErrorType string
	// FinishReason is empty if the span has none.
	FinishReason              string
	InputTokens, OutputTokens int
	// Duration and FirstToken are seconds from the call's arrival; 0 if unknown.
	Duration, FirstToken float64
	// Generating is the time in seconds from the first token to the last.
	Generating float64
}

// AddRequest books a request that has ended.
func (r *Row) AddRequest(q Request) {
	r.requests++
	r.outcomes[q.Outcome]++
	if !q.HasCall {
		r.requestsWithoutCall++
		count(r.errorTypes, q.ErrorType)
	}
	r.requestDuration.add(q.Duration)
	if q.Outcome == outcomeOK {
		r.requestFirstToken.add(q.FirstToken)
	}
}

// AddCall books a call that has ended.
func (r *Row) AddCall(c Call) {
	r.calls++
	r.callOutcomes[c.Outcome]++
	count(r.errorTypes, c.ErrorType)
	count(r.finishReasons, c.FinishReason)
	r.inputTokens += c.InputTokens
	r.outputTokens += c.OutputTokens
	r.callDuration.add(c.Duration)
	r.callFirstToken.add(c.FirstToken)
	if c.OutputTokens > 1 {
		r.perOutputTokens.add(c.Generating / float64(c.OutputTokens-1))
	}
}

// AddPhase books one phase of a call in seconds.
func (r *Row) AddPhase(name string, seconds float64) { addTo(r.phases, name, seconds) }

// AddSubphase books one part of a phase in seconds.
func (r *Row) AddSubphase(name string, seconds float64) { addTo(r.subphases, name, seconds) }

func addTo(sets map[string]*samples, name string, seconds float64) {
	if sets[name] == nil {
		sets[name] = &samples{}
	}
	sets[name].add(seconds)
}

func count(counts map[string]int, name string) {
	if name != "" {
		counts[name]++
	}
}
