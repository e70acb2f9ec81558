package extract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

const otherTrace = "ffffffffffffffffffffffffffffffff"

func TestAttributes(t *testing.T) {
	x := newExtractor(t)
	for _, row := range []struct {
		attrs map[string]any
		want  string
	}{
		{map[string]any{"trace_id": traceHex, "span_id": spanHex}, " trace=T span=S"},
		{map[string]any{"trace_id": "4BF92F3577B34DA6A3CE929D0E0E4736"}, " trace=T"},
		{map[string]any{"trace_id": "0x" + traceHex}, " trace=T"},
		{map[string]any{"trace_id": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"}, " trace=T"},
		{map[string]any{"TraceId": "4d1697be764d8b82"}, " trace=00000000000000004d1697be764d8b82"},
		{map[string]any{"traceparent": "00-" + traceHex + "-" + spanHex + "-01"}, " trace=T span=S flags=1"},
		{map[string]any{"traceparent": "00-" + traceHex + "-" + spanHex + "-zz"}, " invalid=1"},
		{map[string]any{"trace_id": traceHex[:31]}, " invalid=1"},
		{map[string]any{"trace_id": "none", "span_id": "-"}, ""},
		{map[string]any{"span_id": spanHex}, " span=S"},
		{map[string]any{"dd.trace_id": int64(1234567890123456789)}, " trace=0000000000000000112210f47de98115 low64=true"},
		{map[string]any{"otelTraceSampled": true, "otelTraceID": traceHex}, " trace=T flags=1"},
		{map[string]any{"request_id": "a1", "x-request-id": "b2", "gen_ai.response.id": "c3", "correlation_id": "d4"}, " request=a1 request=b2 request=c3"},
		{map[string]any{"request_id": "a1", "x-request-id": "a1"}, " request=a1"},
		{map[string]any{"request_id": "id with\x00control"}, " invalid=1"},
		{map[string]any{"span": map[string]any{"trace_id": traceHex, "queue_ms": 5}}, " trace=T queue_time_ms=5"},
		{map[string]any{"messages": map[string]any{"trace_id": traceHex}}, ""},
		{map[string]any{"event": "request.finished", "rid": "a1", "out": map[string]any{"meta_info": map[string]any{
			"id": "a1", "prompt_tokens": 5, "e2e_latency": 1.25,
		}}}, "sglang request=a1 class=request_end input_tokens=5 total_time_ms=1250"},
		{map[string]any{"trace_id": uuidText, "litellm_call_id": "a1"}, "litellm request=a1"},
		{map[string]any{"queue_time_ms": 12, "ttft": "1.5s", "model": "m", "input_tokens": 5.0, "output_tokens": true}, " model_name=m input_tokens=5 queue_time_ms=12 ttft_ms=1500 dropped=1"},
		{map[string]any{"model": 7, "model_version": []any{1}}, ""},
	} {
		assert.Equal(t, row.want, told(extractFrom(x, record(t, "", row.attrs))), row.attrs)
	}
}

func TestSourcesInOrder(t *testing.T) {
	x := newExtractor(t)
	body := `{"trace_id":"` + otherTrace + `","span_id":"ffffffffffffffff","request_id":"b2","queue_ms":2,"ttft_ms":3}`

	rec := record(t, body, map[string]any{"trace_id": traceHex, "request_id": "a1", "queue_ms": 1})
	assert.Equal(t, "json trace=T request=a1 request=b2 queue_time_ms=1 ttft_ms=3", told(extractFrom(x, rec)),
		"a span of another trace is not taken")

	rec = record(t, body, map[string]any{"span_id": spanHex})
	assert.Equal(t, "json trace="+otherTrace+" span=S request=b2 queue_time_ms=2 ttft_ms=3", told(extractFrom(x, rec)))

	rec = record(t, body, map[string]any{"trace_id": otherTrace, "span_id": "bad"})
	rec.SetTraceID(traceID)
	f := extractFrom(x, rec)
	assert.True(t, f.Native)
	assert.Equal(t, "json trace=T request=b2 queue_time_ms=2 ttft_ms=3 invalid=1", told(f), "nothing replaces the record's own")

	rec = record(t, `{"span_id":"`+spanHex+`","trace_flags":1}`, nil)
	rec.SetTraceID(traceID)
	assert.Equal(t, "json trace=T span=S flags=1", told(extractFrom(x, rec)))

	rec = record(t, `{"trace_id":"`+traceHex+`"}`, map[string]any{"dd.trace_id": "11803532876627986230"})
	assert.Equal(t, "json trace=T", told(extractFrom(x, rec)), "the whole of what the attribute has half of")
}

func TestFoundIsReset(t *testing.T) {
	x, f := newExtractor(t), &Found{}
	full := record(t, "INFO x Generated response a1.", map[string]any{
		"trace_id": traceHex, "span_id": spanHex, "trace_flags": "01", "request_id": "a1", "model": "m", "queue_ms": -1, "ttft_ms": 5,
		"litellm_call_id": "b2", "traceId": "bad",
	})
	empty := plog.NewLogRecord()
	x.Extract(pcommon.NewMap(), full, f)
	x.Extract(pcommon.NewMap(), empty, f)
	assert.Empty(t, told(f))
	assert.False(t, f.Fields.Any())
	Promote(empty, f, true)
	Standardise(empty, f, true)
	assert.True(t, empty.TraceID().IsEmpty())
	assert.Zero(t, empty.Attributes().Len())
}

func TestPromote(t *testing.T) {
	x := newExtractor(t)
	header := "00-" + traceHex + "-" + spanHex + "-01"
	for name, row := range map[string]struct {
		native bool
		body   string
		attrs  map[string]any
		keep   []string
	}{
		"fields":            {attrs: map[string]any{"trace_id": traceHex, "span_id": spanHex, "trace_flags": "01"}},
		"header":            {attrs: map[string]any{"traceparent": header}},
		"twice":             {attrs: map[string]any{"trace_id": traceHex, "traceparent": header}, keep: []string{"traceparent"}},
		"the record's own":  {native: true, attrs: map[string]any{"trace_id": traceHex, "span_id": spanHex}},
		"another trace":     {native: true, attrs: map[string]any{"trace_id": otherTrace, "span_id": "ffffffffffffffff"}, keep: []string{"trace_id", "span_id"}},
		"of a body":         {body: `{"trace_id":"` + traceHex + `"}`, attrs: map[string]any{"a": 1}, keep: []string{"a"}},
		"half is known":     {native: true, attrs: map[string]any{"dd.trace_id": "11803532876627986230"}},
		"in a nested map":   {attrs: map[string]any{"span": map[string]any{"trace_id": traceHex}}, keep: []string{"span"}},
		"other attributes":  {attrs: map[string]any{"trace_id": traceHex, "request_id": "a1", "x": 1}, keep: []string{"request_id", "x"}},
		"header and a span": {attrs: map[string]any{"traceparent": "00-" + traceHex + "-ffffffffffffffff-01", "span_id": spanHex}, keep: []string{"traceparent"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, remove := range []bool{true, false} {
				rec := record(t, row.body, row.attrs)
				if row.native {
					rec.SetTraceID(traceID)
					rec.SetSpanID(spanID)
				}
				before := rec.Body().AsString()
				Promote(rec, extractFrom(x, rec), remove)
				assert.Equal(t, traceID, rec.TraceID())
				assert.Equal(t, before, rec.Body().AsString())
				if !remove {
					assert.Equal(t, len(row.attrs), rec.Attributes().Len())
					continue
				}
				var keys []string
				for key := range rec.Attributes().All() {
					keys = append(keys, key)
				}
				assert.ElementsMatch(t, row.keep, keys)
			}
		})
	}
}

func TestPromoteNothing(t *testing.T) {
	x := newExtractor(t)
	for _, attrs := range []map[string]any{
		{"trace_id": traceHex[:31], "span_id": "x"},
		{"trace_id": "none"},
		{"trace_id": "0", "span_id": "0"},
		{"traceparent": "00-" + traceHex + "-" + spanHex + "-zz"},
		{"dd.trace_id": "1234567890123456789"},
	} {
		rec := record(t, "", attrs)
		Promote(rec, extractFrom(x, rec), true)
		assert.True(t, rec.TraceID().IsEmpty())
		assert.True(t, rec.SpanID().IsEmpty())
		assert.Equal(t, attrs, rec.Attributes().AsRaw(), "the original stays")
	}
}

func TestPromoteFlags(t *testing.T) {
	x := newExtractor(t)
	rec := record(t, "", map[string]any{"traceparent": "00-" + traceHex + "-" + spanHex + "-01"})
	Promote(rec, extractFrom(x, rec), true)
	assert.Equal(t, plog.LogRecordFlags(1), rec.Flags())
	assert.Equal(t, spanID, rec.SpanID())
}

func TestStandardise(t *testing.T) {
	x := newExtractor(t)
	for name, row := range map[string]struct {
		body        string
		attrs, want map[string]any
		remove      bool
	}{
		"aliases": {
			attrs: map[string]any{"model": "m", "prompt_tokens": 5, "queue_ms": 12, "ttft": "0.5s"},
			want: map[string]any{
				"model": "m", "prompt_tokens": int64(5), "queue_ms": int64(12), "ttft": "0.5s",
				"model_name": "m", "input_tokens": int64(5), "queue_time_ms": 12.0, "ttft_ms": 500.0,
			},
		},
		"without originals": {
			attrs: map[string]any{"model": "m", "prompt_tokens": 5, "queue_ms": 12, "ttft": "0.5s", "rid": "a1", "x": 1}, remove: true,
			want: map[string]any{
				"model_name": "m", "input_tokens": int64(5), "queue_time_ms": 12.0, "ttft_ms": 500.0, "request_id": "a1", "x": int64(1),
			},
		},
		"unused originals stay": {
			attrs: map[string]any{"queue_ms": -1, "queue_time": 5, "prompt_tokens": "x"}, remove: true,
			want: map[string]any{"queue_ms": int64(-1), "queue_time": int64(5), "prompt_tokens": "x"},
		},
		"a valid value wins, as it is": {
			attrs: map[string]any{"queue_time_ms": 7, "queue_ms": 12, "input_tokens": 5.0},
			want:  map[string]any{"queue_time_ms": int64(7), "queue_ms": int64(12), "input_tokens": 5.0},
		},
		"text becomes a number": {
			attrs: map[string]any{"queue_time_ms": "7.5", "input_tokens": "5"},
			want:  map[string]any{"queue_time_ms": 7.5, "input_tokens": int64(5)},
		},
		"an invalid value is none": {
			attrs: map[string]any{"queue_time_ms": -1, "queue_ms": 12},
			want:  map[string]any{"queue_time_ms": 12.0, "queue_ms": int64(12)},
		},
		"nothing valid": {
			attrs: map[string]any{"queue_time_ms": "soon", "input_tokens": -1},
			want:  map[string]any{"queue_time_ms": "soon", "input_tokens": int64(-1)},
		},
		"a body": {
			body: `{"queue_ms":12,"request_id":"a1"}`, remove: true,
			want: map[string]any{"queue_time_ms": 12.0, "request_id": "a1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec := record(t, row.body, row.attrs)
			Standardise(rec, extractFrom(x, rec), row.remove)
			assert.Equal(t, row.want, rec.Attributes().AsRaw())
			assert.Equal(t, row.body, rec.Body().AsString())
		})
	}
}

func TestFields(t *testing.T) {
	var v Fields
	assert.False(t, v.Any())
	v.SetText(FieldModelName, "")
	assert.False(t, v.Known(FieldModelName))
	v.SetText(FieldModelName, "m")
	assert.False(t, v.SetNumber(FieldInputTokens, 1.5))
	assert.False(t, v.SetNumber(FieldQueueTime, 0))
	assert.False(t, v.SetNumber(FieldQueueTime, 1e12))
	assert.True(t, v.SetNumber(FieldQueueTime, 5))
	assert.True(t, v.SetNumber(FieldInputTokens, 0))
	attrs := pcommon.NewMap()
	for field := range NumFields {
		v.Put(attrs, field)
	}
	assert.Equal(t, map[string]any{"model_name": "m", "queue_time_ms": 5.0, "input_tokens": int64(0)}, attrs.AsRaw())
	v.SetNumber(FieldQueueTime, 6)
	assert.False(t, v.Put(attrs, FieldQueueTime), "a valid value stays")
	v.Forget(FieldQueueTime)
	assert.False(t, v.Known(FieldQueueTime))
	assert.Equal(t, "queue_time_ms", FieldQueueTime.String())
	assert.True(t, FieldQueueTime.IsTime())
	assert.False(t, FieldModelName.IsTime())
}
