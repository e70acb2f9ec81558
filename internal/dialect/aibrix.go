package dialect

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// readAIBrix reads the request span of AIBrix' gateway: model and tokens, and,
// where it routes to a prefill and a decode engine, times as Go durations. Its
// own time per token divides by another number than ours and is not read.
//
// Source: vllm-project/aibrix, pkg/plugins/gateway.
func readAIBrix(s *source, f *Facts) bool {
	if s.scope != "envoy-ext-proc-server" {
		return false
	}
	attrs := s.span.Attributes()
	if _, routed := attrs.Get("routing_strategy"); !routed && !s.attrs.has(keyOutputTokens) {
		return true // its other spans are parts of the gateway
	}
	d := callDetails(s)
	d.Role, d.StandIn = inference.RoleServer, true
	for key, i := range map[string]Value{
		"ttft": ValueTTFT, "prefill_time_taken": ValuePrefill, "decode_time_taken": ValueDecode,
		"kv_transfer_time_taken": ValueKVTransfer,
	} {
		v, ok := attrs.Get(key)
		if !ok {
			continue
		}
		if took, err := time.ParseDuration(v.AsString()); err != nil {
			d.Values.Drop(i, ReasonType)
		} else {
			d.Values.Set(i, took.Seconds())
		}
	}
	f.Part, f.Details = PartCall, d
	return true
}
