package requestlog

import (
	"math"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// service is whose request it was: the resource of its record.
type service struct{ name, namespace, environment string }

// entry is what is told of one request: plain values, so that a buffer of them is one piece of
// memory. An absent measure is 0, as no measure is.
type entry struct {
	service   service
	traceID   [16]byte
	spanID    [8]byte
	ended     int64 // Unix nanoseconds; 0: not known
	outcome   inference.Outcome
	errorType string

	requestID, model, modelVersion string
	finishReason, slowest          string

	input, output, cached inference.Count
	ms                    [numTimes]float64
}

// entryTime is one of the times of a request.
type entryTime uint8

// The times, in the order of the record.
const (
	timePreprocess entryTime = iota
	timeQueue
	timeInference
	timePostprocess
	timeTotal
	timeTTFT
	timeTPOT
	numTimes
)

var timeKeys = [numTimes]string{
	"preprocess_time_ms", "queue_time_ms", "inference_time_ms", "postprocess_time_ms", "total_time_ms", "ttft_ms", "tpot_ms",
}

// set makes a time known.
func (e *entry) set(t entryTime, m inference.Measure) {
	if m.Known() {
		e.ms[t] = milliseconds(m)
	}
}

// milliseconds rounds to whole microseconds.
func milliseconds(m inference.Measure) float64 { return math.Round(m.Seconds*1e6) / 1e3 }

// entryOf returns what is told of a request that was seen. The phases are those of one call, as
// log_correlation writes them on other records of the request.
func entryOf(r *inference.Request) entry {
	e := entry{
		service: service{r.Identity.ServiceName, r.Identity.ServiceNamespace, r.Identity.Environment},
		traceID: r.TraceID, spanID: r.SpanID, ended: ended(r),
		outcome: r.Result.Outcome, errorType: r.Result.ErrorType,
		requestID: r.RequestID, model: r.Identity.Model, modelVersion: r.Identity.ModelVersion,
		finishReason: r.FinishReason, input: r.InputTokens, output: r.OutputTokens, cached: r.CachedTokens,
	}
	if e.model == inference.UnknownModel {
		e.model = ""
	}
	phases := &r.Phases
	if c := r.PhaseCall(); c != nil {
		phases = &c.Phases
	}
	e.set(timePreprocess, phases[inference.PhasePreprocess])
	e.set(timeQueue, phases[inference.PhaseQueue])
	e.set(timeInference, phases[inference.PhaseInference])
	e.set(timePostprocess, phases[inference.PhasePostprocess])
	e.set(timeTotal, r.Duration)
	e.set(timeTTFT, r.TTFT)
	e.set(timeTPOT, perToken(r))
	if p, known := inference.SlowestPhase(phases); known {
		e.slowest = p.String()
	}
	return e
}

// perToken is the time per output token of the call whose phases are told, else of another view of
// it: of one call only, for those of several are no number of their request.
func perToken(r *inference.Request) inference.Measure {
	c := r.PhaseCall()
	if c == nil {
		return inference.Measure{}
	}
	tpot, innermost := c.TPOT, 0
	for i := range r.Calls {
		if !r.Calls[i].Outer {
			innermost++
		}
	}
	for i := 0; i < len(r.Calls) && innermost == 1; i++ {
		tpot = tpot.Or(r.Calls[i].TPOT)
	}
	return tpot
}

// firstPlausible is 2000-01-01: an earlier time is of a clock that was never set.
const firstPlausible = 946684800e9

// ended is the request's end, or its start where it has no duration.
func ended(r *inference.Request) int64 {
	if r.Start < firstPlausible {
		return 0
	}
	return r.Start + int64(math.Round(r.Duration.Seconds*1e9))
}
