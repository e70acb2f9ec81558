package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// key is a fact that spans state under several attribute keys.
type key uint8

const (
	keyModel key = iota
	keyModelVersion
	keyInputTokens
	keyOutputTokens
	keyCachedTokens
	keyBatchSize
	keyStreaming
	keyFinishReason
	keyErrorType
	keyHTTPStatus
	keyGRPCStatus
	keyTTFT
	keyVLLME2E
	keyVLLMQueue
	keyVLLMPrefill
	keyVLLMDecode
	keyVLLMInference
	keyOperation
	keyTraceloopKind
	keyOpenInferenceKind
	keyMessaging
	keyClientDuration
	keyRequestType
	keyLegacyStream
	keyAIOperation
	keySpanKind
	keyLangSmithKind
	keyOpenLITTTFT
	keyOpenLITTPOT
	keySequences
	keyRequestID
	keyAnnotation
	keyCompletionStart
	keyRoutingStrategy
	numKeys
)

// unit converts a stated duration to seconds.
type unit float64

const (
	none         unit = 0
	seconds      unit = 1
	milliseconds unit = 1e-3
	nanoseconds  unit = 1e-9
)

// alias is one spelling of a key. Where a span has several, the lowest rank
// wins.
type alias struct {
	key  key
	rank uint8
	unit unit
}

// aliasShapes has, by length, a bit for the ends of the names in aliases: most
// attributes are none of them, and need no look into the map.
var aliasShapes [64]uint64

func init() {
	for name := range aliases {
		aliasShapes[len(name)] |= endOf(name)
	}
}

func endOf(name string) uint64 { return 1 << ((name[len(name)-1] ^ name[len(name)/2]<<1) & 63) }

func mayBeAlias(name string) bool {
	return name != "" && len(name) < len(aliasShapes) && aliasShapes[len(name)]&endOf(name) != 0
}

// aliases is the one table of attribute keys and of their units. Only keys
// whose unit is the same in every dialect may stand here; a key with a unit of
// its own per dialect (gen_ai.response.time_to_first_token is milliseconds in
// one and nanoseconds in another) belongs to a key of that dialect.
var aliases = map[string]alias{
	"gen_ai.response.model":   {keyModel, 0, none},
	"gen_ai.request.model":    {keyModel, 1, none},
	"llm.response.model":      {keyModel, 2, none},
	"llm.request.model":       {keyModel, 3, none},
	"llm.model_name":          {keyModel, 4, none},
	"llm.response.model_name": {keyModel, 5, none},
	"llm.request.model_name":  {keyModel, 6, none},
	"ai.response.model":       {keyModel, 7, none},
	"ai.model.id":             {keyModel, 8, none},
	"triton.model_name":       {keyModel, 9, none},
	"vllm.model":              {keyModel, 10, none},
	"target_model":            {keyModel, 11, none},
	"model_name":              {keyModel, 12, none},
	"model":                   {keyModel, 13, none},
	"gen_ai.model_name":       {keyModel, 14, none},
	"model.name":              {keyModel, 15, none},
	"xinference.model_uid":    {keyModel, 16, none},
	"embedding.model_name":    {keyModel, 17, none},

	"model.version":        {keyModelVersion, 0, none},
	"model_version":        {keyModelVersion, 1, none},
	"triton.model_version": {keyModelVersion, 2, none},

	"gen_ai.usage.input_tokens":  {keyInputTokens, 0, none},
	"gen_ai.usage.prompt_tokens": {keyInputTokens, 1, none}, // before semantic conventions 1.27
	"llm.usage.prompt_tokens":    {keyInputTokens, 2, none},
	"llm.token_count.prompt":     {keyInputTokens, 3, none},
	"input_tokens":               {keyInputTokens, 4, none},
	"prompt_tokens":              {keyInputTokens, 5, none},
	"ai.usage.inputTokens":       {keyInputTokens, 6, none},
	"ai.usage.promptTokens":      {keyInputTokens, 7, none},

	"gen_ai.usage.output_tokens":     {keyOutputTokens, 0, none},
	"gen_ai.usage.completion_tokens": {keyOutputTokens, 1, none}, // before semantic conventions 1.27
	"llm.usage.completion_tokens":    {keyOutputTokens, 2, none},
	"llm.token_count.completion":     {keyOutputTokens, 3, none},
	"output_tokens":                  {keyOutputTokens, 4, none},
	"completion_tokens":              {keyOutputTokens, 5, none},
	"ai.usage.outputTokens":          {keyOutputTokens, 6, none},
	"ai.usage.completionTokens":      {keyOutputTokens, 7, none},

	"gen_ai.usage.cache_read.input_tokens":      {keyCachedTokens, 0, none}, // semantic conventions 1.40
	"gen_ai.usage.cache_read_input_tokens":      {keyCachedTokens, 1, none},
	"gen_ai.usage.cached_tokens":                {keyCachedTokens, 2, none},
	"llm.token_count.prompt_details.cache_read": {keyCachedTokens, 3, none},
	"ai.usage.cachedInputTokens":                {keyCachedTokens, 4, none},

	"batch_size": {keyBatchSize, 0, none},

	"gen_ai.request.stream":     {keyStreaming, 0, none}, // semantic conventions 1.41
	"gen_ai.request.is_stream":  {keyStreaming, 1, none}, // OpenLIT
	"llm.is_streaming":          {keyStreaming, 2, none},
	"vllm.is_streaming":         {keyStreaming, 3, none},
	"litellm.request.streaming": {keyStreaming, 4, none},
	"stream":                    {keyStreaming, 5, none},

	"gen_ai.response.finish_reasons": {keyFinishReason, 0, none},
	"gen_ai.response.finish_reason":  {keyFinishReason, 1, none},
	"llm.finish_reason":              {keyFinishReason, 2, none},
	"llm.response.finish_reason":     {keyFinishReason, 4, none},
	"ai.response.finishReason":       {keyFinishReason, 5, none},
	"finish_reason":                  {keyFinishReason, 3, none},

	"error.type":                {keyErrorType, 0, none},
	"http.response.status_code": {keyHTTPStatus, 0, none},
	"http.status_code":          {keyHTTPStatus, 1, none},
	"rpc.grpc.status_code":      {keyGRPCStatus, 0, none},

	"gen_ai.latency.time_to_first_token":          {keyTTFT, 0, seconds},
	"gen_ai.response.time_to_first_chunk":         {keyTTFT, 1, seconds}, // semantic conventions 1.41
	"gen_ai.server.time_to_first_token":           {keyOpenLITTTFT, 0, seconds},
	"gen_ai.server.time_per_output_token":         {keyOpenLITTPOT, 0, seconds},
	"gen_ai.client.operation.time_to_first_chunk": {keyTTFT, 3, seconds},
	"ai.response.msToFirstChunk":                  {keyTTFT, 5, milliseconds},
	"ai.stream.msToFirstChunk":                    {keyTTFT, 6, milliseconds},
	"ttft_ms":                                     {keyTTFT, 4, milliseconds},

	"gen_ai.latency.e2e":                     {keyVLLME2E, 0, seconds},
	"gen_ai.latency.time_in_queue":           {keyVLLMQueue, 0, seconds},
	"gen_ai.latency.time_in_model_prefill":   {keyVLLMPrefill, 0, seconds},
	"gen_ai.latency.time_in_model_decode":    {keyVLLMDecode, 0, seconds},
	"gen_ai.latency.time_in_model_inference": {keyVLLMInference, 0, seconds},

	"gen_ai.client.operation.duration": {keyClientDuration, 0, seconds},
	"ai.response.msToFinish":           {keyClientDuration, 1, milliseconds},

	inference.AttrAnnotationVersion: {keyAnnotation, 0, none},

	"gen_ai.request.id": {keyRequestID, 0, none},

	"routing_strategy": {keyRoutingStrategy, 0, none},

	"langfuse.observation.completion_start_time": {keyCompletionStart, 0, none},

	"llm.request.type":                 {keyRequestType, 0, none},
	"gen_ai.is_streaming":              {keyLegacyStream, 0, none},
	"ai.operationId":                   {keyAIOperation, 0, none},
	"gen_ai.span.kind":                 {keySpanKind, 0, none},
	"gen_ai.span_kind_name":            {keySpanKind, 1, none}, // LoongSuite, by configuration
	"langsmith.span.kind":              {keyLangSmithKind, 0, none},
	"gen_ai.usage.num_sequences":       {keySequences, 0, none},
	"gen_ai.latency.time_in_scheduler": {keySequences, 1, none},

	"gen_ai.operation.name":   {keyOperation, 0, none},
	"traceloop.span.kind":     {keyTraceloopKind, 0, none},
	"openinference.span.kind": {keyOpenInferenceKind, 0, none},
	"messaging.system":        {keyMessaging, 0, none},
	"db.system":               {keyMessaging, 1, none},
	"db.system.name":          {keyMessaging, 2, none},
}
