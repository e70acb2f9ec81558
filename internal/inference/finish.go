package inference

// The closed set of finish reasons that become a label value.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
	FinishOther         = "other"
)

var finishReasons = map[string]string{
	"stop":           FinishStop,
	"end_turn":       FinishStop,
	"eos_token":      FinishStop,
	"stop_sequence":  FinishStop,
	"length":         FinishLength,
	"max_tokens":     FinishLength,
	"tool_calls":     FinishToolCalls,
	"tool_call":      FinishToolCalls,
	"tool_use":       FinishToolCalls,
	"tool-calls":     FinishToolCalls,
	"function_call":  FinishToolCalls,
	"content_filter": FinishContentFilter,
	"content-filter": FinishContentFilter,
	"refusal":        FinishContentFilter,
}

// FinishReason maps what an engine wrote to the closed set: empty stays empty,
// what is not in the set is FinishOther.
func FinishReason(s string) string {
	if s == "" {
		return ""
	}
	if r, ok := finishReasons[s]; ok {
		return r
	}
	return FinishOther
}
