package dialect

import (
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// extProc is the gRPC method by which Envoy asks an external processor, of
// which AIBrix' gateway is one.
const extProc = "envoy.service.ext_proc.v3.ExternalProcessor/Process"

// isAIBrixRequest reports whether a span is that of a whole request. The gRPC
// library starts it, so its scope is not AIBrix' own.
func isAIBrixRequest(s *source) bool {
	routed := s.attrs.has(keyRoutingStrategy)
	if s.scope == aibrixScope || s.name == extProc {
		return routed || s.attrs.has(keyOutputTokens)
	}
	if !routed || s.span.Kind() != ptrace.SpanKindServer {
		return false
	}
	_, candidates := s.span.Attributes().Get("candidate_pods")
	_, target := s.span.Attributes().Get("target_pod")
	return candidates || target
}

const aibrixScope = "envoy-ext-proc-server"

// readAIBrix reads the request span of AIBrix' gateway: model and tokens, and,
// where it routes to a prefill and a decode engine, times as Go durations. Its
// own time per token divides by another number than ours and is not read.
//
// Source: vllm-project/aibrix, pkg/plugins/gateway.
func readAIBrix(s *source, f *Facts) bool {
	if !isAIBrixRequest(s) {
		return s.scope == aibrixScope // its other spans are parts of the gateway
	}
	attrs := s.span.Attributes()
	d := callDetails(s)
	d.Role, d.StandIn = inference.RoleServer, true
	for key, i := range map[string]Value{
		"ttft": ValueTTFT, "prefill_time_taken": ValuePrefill, "decode_time_taken": ValueDecode,
		"kv_transfer_time_taken": ValueKVTransfer,
	} {
		if d.Result.Streaming == inference.No && (i == ValueTTFT || i == ValueKVTransfer) {
			continue // it saw no first token: the one is the whole request, the other what is left of it
		}
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
	f.Kind |= KindGateway
	return true
}
