package main

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// attribute is what the page says of an attribute.
type attribute struct {
	// Meaning is one sentence.
	Meaning string
	// Values are all that it can have; none where the set is open.
	Values []string
}

var attributes = map[string]attribute{
	inference.AttrServiceName:      {Meaning: "The service that the span's resource names, else `unknown_service`."},
	inference.AttrServiceNamespace: {Meaning: "Its namespace, where the resource has one."},
	inference.AttrEnvironment:      {Meaning: "Its environment, where the resource has one."},
	inference.AttrInstanceID:       {Meaning: "The collector that counted; sum over it."},
	inference.AttrModelName:        {Meaning: "The model that answered, else the one that was asked for; `unknown` where no span names one, `other` beyond `max_models`."},
	inference.AttrModelVersion:     {Meaning: "Its version, where known."},
	inference.AttrEngine:           {Meaning: "The [dialect](dialects.md) whose spans told most."},
	inference.AttrOutcome: {
		Meaning: "How it ended. Failed ones are in every metric; queries for objectives select `ok`.",
		Values:  names(inference.OutcomeOK, inference.OutcomeError, inference.OutcomeTimeout, inference.OutcomeRejected, inference.OutcomeAborted),
	},
	inference.AttrErrorType: {Meaning: "The error, where it did not end well and a span says which; `_OTHER` beyond `max_error_types`."},
	inference.AttrStreaming: {Meaning: "Whether the answer came in pieces, where known.", Values: []string{"true", "false"}},
	inference.AttrRole: {
		Meaning: "Who saw it: the engine, or an SDK or proxy that called it.",
		Values:  names(inference.RoleServer, inference.RoleClient),
	},
	inference.AttrPhase: {
		Meaning: "The part of the call; `other` is the time that no phase explains.",
		Values:  upTo(inference.NumPhases),
	},
	inference.AttrSubphase: {
		Meaning: "The part of the phase.",
		Values:  upTo(inference.NumSubphases),
	},
	inference.AttrHop: {
		Meaning: "`gateway`: a SERVER span above a call less what it calls. `network`: a CLIENT span less what it reaches.",
		Values:  names(inference.HopGateway, inference.HopNetwork),
	},
	inference.AttrProvenance: {
		Meaning: "`measured`: an engine or a span said it. `derived`: arithmetic on measured points. `estimated`: a gap between spans.",
		Values:  names(inference.Measured, inference.Derived, inference.Estimated),
	},
	inference.AttrTokenType: {
		Meaning: "`cached` is a part of `input`.",
		Values:  []string{"input", "output", "cached"},
	},
	inference.AttrFinishReason: {
		Meaning: "Why generation ended, in one vocabulary for all engines.",
		Values: []string{
			inference.FinishStop, inference.FinishLength, inference.FinishToolCalls,
			inference.FinishContentFilter, inference.FinishOther,
		},
	},
	inference.AttrOverflow: {
		Meaning: "On series that stand for those beyond `max_series`, which name neither service nor model.",
		Values:  []string{"true"},
	},
}

func names[T interface{ String() string }](values ...T) (list []string) {
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}

// upTo returns the names of all values below end.
func upTo[T interface {
	~uint8
	String() string
}](end T,
) (list []string) {
	for v := range end {
		list = append(list, v.String())
	}
	return list
}
