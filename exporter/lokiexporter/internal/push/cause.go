package push

import "strings"

// Cause is why Loki did not take something. There are few, so that they can be an attribute of
// telemetry.
type Cause uint8

// The causes. Those that Loki counts in loki_discarded_samples_total have its name for them.
const (
	CauseNone Cause = iota
	CauseUnknown
	CauseTooOld
	CauseTooFarBehind
	CauseOutOfOrder
	CauseTooFarInFuture
	CauseLineTooLong
	CauseMetadataDisallowed
	CauseMetadataTooLarge
	CauseMetadataTooMany
	CauseMissingLabels
	CauseInvalidLabels
	CauseTooManyLabels
	CauseLabelNameTooLong
	CauseLabelValueTooLong
	CauseDuplicateLabels
	CauseMissingEnforcedLabels
	CauseRateLimited
	CauseStreamRateLimited
	CauseStreamLimit
	CauseBlocked
	CauseRequestTooLarge
	CauseEmptyRequest
	CauseMalformed
	CausePoisonName
	CauseTenant
	CauseUnauthorized
	CauseNotFound
	CauseRedirected
	CauseUnavailable
	causes
)

var causeNames = [causes]string{
	CauseNone:                  "none",
	CauseUnknown:               "unknown",
	CauseTooOld:                "greater_than_max_sample_age",
	CauseTooFarBehind:          "too_far_behind",
	CauseOutOfOrder:            "out_of_order",
	CauseTooFarInFuture:        "too_far_in_future",
	CauseLineTooLong:           "line_too_long",
	CauseMetadataDisallowed:    "disallowed_structured_metadata",
	CauseMetadataTooLarge:      "structured_metadata_too_large",
	CauseMetadataTooMany:       "structured_metadata_too_many",
	CauseMissingLabels:         "missing_labels",
	CauseInvalidLabels:         "invalid_labels",
	CauseTooManyLabels:         "max_label_names_per_series",
	CauseLabelNameTooLong:      "label_name_too_long",
	CauseLabelValueTooLong:     "label_value_too_long",
	CauseDuplicateLabels:       "duplicate_label_names",
	CauseMissingEnforcedLabels: "missing_enforced_labels",
	CauseRateLimited:           "rate_limited",
	CauseStreamRateLimited:     "per_stream_rate_limit",
	CauseStreamLimit:           "stream_limit",
	CauseBlocked:               "blocked_ingestion",
	CauseRequestTooLarge:       "request_body_too_large",
	CauseEmptyRequest:          "empty_request",
	CauseMalformed:             "malformed_request",
	CausePoisonName:            "metadata_name_without_characters",
	CauseTenant:                "invalid_tenant",
	CauseUnauthorized:          "unauthorized",
	CauseNotFound:              "not_found",
	CauseRedirected:            "redirected",
	CauseUnavailable:           "unavailable",
}

// String returns the name of a cause.
func (c Cause) String() string {
	if c >= causes {
		return causeNames[CauseUnknown]
	}
	return causeNames[c]
}

// scope is how much one mention of a cause takes with it.
type scope uint8

const (
	scopeEntry scope = iota
	scopeStream
	scopeRequest
)

// mention is a text by which a cause is known.
type mention struct {
	text  string
	cause Cause
	scope scope
}

// mentions are the texts, of all versions, lower case: grafana/loki pkg/validation/validate.go,
// pkg/chunkenc/interface.go, pkg/ingester/stream.go, pkg/loghttp/push/push.go, dskit tenant and
// user. Where one text contains another, the longer comes first.
var mentions = []mention{
	// The two that tell their oldest acceptable time differ in this alone.
	{"has timestamp too old", CauseTooOld, scopeEntry},
	{"entry too far behind", CauseTooFarBehind, scopeEntry},
	{"entry out of order", CauseOutOfOrder, scopeEntry},
	{"has timestamp too new", CauseTooFarInFuture, scopeEntry},
	{"max entry size", CauseLineTooLong, scopeEntry},
	{"includes structured metadata, but this feature is disallowed", CauseMetadataDisallowed, scopeEntry},
	{"has structured metadata too large", CauseMetadataTooLarge, scopeEntry},
	{"has too many structured metadata labels", CauseMetadataTooMany, scopeEntry},

	{"at least one label pair is required per stream", CauseMissingLabels, scopeStream},
	{"error parsing labels", CauseInvalidLabels, scopeStream},
	{"label names; limit", CauseTooManyLabels, scopeStream},
	{"has label name too long", CauseLabelNameTooLong, scopeStream},
	{"has label value too long", CauseLabelValueTooLong, scopeStream},
	{"has duplicate label name", CauseDuplicateLabels, scopeStream},
	{"missing required labels", CauseMissingEnforcedLabels, scopeStream},

	{"per stream rate limit exceeded", CauseStreamRateLimited, scopeEntry},
	{"maximum active stream limit exceeded", CauseStreamLimit, scopeStream},
	{"ingestion rate limit exceeded", CauseRateLimited, scopeRequest},

	{"ingestion blocked for", CauseBlocked, scopeRequest},
	{"couldn't parse labels", CauseInvalidLabels, scopeRequest},
	{"at least one valid stream is required", CauseEmptyRequest, scopeRequest},
	{"normalization for label name", CausePoisonName, scopeRequest},

	// The second is of gRPC between Loki's own parts, which makes it a 500, and the third
	// VictoriaLogs'.
	{"request body too large", CauseRequestTooLarge, scopeRequest},
	{"received message larger than max", CauseRequestTooLarge, scopeRequest},
	{"too big data size", CauseRequestTooLarge, scopeRequest},
	{"labels size", CauseRequestTooLarge, scopeRequest},

	{"no org id", CauseTenant, scopeRequest},
	{"multiple org ids", CauseTenant, scopeRequest},
	{"tenant id", CauseTenant, scopeRequest},
	{"tenantid", CauseTenant, scopeRequest},

	{"snappy:", CauseMalformed, scopeRequest},
	{"proto:", CauseMalformed, scopeRequest},
	{"unexpected eof", CauseMalformed, scopeRequest},
	{"mime:", CauseMalformed, scopeRequest},
	{"content-encoding", CauseMalformed, scopeRequest},
	{"unsupported path", CauseNotFound, scopeRequest},
}

// causeOf returns the first mention in the order of the table that text, in lower case, has.
func causeOf(text string) mention {
	for i := range mentions {
		if strings.Contains(text, mentions[i].text) {
			return mentions[i]
		}
	}
	return mention{cause: CauseUnknown, scope: scopeRequest}
}
