package dialect

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

var sglangStages = map[string]inference.Phase{
	"tokenize":        inference.PhasePreprocess,
	"dispatch":        inference.PhasePreprocess,
	"dc_dispatch":     inference.PhasePreprocess,
	"request_process": inference.PhasePreprocess,
	"prefill_waiting": inference.PhaseQueue,
	"decode_waiting":  inference.PhaseQueue,
	"prefill_forward": inside(inference.SubphasePrefill),
	"chunked_prefill": inside(inference.SubphasePrefill),
	"decode_forward":  inside(inference.SubphaseDecode),
	"decode_loop":     inside(inference.SubphaseDecode),
}

// readSGLang reads the spans of an SGLang engine that serves prefill and decode
// itself: a root " Req <id>" with attributes in seconds, and below it, thread by
// thread, a span for each stage.
//
// Its time_in_model_prefill and time_in_model_inference include the queue and
// are not read; time_in_model_decode is of the API server's clock, from the
// first token to the last.
//
// Source: python/sglang/srt/observability/trace.py and req_time_stats.py.
func readSGLang(s *source, f *Facts) bool {
	if s.scope != "sglang server" {
		return false
	}
	if phase, ok := sglangStages[s.name]; ok {
		f.Part, f.Phase, f.Details = PartInside, phase, plainDetails(s)
		if n := scheduledWith(s); n.Known() {
			f.Details = &Details{BatchSize: n}
		}
		return true
	}
	// A role before "Req" is that of one leg of a disaggregated pair.
	if !strings.HasPrefix(strings.TrimLeft(s.name, " "), "Req ") || !s.attrs.has(keyVLLME2E) {
		return true
	}
	d := callDetails(s)
	d.Role, d.Tail = inference.RoleServer, true
	s.attrs.duration(keyVLLME2E, &d.Values, ValueE2E)
	s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
	s.attrs.duration(keyVLLMDecode, &d.Values, ValueGeneration)
	f.Part, f.Details = PartCall, d
	return true
}

// scheduledWith returns the batch size of the event schedule.
func scheduledWith(s *source) inference.Count {
	for _, e := range s.span.Events().All() {
		if v, ok := e.Attributes().Get("batch_size"); ok && e.Name() == "schedule" {
			if n, isNumber := number(v); isNumber && n >= 1 && n <= maxCount {
				return inference.NewCount(int64(n))
			}
		}
	}
	return inference.Count{}
}
