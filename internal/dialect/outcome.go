package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// result reads how a span ended: from its status, its error type and the codes
// of the protocol that carried it.
func result(a *attributes, span ptrace.Span) inference.Result {
	res := inference.Result{Streaming: a.flag(keyStreaming)}
	errorType := label(a.text(keyErrorType))
	status := a.code(keyHTTPStatus)
	failed := span.Status().Code() == ptrace.StatusCodeError || errorType != "" || status >= 500 || status == 429 ||
		status == 408 || status == 499
	if !failed {
		res.Outcome = byFinish(a.finishWord())
		return res
	}
	if errorType == "" {
		errorType = exceptionType(span)
	}
	res.ErrorType = errorType
	res.Outcome = byCode(status, a.code(keyGRPCStatus))
	if res.Outcome == inference.OutcomeError {
		res.Outcome = byWord(errorType, span.Status().Message())
	}
	return res
}

// exceptionType returns the type of the last exception that a failed span
// recorded: not every SDK writes error.type.
func exceptionType(span ptrace.Span) string {
	for i := span.Events().Len() - 1; i >= 0; i-- {
		if e := span.Events().At(i); e.Name() == "exception" {
			if v, ok := e.Attributes().Get("exception.type"); ok {
				return label(v.AsString())
			}
		}
	}
	return ""
}

// byFinish knows the finish reasons of engines that stop a request and set no
// status: vLLM and SGLang write abort where the client went away.
func byFinish(word string) inference.Outcome {
	switch word {
	case "abort", "aborted", "cancelled", "canceled":
		return inference.OutcomeAborted
	case "error":
		return inference.OutcomeError
	}
	return inference.OutcomeOK
}

// byCode knows the HTTP and gRPC status codes that mean more than an error.
func byCode(http, grpc int64) inference.Outcome {
	switch {
	case http == 408 || http == 504 || grpc == 4:
		return inference.OutcomeTimeout
	case http == 429 || http == 503 || grpc == 8:
		return inference.OutcomeRejected
	case http == 499 || grpc == 1:
		return inference.OutcomeAborted
	}
	return inference.OutcomeError
}

// outcomeWords are parts of error types and status messages, lower case.
var outcomeWords = []struct {
	word    string
	outcome inference.Outcome
}{
	{"timeout", inference.OutcomeTimeout},
	{"timed out", inference.OutcomeTimeout},
	{"timed_out", inference.OutcomeTimeout},
	{"deadline", inference.OutcomeTimeout},
	{"408", inference.OutcomeTimeout},
	{"504", inference.OutcomeTimeout},
	{"429", inference.OutcomeRejected},
	{"503", inference.OutcomeRejected},
	{"rate_limit", inference.OutcomeRejected},
	{"ratelimit", inference.OutcomeRejected},
	{"queue_full", inference.OutcomeRejected},
	{"queue full", inference.OutcomeRejected},
	{"overloaded", inference.OutcomeRejected},
	{"resource_exhausted", inference.OutcomeRejected},
	{"499", inference.OutcomeAborted},
	{"cancel", inference.OutcomeAborted},
	{"abort", inference.OutcomeAborted},
	{"disconnect", inference.OutcomeAborted},
}

// byWord looks into the error type first: a message is prose and may name
// more than one thing. Codes count only as the whole error type.
func byWord(errorType, message string) inference.Outcome {
	for _, text := range []string{strings.ToLower(errorType), strings.ToLower(message)} {
		for _, w := range outcomeWords {
			isCode := w.word[0] <= '9'
			if isCode && text == w.word || !isCode && strings.Contains(text, w.word) {
				return w.outcome
			}
		}
	}
	return inference.OutcomeError
}
