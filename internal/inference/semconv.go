package inference

// The metrics that OpenTelemetry's semantic conventions for generative AI call otherwise, by their
// id. They are apart from the registry: gateways and SDKs emit the same names themselves.
const (
	MetricGenAIServerDuration MetricID = NumMetrics + iota
	MetricGenAIServerTTFT
	MetricGenAIServerTPOT
	MetricGenAIClientDuration
	MetricGenAIClientTokens
	endSemconv

	// NumSemconvMetrics is how many there are.
	NumSemconvMetrics = endSemconv - NumMetrics
)

// genAIDurationBounds are those that the conventions advise for durations.
var genAIDurationBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}

var semconvRegistry = [NumSemconvMetrics]Metric{
	MetricGenAIServerDuration - NumMetrics: {
		Name: "gen_ai.server.request.duration", Unit: "s", Bounds: genAIDurationBounds,
		Description: "Duration of one call as its engine saw it.",
	},
	MetricGenAIServerTTFT - NumMetrics: {
		Name: "gen_ai.server.time_to_first_token", Unit: "s",
		Bounds:      []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10},
		Description: "Time to first token of one successful call as its engine saw it.",
	},
	MetricGenAIServerTPOT - NumMetrics: {
		Name: "gen_ai.server.time_per_output_token", Unit: "s",
		Bounds:      []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5},
		Description: "Mean time per output token after the first of one successful call as its engine saw it.",
	},
	MetricGenAIClientDuration - NumMetrics: {
		Name: "gen_ai.client.operation.duration", Unit: "s", Bounds: genAIDurationBounds,
		Description: "Duration of one call as an SDK or proxy saw it.",
	},
	MetricGenAIClientTokens - NumMetrics: {
		Name: "gen_ai.client.token.usage", Unit: "{token}", Bounds: tokenBounds, Attributes: []string{AttrTokenType},
		Description: "Tokens of one call as an SDK or proxy saw it.",
	},
}

// SemconvRegistry returns the entry of id, one of those above. The caller must not change it.
func SemconvRegistry(id MetricID) *Metric { return &semconvRegistry[id-NumMetrics] }

// The attributes that the conventions ask for, as indices of SemconvAttributes.
const (
	SemconvOperation = iota
	SemconvProvider
	SemconvRequestModel
	SemconvResponseModel
	SemconvServerAddress
	SemconvServerPort
	NumSemconvAttributes
)

// SemconvAttributes are where calls state the attributes that the conventions ask for: under the
// conventions' keys, their former ones, and those of SDKs that have others.
var SemconvAttributes = [NumSemconvAttributes]Dimension{
	SemconvOperation: {
		Name: "gen_ai.operation.name", Attributes: []string{"gen_ai.operation.name", "llm.request.type"},
		Default: "_OTHER", // the conventions' word for a value that they do not know
	},
	SemconvProvider: {
		Name:       "gen_ai.provider.name",
		Attributes: []string{"gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "ai.model.provider"},
	},
	SemconvRequestModel: {
		Name: "gen_ai.request.model", Attributes: []string{"gen_ai.request.model", "llm.request.model", "ai.model.id"},
	},
	SemconvResponseModel: {
		Name: "gen_ai.response.model", Attributes: []string{"gen_ai.response.model", "llm.response.model", "ai.response.model"},
	},
	SemconvServerAddress: {Name: "server.address", Attributes: []string{"server.address", "net.peer.name"}},
	SemconvServerPort:    {Name: "server.port", Attributes: []string{"server.port", "net.peer.port"}},
}
