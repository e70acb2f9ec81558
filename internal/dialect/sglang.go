package dialect

import (
	"hash/maphash"
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

var sglangStages = map[string]inference.Phase{
	"tokenize":                  inference.PhasePreprocess,
	"dispatch":                  inference.PhasePreprocess,
	"api_server_dispatch":       inference.PhasePreprocess,
	"dc_dispatch":               inference.PhasePreprocess,
	"dpc_dispatch":              inference.PhasePreprocess,
	"request_process":           inference.PhasePreprocess,
	"prefill_prepare":           inference.PhasePreprocess,
	"decode_prepare":            inference.PhasePreprocess,
	"prefill_bootstrap":         inference.PhaseQueue,
	"prefill_waiting":           inference.PhaseQueue,
	"decode_waiting":            inference.PhaseQueue,
	"prefill_forward":           inside(inference.SubphasePrefill),
	"chunked_prefill":           inside(inference.SubphasePrefill),
	"prefill_transfer_kv_cache": inside(inference.SubphaseKVTransfer),
	"decode_forward":            inside(inference.SubphaseDecode),
	"decode_loop":               inside(inference.SubphaseDecode),
}

var sglangLegs = map[string]Leg{"": LegWhole, "prefill ": LegPrefill, "decode ": LegDecode}

// readSGLang reads the spans of an SGLang engine: a root " Req <id>" with
// attributes in seconds, and below it, thread by thread, a span for each stage.
//
// Its time_in_model_prefill and time_in_model_inference include the queue and
// are not read; time_in_model_decode is of the API server's clock, from the
// first token to the last.
//
// Where prefill and decode are apart, the router sends the request to both
// engines at once, and each writes a root of its own, "prefill Req <id>" and
// "decode Req <id>". They have a bootstrap room in common and no request id, and
// are in one trace only if the caller or the router sent its context. What the
// decode leg does before it waits for the model, decode_bootstrap and
// decode_transferred, is the prefill leg's time seen from the other side.
//
// Source: python/sglang/srt/observability/trace.py and req_time_stats.py, before
// 2026 python/sglang/srt/tracing/trace.py.
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
	role, _, isRoot := strings.Cut(strings.TrimLeft(s.name, " "), "Req ")
	// Other roles are a router's, and a transfer engine's.
	leg, isCall := sglangLegs[role]
	if !isRoot || !isCall || !s.attrs.has(keyVLLME2E) {
		return true
	}
	d := callDetails(s)
	d.Role, d.Leg = inference.RoleServer, leg
	s.attrs.duration(keyVLLME2E, &d.Values, ValueE2E)
	if leg != LegWhole {
		d.Sequences = sglangRoom(s, f)
	}
	if leg == LegPrefill {
		// It ends with one token, which is the decode leg's to send.
		d.OutputTokens, d.FinishReason = inference.Count{}, ""
	} else {
		d.Tail = true
		s.attrs.duration(keyTTFT, &d.Values, ValueTTFT)
		s.attrs.duration(keyVLLMDecode, &d.Values, ValueGeneration)
	}
	f.Part, f.Details = PartCall, d
	return true
}

// sglangRoom returns a hash of what the two legs of a call have in common: the
// bootstrap room, before 2026 a span for it that is the parent of both.
func sglangRoom(s *source, f *Facts) uint64 {
	if room, ok := s.span.Attributes().Get("bootstrap_room"); ok && room.AsString() != "None" {
		return maphash.String(seed, room.AsString())
	}
	if f.ParentID == [8]byte{} {
		return 0
	}
	return maphash.Bytes(seed, f.ParentID[:])
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
