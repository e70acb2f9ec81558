package inference

// ServerMetricID indexes the registry of what servers count about themselves.
type ServerMetricID uint8

// The metrics of servers, in the order of the registry.
const (
	ServerRequestsRunning ServerMetricID = iota
	ServerRequestsWaiting
	ServerRequestsFinished
	ServerRequestDuration
	ServerTTFT
	ServerITL
	ServerTPOT
	ServerQueueDuration
	ServerInferenceDuration
	ServerPrefillDuration
	ServerDecodeDuration
	ServerPreprocessDuration
	ServerPostprocessDuration
	ServerRequestTime
	ServerQueueTime
	ServerInferenceTime
	ServerPrefillTime
	ServerDecodeTime
	ServerPreprocessTime
	ServerPostprocessTime
	ServerKVCacheUsage
	ServerPrefixCacheQueries
	ServerPrefixCacheHits
	ServerPreemptions
	ServerTokens
	ServerRequestTokens
	ServerBatchSize
	ServerBatchDuration
	ServerBatchItems
	ServerBatchExecutions
	ServerModelLoadDuration
	NumServerMetrics
)

// Kind is the kind of a metric.
type Kind uint8

// The kinds.
const (
	KindGauge Kind = iota
	KindCounter
	KindHistogram
	KindUpDownCounter
)

var kindNames = [...]string{"gauge", "counter", "histogram", "updowncounter"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// ServerMetric is one entry of the registry of servers. Counters and histograms of the parallel
// ranks of one engine are added.
type ServerMetric struct {
	Name        string
	Unit        string // UCUM
	Kind        Kind
	Description string
	// Max says that of the values of several ranks the largest counts, else their sum. It is for
	// gauges: two caches at 40 % are not one at 80 %.
	Max bool
	// Attributes it carries besides ServerAttributes.
	Attributes []string
}

// Attribute keys of servers' metrics only.
const (
	// AttrRank tells the parallel ranks of an engine apart, where they are not merged.
	AttrRank = "inference.server.rank"
)

// ServerAttributes are on every data point of a server's metrics, where known.
func ServerAttributes() []string {
	return []string{AttrModelName, AttrModelVersion, AttrEngine, AttrRole, AttrRank}
}

// ServerRegistry returns the entry of id. The caller must not change it.
func ServerRegistry(id ServerMetricID) *ServerMetric { return &serverRegistry[id] }

var serverRegistry = [NumServerMetrics]ServerMetric{
	ServerRequestsRunning:     {Name: "inference.server.requests.running", Unit: "{request}", Description: "Requests that the engine computes now."},
	ServerRequestsWaiting:     {Name: "inference.server.requests.waiting", Unit: "{request}", Description: "Requests that wait in the engine's queue now."},
	ServerRequestsFinished:    {Name: "inference.server.requests.finished", Unit: "{request}", Kind: KindCounter, Attributes: []string{AttrOutcome, AttrFinishReason, AttrErrorType}, Description: "Requests that have ended, by how."},
	ServerRequestDuration:     {Name: "inference.server.request.duration", Unit: "s", Kind: KindHistogram, Description: "Time from the arrival of a request at the server to its end."},
	ServerTTFT:                {Name: "inference.server.time_to_first_token", Unit: "s", Kind: KindHistogram, Description: "Time from the arrival of a request at the server to its first token."},
	ServerITL:                 {Name: "inference.server.inter_token_latency", Unit: "s", Kind: KindHistogram, Description: "Time between two outputs of a request; an output can be several tokens."},
	ServerTPOT:                {Name: "inference.server.time_per_output_token", Unit: "s", Kind: KindHistogram, Description: "Mean time per output token of a request after its first token."},
	ServerQueueDuration:       {Name: "inference.server.queue.duration", Unit: "s", Kind: KindHistogram, Description: "Time that a request waited in the engine's queue."},
	ServerInferenceDuration:   {Name: "inference.server.inference.duration", Unit: "s", Kind: KindHistogram, Description: "Time that a request was computed."},
	ServerPrefillDuration:     {Name: "inference.server.prefill.duration", Unit: "s", Kind: KindHistogram, Description: "Time of the prefill of a request."},
	ServerDecodeDuration:      {Name: "inference.server.decode.duration", Unit: "s", Kind: KindHistogram, Description: "Time of the decode of a request."},
	ServerPreprocessDuration:  {Name: "inference.server.preprocess.duration", Unit: "s", Kind: KindHistogram, Description: "Time before the model that a request was prepared."},
	ServerPostprocessDuration: {Name: "inference.server.postprocess.duration", Unit: "s", Kind: KindHistogram, Description: "Time after the model that an answer was prepared."},
	ServerRequestTime:         {Name: "inference.server.request.time", Unit: "s", Kind: KindCounter, Description: "Sum of the durations of requests, of a server that has no histogram of them. Divided by those that ended it is a mean; it has no quantile."},
	ServerQueueTime:           {Name: "inference.server.queue.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times that requests waited in the queue."},
	ServerInferenceTime:       {Name: "inference.server.inference.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times that requests were computed."},
	ServerPrefillTime:         {Name: "inference.server.prefill.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times of prefill."},
	ServerDecodeTime:          {Name: "inference.server.decode.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times of decode."},
	ServerPreprocessTime:      {Name: "inference.server.preprocess.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times before the model that requests were prepared."},
	ServerPostprocessTime:     {Name: "inference.server.postprocess.time", Unit: "s", Kind: KindCounter, Description: "Sum of the times after the model that answers were prepared."},
	ServerKVCacheUsage:        {Name: "inference.server.kv_cache.usage", Unit: "1", Max: true, Description: "Share of the KV cache that is in use, from 0 to 1; of several ranks the fullest."},
	ServerPrefixCacheQueries:  {Name: "inference.server.prefix_cache.queries", Unit: "{token}", Kind: KindCounter, Description: "Prompt tokens that were looked for in the prefix cache."},
	ServerPrefixCacheHits:     {Name: "inference.server.prefix_cache.hits", Unit: "{token}", Kind: KindCounter, Description: "Prompt tokens that were found in the prefix cache."},
	ServerPreemptions:         {Name: "inference.server.preemptions", Unit: "{request}", Kind: KindCounter, Description: "Requests that were put back into the queue because memory for them ran out."},
	ServerTokens:              {Name: "inference.server.tokens", Unit: "{token}", Kind: KindCounter, Attributes: []string{AttrTokenType}, Description: "Tokens that were read (input) and generated (output)."},
	ServerRequestTokens:       {Name: "inference.server.request.tokens", Unit: "{token}", Kind: KindHistogram, Attributes: []string{AttrTokenType}, Description: "Tokens of one request."},
	ServerBatchSize:           {Name: "inference.server.batch.size", Unit: "{request}", Description: "Requests that the engine computes together."},
	ServerBatchDuration:       {Name: "inference.server.batch.duration", Unit: "s", Kind: KindHistogram, Attributes: []string{AttrSubphase}, Description: "Time of one step for a whole batch. It is no request's."},
	ServerBatchItems:          {Name: "inference.server.batch.items", Unit: "{item}", Kind: KindCounter, Description: "Inferences that were made, each item of a batch one. Divided by executions it is the mean size of a batch."},
	ServerBatchExecutions:     {Name: "inference.server.batch.executions", Unit: "{execution}", Kind: KindCounter, Description: "Executions of the model, each batch one."},
	ServerModelLoadDuration:   {Name: "inference.server.model.load.duration", Unit: "s", Max: true, Description: "Time that the loading of the model took."},
}
