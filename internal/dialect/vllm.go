package dialect

import (
	"hash/maphash"
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

var vllmParts = map[string]inference.Phase{
	"vllm_queue":             inference.PhaseQueue,
	"vllm_prefill":           inside(inference.SubphasePrefill),
	"vllm_decode":            inside(inference.SubphaseDecode),
	"vllm_async_kv_transfer": inside(inference.SubphaseKVTransfer),
}

// readVLLM reads the one span that a vLLM engine writes for each finished
// request: llm_request, whose times are attributes in seconds.
//
// Source, V1 (0.10.2 and later): vllm/v1/engine/output_processor.py and
// vllm/tracing. The queue and the model's times are of the engine's monotonic
// clock, e2e and time to first token of the API server's wall clock, from the
// arrival of the request. V1 never names the model.
//
// Source, V0 (before 0.11): vllm/engine/llm_engine.py and vllm/tracing.py. It
// states no time in the model: prefill is what the first token took after the
// queue, decode what the request took after that.
//
// TensorRT-LLM names its span alike, but has the marks of neither.
//
// Spans below it, of a proposal that is open yet, are parts of the call.
func readVLLM(s *source, f *Facts) bool {
	if phase, ok := vllmParts[s.name]; ok {
		f.Part, f.Phase, f.Details = PartInside, phase, plainDetails(s)
		return true
	}
	if s.name != "llm_request" {
		return false
	}
	a := &s.attrs
	v1 := a.has(keyVLLMInference) || a.has(keyVLLMPrefill) || a.has(keyVLLMDecode)
	v0 := a.has(keySequences) && a.has(keyVLLME2E)
	if !v1 && !v0 {
		return false
	}
	d := engineDetails(s)
	if v1 {
		if n, ok := s.span.Attributes().Get("gen_ai.request.n"); ok {
			asked, _ := number(n)
			d.Asked = int64(max(0, min(asked, maxCount)))
		}
		a.duration(keyVLLMInference, &d.Values, ValueInference)
		a.duration(keyVLLMPrefill, &d.Values, ValuePrefill)
		a.duration(keyVLLMDecode, &d.Values, ValueDecode)
	} else {
		deriveModelTimes(&d.Values)
	}
	f.Part, f.Details = PartCall, d
	return true
}

// engineDetails reads what vLLM and TensorRT-LLM state alike.
func engineDetails(s *source) *Details {
	d := callDetails(s)
	d.Role = inference.RoleServer
	s.attrs.duration(keyVLLME2E, &d.Values, ValueE2E)
	s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
	s.attrs.duration(keyVLLMQueue, &d.Values, ValueQueue)
	if limit, ok := s.span.Attributes().Get("gen_ai.request.max_tokens"); ok {
		n, _ := number(limit)
		d.Answers = n > 1
	}
	if id := s.attrs.text(keyRequestID); id != "" {
		d.Sequences = maphash.String(seed, withoutIndex(id))
	}
	return d
}

// withoutIndex returns the id of the request that a sequence is of: before vLLM
// kept the id that its client knows, that of a sequence began with its index.
// Source: vllm/v1/engine/parallel_sampling.py.
func withoutIndex(id string) string {
	if rest := strings.TrimLeft(id, "0123456789"); rest != id && len(rest) > 1 && rest[0] == '_' {
		return rest[1:]
	}
	return id
}

// deriveModelTimes calculates prefill and decode from the times around them.
func deriveModelTimes(v *Values) {
	v.Derive(ValuePrefill, ValueTTFT, ValueQueue)
	v.Derive(ValueDecode, ValueE2E, ValueTTFT)
}
