package inference

// MetricID indexes the registry.
type MetricID uint8

// The metrics, in the order of the registry.
const (
	MetricRequestDuration MetricID = iota
	MetricRequestTTFT
	MetricRequestCalls
	MetricRequestRetries
	MetricRequestFinished
	MetricStreamBuffered
	MetricCallDuration
	MetricCallTTFT
	MetricCallTPOT
	MetricPhaseDuration
	MetricSubphaseDuration
	MetricHopDuration
	MetricTokenUsage
	MetricBatchSize
	NumMetrics
)

// Metric is one entry of the registry: the one place that knows a metric's
// name, unit, bounds and attributes.
type Metric struct {
	Name        string
	Unit        string // UCUM
	Description string
	// Bounds are the default bucket bounds of a histogram, in Unit, rising.
	// A metric without bounds is a monotonic counter.
	Bounds []float64
	// Attributes it carries besides CommonAttributes.
	Attributes []string
}

// Histogram reports whether the metric is a histogram; else it is a counter.
func (m *Metric) Histogram() bool { return m.Bounds != nil }

// CommonAttributes are on every data point, where known.
func CommonAttributes() []string {
	return []string{
		AttrServiceName, AttrServiceNamespace, AttrEnvironment, AttrInstanceID,
		AttrModelName, AttrModelVersion, AttrEngine, AttrOutcome, AttrErrorType, AttrStreaming,
	}
}

// Registry returns the entry of id. The caller must not change it.
func Registry(id MetricID) *Metric { return &registry[id] }

// durationBounds reach from 1 ms, below which no user feels a phase, to 600 s:
// reasoning models stream for minutes, and a value in the +Inf bucket has no
// quantile.
var durationBounds = []float64{
	0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5,
	7.5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600,
}

var ttftBounds = []float64{
	0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5,
	7.5, 10, 20, 30, 60, 120, 300, 600,
}

var tpotBounds = []float64{
	0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3,
	0.4, 0.5, 0.75, 1, 2.5, 5, 10,
}

// tokenBounds are those of gen_ai.client.token.usage in the semantic conventions.
var tokenBounds = []float64{
	1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
}

var registry = [NumMetrics]Metric{
	MetricRequestDuration: {
		Name: "inference.request.duration", Unit: "s", Bounds: durationBounds,
		Description: "Time that a user of the service waited for one request.",
	},
	MetricRequestTTFT: {
		Name: "inference.request.time_to_first_token", Unit: "s", Bounds: ttftBounds,
		Description: "Time from the start of a request to the first token of its last successful call.",
	},
	MetricRequestCalls: {
		Name: "inference.request.calls", Unit: "{call}", Bounds: []float64{0, 1, 2, 3, 4, 5, 8, 13, 21, 34, 55},
		Description: "Calls to models that one request made.",
	},
	MetricRequestRetries: {
		Name: "inference.request.retries", Unit: "{call}",
		Description: "Calls of a request after a failed one to the same model.",
	},
	MetricRequestFinished: {
		Name: "inference.request.finished", Unit: "{request}", Attributes: []string{AttrFinishReason},
		Description: "Requests by the reason why generation ended.",
	},
	MetricStreamBuffered: {
		Name: "inference.stream.buffered", Unit: "{call}",
		Description: "Calls whose stream something between the caller and the engine held back.",
	},
	MetricCallDuration: {
		Name: "inference.call.duration", Unit: "s", Bounds: durationBounds, Attributes: []string{AttrRole, AttrProvenance},
		Description: "Duration of one call to a model.",
	},
	MetricCallTTFT: {
		Name: "inference.call.time_to_first_token", Unit: "s", Bounds: ttftBounds, Attributes: []string{AttrRole, AttrProvenance},
		Description: "Time from the arrival of a call to its first token.",
	},
	MetricCallTPOT: {
		Name: "inference.call.time_per_output_token", Unit: "s", Bounds: tpotBounds, Attributes: []string{AttrRole, AttrProvenance},
		Description: "Mean time per output token of a call after its first token.",
	},
	MetricPhaseDuration: {
		Name: "inference.phase.duration", Unit: "s", Bounds: durationBounds,
		Attributes:  []string{AttrPhase, AttrRole, AttrProvenance},
		Description: "Duration of one phase of a call.",
	},
	MetricSubphaseDuration: {
		Name: "inference.subphase.duration", Unit: "s", Bounds: durationBounds,
		Attributes:  []string{AttrSubphase, AttrProvenance},
		Description: "Duration of a part of a phase of a call.",
	},
	MetricHopDuration: {
		Name: "inference.hop.duration", Unit: "s", Bounds: durationBounds, Attributes: []string{AttrHop},
		Description: "Time between two layers of a request.",
	},
	MetricTokenUsage: {
		Name: "inference.token.usage", Unit: "{token}", Bounds: tokenBounds, Attributes: []string{AttrTokenType},
		Description: "Tokens of one request.",
	},
	MetricBatchSize: {
		Name: "inference.batch.size", Unit: "{request}", Bounds: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024},
		Description: "Requests that the engine computed together with this one.",
	},
}
