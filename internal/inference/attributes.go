package inference

// Attribute keys. On metrics they are data point attributes; on spans the keys
// below inference. are the annotation.
const (
	AttrServiceName      = "service.name"
	AttrServiceNamespace = "service.namespace"
	AttrEnvironment      = "deployment.environment.name"
	AttrInstanceID       = "collector.instance.id"
	AttrModelName        = "inference.model.name"
	AttrModelVersion     = "inference.model.version"
	AttrEngine           = "inference.engine"
	AttrOutcome          = "inference.outcome"
	AttrErrorType        = "error.type"
	AttrStreaming        = "inference.streaming"
	AttrRole             = "inference.role"
	AttrPhase            = "inference.phase"
	AttrSubphase         = "inference.subphase"
	AttrHop              = "inference.hop"
	AttrProvenance       = "inference.provenance"
	AttrTokenType        = "gen_ai.token.type"
	AttrFinishReason     = "inference.finish_reason"
	AttrInputLengthBand  = "inference.input_length_band"
	AttrOverflow         = "otel.metric.overflow"
	AttrSlowestPhase     = "inference.slowest_phase"
	AttrBuffered         = "inference.stream.buffered"

	// AttrAnnotationVersion marks a span whose inference. attributes are ours;
	// without it they are somebody else's and mean nothing here.
	AttrAnnotationVersion = "inference.annotation.version"
	// AnnotationVersion is the version written today.
	AnnotationVersion = 1

	AttrRequestTTFT = "inference.request.time_to_first_token"
	AttrCallTTFT    = "inference.call.time_to_first_token"
	AttrCallTPOT    = "inference.call.time_per_output_token"
)

// Values that stand in for something else.
const (
	UnknownModel   = "unknown"         // no model was named anywhere
	UnknownService = "unknown_service" // the resource has no service.name
	OtherModel     = "other"           // a model beyond max_models
	OtherValue     = "other"           // a value of a dimension beyond its max_values
	OtherError     = "_OTHER"          // an error type beyond the limit, as semantic conventions call it
)

// PhaseDurationAttr returns the key of the span attribute that holds the
// duration of phase p in seconds.
func PhaseDurationAttr(p Phase) string { return phaseDurationAttrs[p] }

// PhaseProvenanceAttr returns the key of the span attribute that holds the
// provenance of phase p where it is not measured.
func PhaseProvenanceAttr(p Phase) string { return phaseProvenanceAttrs[p] }

var phaseDurationAttrs, phaseProvenanceAttrs = func() (d, p [NumPhases]string) {
	for i, name := range phaseNames {
		d[i] = "inference.phase." + name + ".duration"
		p[i] = "inference.phase." + name + ".provenance"
	}
	return d, p
}()
