package extract

import "strings"

// program is what wrote a record, as far as its fields tell. It decides the
// unit of numbers that state none.
type program uint8

const (
	programUnknown program = iota
	programSGLang
	programTGI
	programRayServe
	programLiteLLM
	programDynamo
	programEnvoy
	numPrograms
)

// programParsers are the names of the parsers that know the programs.
var programParsers = [numPrograms]string{
	programSGLang: "sglang", programTGI: "tgi", programRayServe: "ray_serve", programLiteLLM: "litellm",
	programDynamo: "dynamo", programEnvoy: "envoy",
}

// mark is what the name of a field tells of its program.
type mark uint8

const (
	markNone mark = iota
	markLiteLLM
	markLiteLLMHint // two of them tell
	markRayServe
	markEnvoy
	markByValue // the value tells, see byValue
)

// marks are names that only one program writes.
var marks = map[string]mark{
	// JSON logs of the proxy, and StandardLoggingPayload.
	"litellm_call_id": markLiteLLM, "x_litellm_call_id": markLiteLLM, "litellm_params": markLiteLLM,
	"custom_llm_provider": markLiteLLM, "saved_cache_cost": markLiteLLM,
	"model_group": markLiteLLMHint, "call_type": markLiteLLMHint, "api_base": markLiteLLMHint,
	"completion_start_time": markLiteLLMHint,
	"component_name":        markRayServe, "replica": markRayServe,
	// Envoy's JSON access log as Istio configures it.
	"response_flags": markEnvoy, "upstream_service_time": markEnvoy, "upstream_cluster": markEnvoy,

	"target": markByValue, "component": markByValue, "logger": markByValue, "name": markByValue,
}

// byValue are the beginnings of values of marks that tell the program: Rust's
// target, and names of Python loggers.
var byValue = []struct {
	start   string
	program program
}{
	{"text_generation", programTGI},
	{"dynamo", programDynamo},
	{"LiteLLM", programLiteLLM},
	{"ray.serve", programRayServe},
}

// programOf returns the program that a mark tells, given the field's value.
func programOf(m mark, value string) program {
	switch m {
	case markLiteLLM:
		return programLiteLLM
	case markRayServe:
		return programRayServe
	case markEnvoy:
		return programEnvoy
	case markByValue:
		for _, v := range byValue {
			if strings.HasPrefix(value, v.start) {
				return v.program
			}
		}
	case markNone, markLiteLLMHint:
	}
	return programUnknown
}

// bareUnit returns the unit of a number of a program that states none, noUnit
// if nobody knows it. response_time of LiteLLM is the time to first token of
// streams and the total time of others, so it has none.
func bareUnit(p program, f Field) unit {
	switch {
	case p == programSGLang && (f == FieldTotalTime || f == FieldQueueTime):
		return seconds // e2e_latency, queue_time of meta_info
	case p == programEnvoy && f == FieldTotalTime:
		return milliseconds // %DURATION%
	default:
		return noUnit
	}
}

// moment is a time of day that LiteLLM writes, in seconds since 1970.
type moment uint8

const (
	momentStart moment = iota
	momentFirst
	momentEnd
	numMoments
)

var moments = map[string]moment{
	"start_time": momentStart, "completion_start_time": momentFirst, "end_time": momentEnd,
}
