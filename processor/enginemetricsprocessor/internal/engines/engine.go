// Package engines knows how servers name what they count: one file for each, one entry of a table
// for each metric. It knows nothing of how metrics are read or written.
package engines

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Engine is how one kind of server names its metrics.
type Engine struct {
	// Name is the value of inference.engine, and that of the key engines.
	Name string
	// Role is the value of inference.role; empty writes none.
	Role string
	// Prefixes are those that its names have, one of them at a time.
	Prefixes []string
	// Requires are names, without their prefix, that a page must have to be this engine's. It is
	// for names that others have, too. Lacks are those that it must not have.
	Requires, Lacks []string
	// Model and Version are the labels that name the model, the first that is there counts.
	Model, Version []string
	// Ranks are labels of parallel ranks that share the work: their values are merged.
	Ranks []string
	// Copies are labels of ranks that all count the same work: only rank 0 is taken.
	Copies []string
	// Labels are those that stay, and the attributes that they become.
	Labels []Attribute
	// Hardware says that these are no metrics of a model: they bear neither model nor engine.
	Hardware bool
	// Rows are its metrics. Of several for one metric the first counts that has a value.
	Rows []Row
}

// Attribute is a key and a value, or a label and the key that it becomes.
type Attribute struct{ Key, Value string }

// Row is one metric of an engine.
type Row struct {
	// From is its name without prefix, and without _total.
	From string
	To   *inference.ServerMetric
	// Times and Per are what it must be multiplied with and divided by for To's unit; 0 is 1.
	Times, Per float64
	// Only and Not are labels with the values that a point must, or must not have.
	Only, Not []Attribute
	// Set are attributes of all its points.
	Set []Attribute
	// Outcome reads how requests ended from a label.
	Outcome *Outcome
}

// Outcome is a label that says how requests ended.
type Outcome struct {
	Label string
	// Of returns the attributes for a value of the label.
	Of func(value string) []Attribute
}

// finishedBy are the reasons of engines why generation ended.
var finishedBy = &Outcome{Label: "finished_reason", Of: func(reason string) []Attribute {
	switch reason {
	case "abort", "aborted", "cancelled", "canceled":
		return aborted
	case "error":
		return failed
	case "timeout":
		return set(inference.AttrOutcome, inference.OutcomeTimeout.String())
	default:
		return append(set(inference.AttrFinishReason, inference.FinishReason(reason)), ok...)
	}
}}

// byStatus reads status codes of HTTP.
func byStatus(label string) *Outcome {
	return &Outcome{Label: label, Of: func(code string) []Attribute {
		switch {
		case code == "429" || code == "503":
			return with(inference.OutcomeRejected, code)
		case code == "408" || code == "504":
			return with(inference.OutcomeTimeout, code)
		case code == "499" || code == "0":
			return with(inference.OutcomeAborted, code)
		case strings.HasPrefix(code, "4") || strings.HasPrefix(code, "5"):
			return with(inference.OutcomeError, code)
		default:
			return ok
		}
	}}
}

// reasons reads a closed set of reasons of failure.
func reasons(label string, outcomes map[string]inference.Outcome) *Outcome {
	return &Outcome{Label: label, Of: func(reason string) []Attribute {
		outcome, known := outcomes[reason]
		if !known {
			outcome = inference.OutcomeError
		}
		return with(outcome, strings.ToLower(reason))
	}}
}

func with(outcome inference.Outcome, errorType string) []Attribute {
	return []Attribute{{inference.AttrOutcome, outcome.String()}, {inference.AttrErrorType, errorType}}
}

const (
	server = "server"
	client = "client"

	milli = 1e3
	micro = 1e6
)

// of returns the entry of the registry.
func of(id inference.ServerMetricID) *inference.ServerMetric { return inference.ServerRegistry(id) }

func set(key, value string) []Attribute { return []Attribute{{key, value}} }

var (
	input  = set(inference.AttrTokenType, "input")
	output = set(inference.AttrTokenType, "output")
	ok     = set(inference.AttrOutcome, inference.OutcomeOK.String())
	failed = set(inference.AttrOutcome, inference.OutcomeError.String())
	// aborted is what the caller gave up.
	aborted = set(inference.AttrOutcome, inference.OutcomeAborted.String())
)

// All returns every engine, in an order in which the first that fits is right.
func All() []*Engine {
	return []*Engine{
		&vllm, &sglang, &tensorRT, &nim, &oldTensorRT, &tgi, &triton, &dynamo, &llamaCPP, &torchServe, &kserve, &rayServe,
		&liteLLM, &envoyAI, &istio, &dcgm,
	}
}
