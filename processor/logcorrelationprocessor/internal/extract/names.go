package extract

import "github.com/otelcol-inference/otelcol-inference/internal/ids"

// meaning is what a field of a certain name is for us.
type meaning uint8

const (
	meansNothing   meaning = iota
	meansID                // trace, span, flags or request id, see entry.id
	meansField             // a standard field
	meansBare              // a time whose unit is the program's own, see bareUnits
	meansWhole             // a time of the whole of something, perhaps of the request
	meansContainer         // an object that loggers nest fields in
	meansMark              // tells the program that wrote the record
	meansMoment            // a time of day of LiteLLM
	meansRequest           // tells that the record is about a whole request
	meansStatus            // tells the same where it is a status of HTTP
	meansMessage           // the text of the message
	meansPayloadID         // id: a request id where its value has an API prefix
)

// entry is the meaning of one name.
type entry struct {
	means meaning
	field Field
	rank  uint8
	unit  unit
	mark  mark
	nest  nesting
	id    ids.Field
	// moment is set for meansMoment.
	moment moment
}

// tells reports whether a field of this name is itself an id or a number of a
// request.
func (e *entry) tells() bool {
	switch e.means {
	case meansID, meansField, meansBare, meansWhole:
		return true
	default:
		return false
	}
}

// nesting says how fields of a container are named.
type nesting uint8

const (
	// nestPlain: as they would be outside.
	nestPlain nesting = 1 << iota
	// nestPrefixed: with the container's name before theirs, trace: {id: …}.
	nestPrefixed
)

// containers are the objects that loggers put fields in. Objects that hold
// what a user sent (messages, input, metadata, body) are none of them.
var containers = map[string]nesting{
	"span":         nestPlain | nestPrefixed, // Rust tracing; ECS
	"trace":        nestPlain | nestPrefixed, // ECS
	"transaction":  nestPrefixed,             // ECS
	"dd":           nestPrefixed,             // Datadog
	"extra":        nestPlain,
	"extras":       nestPlain,
	"attributes":   nestPlain,
	"attrs":        nestPlain,
	"fields":       nestPlain, // Rust tracing, not flattened
	"context":      nestPlain,
	"ctx":          nestPlain,
	"mdc":          nestPlain,
	"context_map":  nestPlain, // Log4j 2
	"record":       nestPlain, // loguru
	"otel":         nestPlain,
	"gen_ai":       nestPrefixed,
	"usage":        nestPlain,
	"gen_ai_usage": nestPlain,
	"timings":      nestPlain,
	"metrics":      nestPlain,
	"latency":      nestPlain,
	"request":      nestPrefixed,
	"model":        nestPrefixed,
	"http":         nestPrefixed,
	"http_request": nestPrefixed,
	"obj":          nestPlain, // SGLang
	"out":          nestPlain,
	"meta_info":    nestPlain | nestPrefixed,
}

// texts are the names of models and versions, best first.
var texts = map[Field][]string{
	FieldModelName: {
		"model_name", "gen_ai_response_model", "model", "gen_ai_request_model", "llm_response_model",
		"llm_model_name", "llm_request_model", "served_model_name", "model_id", "model_group",
	},
	FieldModelVersion: {
		"model_version", "gen_ai_model_version", "triton_model_version", "model_revision", "weight_version",
	},
}

// counts are the names of token counts, best first. total_tokens is neither.
var counts = map[Field][]string{
	FieldInputTokens: {
		"input_tokens", "gen_ai_usage_input_tokens", "gen_ai_usage_prompt_tokens", "usage_prompt_tokens",
		"prompt_tokens", "prompt_token_count", "llm_token_count_prompt", "llm_usage_prompt_tokens",
		"num_prompt_tokens", "n_prompt_tokens", "input_length", "x_prompt_tokens", "prompt_eval_count",
		"tokens_evaluated",
	},
	FieldOutputTokens: {
		"output_tokens", "gen_ai_usage_output_tokens", "gen_ai_usage_completion_tokens",
		"usage_completion_tokens", "completion_tokens", "generated_tokens", "x_generated_tokens",
		"candidates_token_count", "llm_token_count_completion", "llm_usage_completion_tokens",
		"num_generation_tokens", "eval_count", "tokens_predicted",
	},
	FieldCachedInputTokens: {
		"cached_input_tokens", "gen_ai_usage_cache_read_input_tokens", "gen_ai_usage_cached_tokens",
		"cached_tokens", "cache_read_input_tokens", "llm_token_count_prompt_details_cache_read",
	},
}

// times are the stems of times, best first. Each is also known with the
// suffix of a unit; alone it needs a unit in its value or from its program.
var times = map[Field][]string{
	FieldPreprocessTime: {
		"preprocess_time", "preprocess", "preprocess_duration", "preprocessing", "preprocessing_time",
		"tokenize", "tokenize_time", "tokenization_time", "validation_time", "compute_input",
	},
	FieldQueueTime: {
		"queue_time", "queue", "time_in_queue", "queue_duration", "queued", "queue_wait", "queue_wait_time",
		"queue_latency", "waiting_time", "gen_ai_latency_time_in_queue",
	},
	FieldInferenceTime: {
		"inference_time", "inference", "inference_duration", "inference_latency", "predict", "predict_time",
		"forward", "forward_time", "model_time", "compute_infer", "generation_time",
		"gen_ai_latency_time_in_model_inference",
	},
	FieldPostprocessTime: {
		"postprocess_time", "postprocess", "postprocess_duration", "postprocessing", "postprocessing_time",
		"detokenize", "detokenize_time", "detokenization_time", "compute_output",
	},
	FieldTotalTime: {
		"total_time", "total", "total_duration", "total_latency", "e2e_latency", "e2e_time", "e2e",
		"request_duration", "request_latency", "request_time", "gen_ai_latency_e2e",
	},
	FieldTTFT: {
		"ttft", "time_to_first_token", "first_token_latency", "first_token_time",
		"gen_ai_latency_time_to_first_token", "gen_ai_response_time_to_first_chunk",
	},
}

// whole are stems of times that say how long something took: the request,
// where the record is about one.
var whole = []string{"latency", "duration", "elapsed", "elapsed_time", "response_time", "took", "dur"}

// fixed are names without a suffix whose unit is the same in every program.
var fixed = map[string]struct {
	field Field
	unit  unit
}{
	"gen_ai_latency_time_in_queue":           {FieldQueueTime, seconds},
	"gen_ai_latency_time_in_model_inference": {FieldInferenceTime, seconds},
	"gen_ai_latency_e2e":                     {FieldTotalTime, seconds},
	"gen_ai_latency_time_to_first_token":     {FieldTTFT, seconds},
	"gen_ai_response_time_to_first_chunk":    {FieldTTFT, seconds},
	// Headers of TGI, whole milliseconds.
	"x_validation_time": {FieldPreprocessTime, milliseconds},
	"x_queue_time":      {FieldQueueTime, milliseconds},
	"x_inference_time":  {FieldInferenceTime, milliseconds},
	"x_total_time":      {FieldTotalTime, milliseconds},
}

// aboutRequest are names that only a record about a whole request has.
var aboutRequest = []string{
	"status_code", "http_status", "http_status_code", "http_response_status_code", "response_code",
	"method", "http_method", "http_request_method", "route", "finish_reason", "total_tokens",
}

// messages are the names of the text of a record.
var messages = []string{"message", "msg", "event"}

// byName holds all of these by folded name.
var byName = map[string]entry{}

func init() {
	for f, names := range texts {
		for i, name := range names {
			byName[name] = entry{means: meansField, field: f, rank: uint8(i)}
		}
	}
	for f, names := range counts {
		for i, name := range names {
			byName[name] = entry{means: meansField, field: f, rank: uint8(i)}
		}
	}
	for f, stems := range times {
		for i, stem := range stems {
			byName[stem] = entry{means: meansBare, field: f, rank: uint8(i)}
			for suffix, u := range unitSuffixes {
				byName[stem+suffix] = entry{means: meansField, field: f, rank: uint8(i), unit: u}
			}
		}
	}
	for i, stem := range whole {
		byName[stem] = entry{means: meansWhole, field: FieldTotalTime, rank: uint8(32 + i)}
		for suffix, u := range unitSuffixes {
			byName[stem+suffix] = entry{means: meansWhole, field: FieldTotalTime, rank: uint8(32 + i), unit: u}
		}
	}
	for name, u := range fixed {
		byName[name] = entry{means: meansField, field: u.field, rank: 16, unit: u.unit}
	}
	for name, m := range marks {
		e := byName[name]
		if e.means == meansNothing {
			e.means = meansMark
		}
		e.mark = m
		byName[name] = e
	}
	for _, name := range aboutRequest {
		byName[name] = entry{means: meansRequest}
	}
	byName["status"] = entry{means: meansStatus}
	for _, name := range messages {
		byName[name] = entry{means: meansMessage}
	}
	for name, m := range moments {
		byName[name] = entry{means: meansMoment, moment: m}
	}
	byName["id"] = entry{means: meansPayloadID}
	byName["meta_info_id"] = entry{means: meansPayloadID, rank: 1}
	for name, n := range containers {
		e := byName[name]
		if e.means == meansNothing {
			e.means = meansContainer
		}
		e.nest = n
		byName[name] = e
	}
}

// resolve returns the meaning of a name as it is written.
func resolve(name string) entry {
	var buf [longestName]byte
	e := byName[string(buf[:fold(&buf, name)])]
	if id, ok := ids.FieldOf(name); ok {
		e.means, e.id = meansID, id
	}
	return e
}
