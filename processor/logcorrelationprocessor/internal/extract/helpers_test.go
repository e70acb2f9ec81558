package extract

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

const (
	traceHex = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanHex  = "00f067aa0ba902b7"
	uuidText = "8f2e1a3c-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
)

var (
	traceID = pcommon.TraceID{0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36}
	spanID  = pcommon.SpanID{0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}
)

// newExtractor makes one of the default configuration, as changed.
func newExtractor(tb testing.TB, change ...func(*Config)) *Extractor {
	tb.Helper()
	cfg := DefaultConfig()
	for _, c := range change {
		c(&cfg)
	}
	x, err := New(cfg)
	require.NoError(tb, err)
	return x
}

// record makes one with a text body and attributes.
func record(tb testing.TB, body string, attrs map[string]any) plog.LogRecord {
	tb.Helper()
	rec := plog.NewLogRecord()
	if body != "" {
		rec.Body().SetStr(body)
	}
	require.NoError(tb, rec.Attributes().FromRaw(attrs))
	return rec
}

// extractFrom reads a record without a resource.
func extractFrom(x *Extractor, rec plog.LogRecord) *Found {
	f := &Found{}
	x.Extract(pcommon.NewMap(), rec, f)
	return f
}
