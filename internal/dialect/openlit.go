package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readOpenLIT reads OpenLIT's spans, which state time to first token and time
// per output token as attributes in seconds. Both are 0.0 where they were not
// measured, and without streaming the first is the whole call. A call that
// failed states neither.
//
// Source: openlit/openlit, sdk/python/src/openlit/__helpers.py and
// instrumentation/openai/utils.py.
func readOpenLIT(s *source, f *Facts) bool {
	a := &s.attrs
	if !isModelOperation(a) || !a.has(keyOpenLITTTFT) && !isOpenLIT(s) {
		return false
	}
	d := readClientCall(s, f)
	if d.Result.Streaming == inference.No {
		return true
	}
	ttft, _ := number(a.value(keyOpenLITTTFT))
	if d.Result.Streaming == inference.Yes && ttft != 0 || ttft < beforeEnd*f.Seconds() && ttft != 0 {
		a.duration(keyOpenLITTTFT, &d.Values, ValueTTFT)
	}
	a.duration(keyOpenLITTPOT, &d.Values, ValueTPOT)
	return true
}

// beforeEnd is the share of a call before which something came that cannot be
// its end.
const beforeEnd = 0.99

// isOpenLIT reports whether a span names the SDK that wrote it.
func isOpenLIT(s *source) bool {
	v, ok := s.span.Attributes().Get("telemetry.sdk.name")
	return ok && v.AsString() == "openlit"
}
