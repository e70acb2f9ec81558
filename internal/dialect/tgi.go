package dialect

import (
	"math"
	"strings"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// readTGI reads Hugging Face's Text Generation Inference: a handler span whose
// durations are Rust's Debug text ("845.6µs"), and below it one infer span for
// each step of the model, the first of which is the prefill. The nested spans
// that share the handler's name have no durations. The span of a batch is in a
// trace of its own; it links to the infer spans of the requests in it.
//
// Source: router/src/server.rs and backends/v3/src/backend.rs. time_per_token
// includes the prefill: it gives the number of tokens, no time per output token.
func readTGI(s *source, f *Facts) bool {
	attrs := s.span.Attributes()
	total, ok := attrs.Get("total_time")
	if _, validated := attrs.Get("validation_time"); !ok || !validated {
		if _, traced := attrs.Get("busy_ns"); s.name == "infer" && traced {
			f.Part = PartStep
			return true
		}
		if size := s.attrs.has(keyBatchSize); s.name == "batch" && size && s.span.Links().Len() > 0 {
			d := callDetails(s)
			d.Batch = d.BatchSize.Known() && d.BatchSize.N() > 0
			f.Details = d
			return true
		}
		return false
	}
	d := callDetails(s)
	d.Role = inference.RoleServer
	rust(total.AsString(), &d.Values, ValueE2E)
	for key, i := range map[string]Value{
		"validation_time": ValuePreprocess, "queue_time": ValueQueue, "inference_time": ValueInference,
	} {
		if v, ok := attrs.Get(key); ok {
			rust(v.AsString(), &d.Values, i)
		}
	}
	if v, ok := attrs.Get("time_per_token"); ok && !d.OutputTokens.Known() {
		each, err := rustDuration(v.AsString())
		if whole, known := d.Values.Get(ValueInference); known && err == nil && each > 0 {
			d.OutputTokens = inference.NewCount(int64(math.Round(whole / each)))
		}
	}
	f.Part, f.Details = PartCall, d
	return true
}

// rust stores a duration as Rust's Debug writes it.
func rust(text string, v *Values, i Value) {
	d, err := rustDuration(text)
	if err != nil {
		v.Drop(i, ReasonType)
		return
	}
	v.Set(i, d)
}

// rustDuration returns seconds. Go reads what Rust writes: a decimal number and
// s, ms, µs or ns.
func rustDuration(text string) (float64, error) {
	d, err := time.ParseDuration(strings.TrimSpace(text))
	return d.Seconds(), err
}
