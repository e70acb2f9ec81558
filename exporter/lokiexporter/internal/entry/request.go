package entry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// requestFields are those of the standard request line, in its order, with the attributes they
// are taken from.
var requestFields = []struct {
	name string
	keys []string
	// tells says that the field is only there where a request is told about.
	tells bool
}{
	{"request_id", []string{"request_id"}, false},
	{"model_name", []string{"model_name"}, false},
	{"model_version", []string{"model_version"}, false},
	{"input_tokens", []string{"input_tokens"}, true},
	{"output_tokens", []string{"output_tokens"}, true},
	{"cached_input_tokens", []string{"cached_input_tokens"}, true},
	{"preprocess_time_ms", []string{"preprocess_time_ms"}, true},
	{"queue_time_ms", []string{"queue_time_ms"}, true},
	{"inference_time_ms", []string{"inference_time_ms"}, true},
	{"postprocess_time_ms", []string{"postprocess_time_ms"}, true},
	{"total_time_ms", []string{"total_time_ms"}, true},
	{"ttft_ms", []string{"ttft_ms"}, true},
	{"outcome", []string{"outcome", "inference.outcome", "status"}, false},
	{"error_type", []string{"error_type", "error.type"}, false},
}

// appendRequest appends the standard request line; nothing where the record tells of no request.
func (b *batch) appendRequest(dst []byte, rec plog.LogRecord, limit int) []byte {
	attrs := rec.Attributes()
	start, told := len(dst), false
	for i := range requestFields {
		f := &requestFields[i]
		for _, key := range f.keys {
			v, ok := attrs.Get(key)
			if !ok || v.Type() == pcommon.ValueTypeMap || v.Type() == pcommon.ValueTypeSlice || v.Type() == pcommon.ValueTypeEmpty {
				continue
			}
			dst = b.appendPairOf(dst, "", f.name, v, limit, 0)
			told = told || f.tells
			break
		}
	}
	if !told {
		return dst[:start]
	}
	return dst
}
