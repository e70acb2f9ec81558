package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// readOpenLIT reads OpenLIT's spans, which state time to first token and time
// per output token as attributes in seconds. Both are 0.0 where they were not
// measured, and without streaming the first is the whole call.
//
// Source: openlit/openlit, sdk/python/src/openlit/__helpers.py.
func readOpenLIT(s *source, f *Facts) bool {
	a := &s.attrs
	if !a.has(keyOpenLITTTFT) || !isModelOperation(a) {
		return false
	}
	d := readClientCall(s, f)
	if d.Result.Streaming != inference.Yes {
		return true
	}
	if ttft, _ := number(a.values[keyOpenLITTTFT]); ttft != 0 {
		a.duration(keyOpenLITTTFT, &d.Values, ValueTTFT)
	}
	a.duration(keyOpenLITTPOT, &d.Values, ValueTPOT)
	return true
}
