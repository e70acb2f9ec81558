package logcorrelationprocessor

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// leaves sends one record of trace 1, which is there, and returns its attributes when it left.
func leaves(t *testing.T, attrs map[string]any, change ...func(*Config)) map[string]any {
	t.Helper()
	r := newRig(t, change...)
	r.send(call(1))
	r.log(batch("engine", with(t, about(1), attrs)))
	require.Len(t, r.out.all(), 1)
	defer r.close()
	return r.out.all()[0].Attributes().AsRaw()
}

func list(names ...any) []any { return names }

// Scenario: a record that says nothing, and all that its trace knows.
// Guarantees: exactly these attributes, in these types, and a list of what was added.
func TestAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, map[string]any{
			"request_id": "cmpl-" + requestOf(1), "model_name": "llama-3-8b",
			"input_tokens": int64(128), "output_tokens": int64(31),
			"queue_time_ms": 20.0, "inference_time_ms": 380.0, "total_time_ms": 400.0, "ttft_ms": 100.0,
			"engine": "vllm", "slowest_phase": "inference", "trace.sampled": "unknown",
			"correlation.added": list("request_id", "model_name", "input_tokens", "output_tokens", "queue_time_ms",
				"inference_time_ms", "total_time_ms", "ttft_ms", "engine", "slowest_phase", "trace.sampled"),
			"correlation.state": "joined",
		}, leaves(t, nil))
	})
}

// Scenario: a record that says some of it itself: the same, nearly the same, something else, and
// what is no value.
// Guarantees: with precedence log its own values stay and are not listed; with precedence trace
// those that differ are replaced and listed. Either way a difference is counted.
func TestPrecedence(t *testing.T) {
	own := map[string]any{
		"request_id": "mine", "model_name": "alias", "engine": "own", "trace.sampled": "own", "slowest_phase": "own",
		"input_tokens": 128, "output_tokens": 30, "ttft_ms": 100.9, "total_time_ms": 500.0, "queue_time_ms": "none",
	}
	for precedence, want := range map[string]map[string]any{
		precedenceLog: {
			"output_tokens": int64(30), "total_time_ms": 500.0,
			"correlation.added": list("queue_time_ms", "inference_time_ms"),
		},
		precedenceTrace: {
			"output_tokens": int64(31), "total_time_ms": 400.0,
			"correlation.added": list("output_tokens", "queue_time_ms", "inference_time_ms", "total_time_ms"),
		},
	} {
		t.Run(precedence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) { cfg.Precedence = precedence })
				r.send(call(1))
				r.log(batch("engine", with(t, about(1), own)))
				want["request_id"], want["model_name"], want["engine"] = "mine", "alias", "own"
				want["trace.sampled"], want["slowest_phase"] = "own", "own"
				want["input_tokens"], want["ttft_ms"], want["queue_time_ms"] = int64(128), 100.9, 20.0
				want["inference_time_ms"], want["correlation.state"] = 380.0, "joined"
				assert.Equal(t, want, r.out.all()[0].Attributes().AsRaw())
				assert.Equal(t, map[string]int64{"": 2}, r.numbers("disagreements", ""))
			})
		})
	}
}

// Scenario: ids as attributes, fields under other names.
// Guarantees: remove_duplicates and remove_originals decide what stays of them.
func TestRemove(t *testing.T) {
	attrs := map[string]any{"traceId": traceOf(1).String(), "spanId": spanOf(1).String(), "gen_ai.usage.prompt_tokens": 128, "latency_s": 0.4, "status": 200}
	for name, tt := range map[string]struct {
		duplicates, originals bool
		gone                  []string
	}{
		"neither":    {gone: []string{}},
		"duplicates": {duplicates: true, gone: []string{"traceId", "spanId"}},
		"originals":  {originals: true, gone: []string{"gen_ai.usage.prompt_tokens", "latency_s"}},
		"both":       {duplicates: true, originals: true, gone: []string{"traceId", "spanId", "gen_ai.usage.prompt_tokens", "latency_s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := leaves(t, attrs, func(cfg *Config) { cfg.RemoveDuplicates, cfg.RemoveOriginals = tt.duplicates, tt.originals })
				for key := range attrs {
					if assert.ObjectsAreEqual(got[key], nil) {
						assert.Contains(t, tt.gone, key)
					} else {
						assert.NotContains(t, tt.gone, key)
					}
				}
				assert.Equal(t, int64(128), got["input_tokens"])
				assert.InDelta(t, 400, got["total_time_ms"], 1e-6)
			})
		})
	}
}

// Scenario: what has the standard name says one thing, what has another name says another.
// Guarantees: remove_originals takes only what was used; all else would be lost.
func TestUnusedOriginalsStay(t *testing.T) {
	for name, attrs := range map[string]map[string]any{
		"no id":              {"request_id": "-", "x_request_id": "r-7"},
		"no text":            {"model_name": int64(5), "model": "llama"},
		"too long":           {"model_name": strings.Repeat("m", 300), "model": "llama"},
		"the same in camels": {"total_time_ms": 5.0, "totalTimeMs": 7.0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := leaves(t, attrs, func(cfg *Config) { cfg.RemoveOriginals = true })
				for key, value := range attrs {
					assert.Equal(t, value, got[key], key)
				}
			})
		})
	}
}

// Scenario: an id in ten thousand points, on a span and on a record.
// Guarantees: they meet, and what is kept and written is the id.
func TestMuchAroundARequestID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dots := strings.Repeat(".", 10_000)
		r := newRig(t)
		td := call(1)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("gen_ai.request.id", "r-7"+dots)
		r.send(td)
		r.log(batch("engine", about(1), with(t, saying(""), map[string]any{"x_request_id": "r-7" + dots})))
		r.requireStates(map[string]int{"joined": 2})
		for _, rec := range r.out.all() {
			assert.Equal(t, "r-7", attr(rec, "request_id"))
		}
	})
}

// Scenario: a record with Datadog's ids, at once and after a wait.
// Guarantees: either way it gets the whole trace id, its span id, and no duplicate.
func TestLowerHalfBecomesWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		low := func(rec plog.LogRecord) {
			rec.Attributes().PutStr("dd.trace_id", "1")
			rec.Attributes().PutStr("dd.span_id", "4711")
		}
		r.log(batch("engine", low))
		time.Sleep(time.Second)
		r.send(call(1))
		r.log(batch("engine", low))
		r.requireStates(map[string]int{"joined": 2})
		for _, rec := range r.out.all() {
			assert.Equal(t, traceOf(1), rec.TraceID())
			assert.Equal(t, pcommon.SpanID{6: 0x12, 7: 0x67}, rec.SpanID())
			assert.Empty(t, attr(rec, "dd.trace_id")+attr(rec, "dd.span_id"))
		}
	})
}

// Scenario: a record passes two collectors, each with this processor.
// Guarantees: the second adds nothing twice, and what the first has listed stays listed.
func TestStampedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := leaves(t, map[string]any{"total_time_ms": 400.0, "correlation.added": list("total_time_ms"), "correlation.state": "partial"})
		assert.Equal(t, "joined", got["correlation.state"])
		assert.Equal(t, "total_time_ms", got["correlation.added"].([]any)[0])
		assert.Len(t, got["correlation.added"], 11)
		got = leaves(t, got)
		assert.Len(t, got["correlation.added"], 11)
	})
}

// Scenario: the trace failed, and the record says itself whether it did.
// Guarantees: what the record says stays.
func TestTraceError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		td := call(1)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Status().SetCode(2)
		r.send(td)
		r.log(batch("engine", about(1), with(t, about(1), map[string]any{"trace.error": false})))
		records := r.out.all()
		require.Len(t, records, 2)
		assert.Equal(t, "true", attr(records[0], attrError))
		assert.Contains(t, attr(records[0], attrAdded), attrError)
		assert.Equal(t, "false", attr(records[1], attrError))
		assert.NotContains(t, attr(records[1], attrAdded), attrError)
	})
}

// Scenario: timestamps, severity, body, flags and event name of a record that waits.
// Guarantees: they leave as they came.
func TestRestStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		full := func(rec plog.LogRecord) {
			about(1)(rec)
			rec.SetTimestamp(1)
			rec.SetObservedTimestamp(2)
			rec.SetSeverityNumber(plog.SeverityNumberWarn)
			rec.SetSeverityText("WARNING")
			rec.SetFlags(1)
			rec.SetEventName("event")
			rec.SetDroppedAttributesCount(3)
			rec.Body().SetEmptyMap().PutStr("message", "x")
		}
		r.log(batch("engine", full))
		r.send(call(1))
		time.Sleep(time.Millisecond)
		r.log(batch("engine", full))
		records := r.out.all()
		require.Len(t, records, 2)
		for _, rec := range records {
			assert.Equal(t, []any{pcommon.Timestamp(1), pcommon.Timestamp(2), plog.SeverityNumberWarn, "WARNING", plog.LogRecordFlags(1), "event", uint32(3), `{"message":"x"}`},
				[]any{rec.Timestamp(), rec.ObservedTimestamp(), rec.SeverityNumber(), rec.SeverityText(), rec.Flags(), rec.EventName(), rec.DroppedAttributesCount(), rec.Body().AsString()})
		}
	})
}
