package spanphaseconnector

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/plogtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/requestlog"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// records returns the records that left, in order.
func (w *twin) records() (list []plog.LogRecord) {
	for _, ld := range w.log.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, rec := range sl.LogRecords().All() {
					list = append(list, rec)
				}
			}
		}
	}
	return list
}

// Scenario: requests of engines, gateways and a service, each as its spans tell it.
// Guarantees: the record with its resource, ids, times, attributes and line.
func TestRequestLogGolden(t *testing.T) {
	traces := map[string]ptrace.Traces{
		"stages": casetest.Trace(1, map[string]any{
			"service.name": "chat", "service.namespace": "shop", "deployment.environment.name": "prod",
		}, casetest.Stages("m-7b")...),
	}
	for _, name := range []string{"vllm_v1", "production_stack_vllm", "sglang", "dynamo", "llmd_pd", "semconv_client_1_41", "triton"} {
		data, err := os.ReadFile(filepath.Join(fixturesDir, name+".json"))
		require.NoError(t, err)
		traces[name] = casetest.Unmarshal(t, data)
	}
	for name, td := range traces {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := startTwin(t, nil, nil)
				w.play(t, casetest.Case{Steps: []casetest.Step{{Traces: td}}})
				w.stop(t)
				require.Len(t, w.log.AllLogs(), 1)
				got, file := w.log.AllLogs()[0], filepath.Join("testdata", "golden", "log_"+name+".yaml")
				if *update {
					require.NoError(t, golden.WriteLogsToFile(file, got))
				}
				want, err := golden.ReadLogs(file)
				require.NoError(t, err)
				require.NoError(t, plogtest.CompareLogs(want, got, plogtest.IgnoreObservedTimestamp()))
			})
		})
	}
}

// keys are the attributes that a record may have.
var keys = strings.Fields(`request_id model_name model_version input_tokens output_tokens cached_input_tokens
	preprocess_time_ms queue_time_ms inference_time_ms postprocess_time_ms total_time_ms ttft_ms tpot_ms
	outcome finish_reason slowest_phase`)

// Scenario: every case, with a connector that is used for metrics and logs.
// Guarantees: the metrics are as without logs; there is one record for each request in them, late and
// repeated spans or not; and none tells what was not measured.
func TestRequestLogCases(t *testing.T) {
	casetest.Each(t, casesDir, func(t *testing.T, c casetest.Case) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			w := startTwin(t, nil, nil)
			w.play(t, c)
			casetest.Check(t, c, w.sink.AllMetrics())
			requests, _ := w.total(t, "calls")
			records := w.records()
			assert.Len(t, records, int(requests))
			seen := map[string]bool{}
			for _, rec := range records {
				id := rec.TraceID().String() + rec.SpanID().String()
				assert.False(t, seen[id], "twice: %s", rec.Body().Str())
				seen[id] = true
				checkRecord(t, rec)
			}
			w.stop(t)
		})
	})
}

func checkRecord(t *testing.T, rec plog.LogRecord) {
	t.Helper()
	assert.False(t, rec.TraceID().IsEmpty() || rec.SpanID().IsEmpty())
	assert.NotZero(t, rec.Timestamp())
	assert.NotZero(t, rec.ObservedTimestamp())
	assert.NotEmpty(t, rec.SeverityText())
	last := -1
	for key, v := range rec.Attributes().All() {
		at := slices.Index(keys, key)
		require.Greater(t, at, last, "%s is no attribute, or not in its place", key)
		last = at
		switch v.Type() {
		case pcommon.ValueTypeDouble:
			assert.True(t, v.Double() > 0 && !math.IsInf(v.Double(), 0), "%s is %v", key, v.Double())
		case pcommon.ValueTypeInt:
			assert.GreaterOrEqual(t, v.Int(), int64(0), key)
		default:
			assert.NotEmpty(t, v.Str(), key)
			assert.NotEqual(t, "unknown", v.Str(), key)
		}
		assert.Contains(t, rec.Body().Str(), " "+key+"=")
	}
	_, ok := rec.Attributes().Get("outcome")
	assert.True(t, ok)
}

// Scenario: a request whose gateway and engine each call it by a name of their own, and one whose
// client chose an id with quotes and a line's end.
// Guarantees: the outer name counts; the line stays one line.
func TestRequestIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startTwin(t, nil, nil)
		call := vllmCall(3, 2, 0)
		call.Attrs["gen_ai.request.id"] = "chatcmpl-9"
		w.send(t, casetest.Trace(1, engine,
			casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second},
			casetest.Span{ID: 2, Parent: 1, Name: "route", End: time.Second, Attrs: map[string]any{"http.request.header.x-request-id": []any{"req-1"}}},
			call))
		odd := vllmCall(1, 0, 0)
		odd.Attrs["gen_ai.request.id"] = `a "b" = c`
		w.send(t, casetest.Trace(2, engine, odd))
		none := vllmCall(1, 0, 0)
		none.Attrs["gen_ai.request.id"] = "N/A"
		w.send(t, casetest.Trace(3, engine, none))
		w.stop(t)
		got := map[byte]plog.LogRecord{}
		for _, rec := range w.records() {
			got[rec.TraceID()[15]] = rec
		}
		require.Len(t, got, 3)
		id := func(trace byte) string {
			v, _ := got[trace].Attributes().Get("request_id")
			return v.AsString()
		}
		assert.Equal(t, "req-1", id(1))
		assert.Equal(t, `a "b" = c`, id(2))
		assert.Contains(t, got[2].Body().Str(), `request finished request_id="a \"b\" = c" input_tokens=100`)
		_, ok := got[3].Attributes().Get("request_id")
		assert.False(t, ok, "N/A is no id")
	})
}

// ending is a request of one call that ends so, as the status code of its HTTP span tells.
func ending(trace byte, status int, model string, took time.Duration) ptrace.Traces {
	root := casetest.Span{
		ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: took,
		Attrs: map[string]any{"http.response.status_code": status, "gen_ai.response.model": model},
	}
	return casetest.Trace(trace, engine, root, vllmCall(2, 1, 0))
}

// Scenario: requests that end in every way.
// Guarantees: the severity and the text of each; only error has the others out.
func TestRequestLogOutcomes(t *testing.T) {
	for _, only := range []requestlog.Only{requestlog.OnlyAll, requestlog.OnlyError} {
		t.Run(string(only), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := startTwin(t, func(cfg *Config) { cfg.RequestLog.Only = only }, nil)
				for i, status := range []int{200, 500, 504, 429, 499} {
					w.send(t, ending(byte(i), status, "m", time.Second))
				}
				w.stop(t)
				got := map[string]string{}
				for _, rec := range w.records() {
					checkRecord(t, rec)
					outcome, _ := rec.Attributes().Get("outcome")
					text, _, _ := strings.Cut(rec.Body().Str(), " model_name=")
					got[outcome.Str()] = fmt.Sprint(rec.SeverityText(), int(rec.SeverityNumber()), " ", text)
				}
				want := map[string]string{
					"ok": "INFO9 request finished", "error": "ERROR17 request failed",
					"timeout": "WARN13 request not served to its end", "rejected": "WARN13 request not served to its end",
					"aborted": "WARN13 request not served to its end",
				}
				if only == requestlog.OnlyError {
					delete(want, "ok")
				}
				assert.Equal(t, want, got)
			})
		})
	}
}

// Scenario: requests of models with objectives of their own, some above them.
// Guarantees: those leave a record: by their own duration, time to first token or time per output
// token, by the first objective that fits, and request_log::slow before its request.
func TestRequestLogSlow(t *testing.T) {
	slo := func(cfg *Config) {
		cfg.RequestLog.Only = requestlog.OnlySlow
		cfg.SLO = []SLO{
			{Model: "big-.*", Request: 10 * time.Second},
			{Model: "first", TTFT: 50 * time.Millisecond},
			{Model: "token", TPOT: 5 * time.Millisecond},
			{Model: "big-7b|small", Request: time.Second},
		}
	}
	for name, tt := range map[string]struct {
		change func(*Config)
		want   []string
	}{
		"slo":  {slo, []string{"first", "small", "token"}},
		"slow": {func(cfg *Config) { slo(cfg); cfg.RequestLog.Slow = 500 * time.Millisecond }, []string{"big-7b", "first", "other", "small", "token"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := startTwin(t, tt.change, nil)
				for i, model := range []string{"big-7b", "first", "token", "small", "other"} {
					// Time to first token is 60 ms, time per output token 10 ms.
					w.send(t, ending(byte(i), 200, model, 2*time.Second))
					w.send(t, ending(byte(100+i), 200, "small", 300*time.Millisecond))
				}
				w.stop(t)
				var got []string
				for _, rec := range w.records() {
					model, _ := rec.Attributes().Get("model_name")
					got = append(got, model.Str())
				}
				slices.Sort(got)
				assert.Equal(t, tt.want, got)
				w.requireCount(t, "request", 10)
			})
		})
	}
}

// valve is a logs pipeline that refuses.
type valve struct {
	consumer.Logs
	err   atomic.Pointer[error]
	tries atomic.Int64
}

func (v *valve) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	v.tries.Add(1)
	if err := v.err.Load(); err != nil {
		ld.ResourceLogs().RemoveIf(func(plog.ResourceLogs) bool { return true }) // as one may that mutates
		return *err
	}
	return v.Logs.ConsumeLogs(ctx, ld)
}

func (v *valve) refuse(err error) { v.err.Store(&err) }

func newValve(t *testing.T, change func(*Config)) (*twin, *valve) {
	t.Helper()
	v := &valve{}
	return startTwin(t, change, func(next consumer.Logs) consumer.Logs {
		v.Logs = next
		return v
	}), v
}

// Scenario: the logs pipeline refuses for ten minutes; more requests end than may wait.
// Guarantees: those that may wait do, and leave once it takes them; others are counted; it is said
// once; metrics are not held up.
func TestRequestLogOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, v := newValve(t, func(cfg *Config) { cfg.RequestLog.MaxPending, cfg.RequestLog.MaxBatch = 50, 20 })
		v.refuse(errors.New("the exporter's queue is full"))
		for i := range byte(80) {
			w.send(t, casetest.Trace(i, engine, casetest.Stages("m")...))
		}
		time.Sleep(10 * time.Minute)
		assert.EqualValues(t, 50, w.value(t, "pending_request_logs", ""))
		assert.EqualValues(t, 30, w.value(t, "dropped_request_logs", "max_pending"))
		assert.Greater(t, w.value(t, "failed_request_log_batches", ""), int64(100))
		assert.Equal(t, 1, w.said.FilterMessageSnippet("refused request log records").Len())
		assert.Equal(t, 1, w.said.FilterMessageSnippet("while the logs pipeline took none").Len())
		w.requireCount(t, "request", 80)
		v.err.Store(nil)
		time.Sleep(time.Minute)
		assert.Len(t, w.records(), 50)
		assert.Zero(t, w.value(t, "pending_request_logs", ""))
		assert.EqualValues(t, 50, w.value(t, "request_logs", ""))
		w.stop(t)
	})
}

// Scenario: the logs pipeline refuses for good, or a part, or until the shutdown is over, or blocks.
// Guarantees: what is lost is counted by its reason; a part that was taken is not sent again; and
// Shutdown ends.
func TestRequestLogRefusals(t *testing.T) {
	send := func(t *testing.T, w *twin) {
		t.Helper()
		for i := range byte(3) {
			w.send(t, casetest.Trace(i, engine, casetest.Stages("m")...))
		}
	}
	t.Run("for good", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, v := newValve(t, nil)
			v.refuse(consumererror.NewPermanent(errors.New("no")))
			send(t, w)
			time.Sleep(time.Minute)
			assert.EqualValues(t, 1, v.tries.Load())
			assert.EqualValues(t, 3, w.value(t, "dropped_request_logs", "refused"))
			assert.Zero(t, w.value(t, "pending_request_logs", ""))
			w.stop(t)
		})
	})
	t.Run("a part", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, v := newValve(t, nil)
			part := plog.NewLogs()
			part.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("the rest")
			v.refuse(consumererror.NewLogs(errors.New("one of them"), part))
			send(t, w)
			time.Sleep(11500 * time.Millisecond)
			v.err.Store(nil)
			time.Sleep(time.Minute)
			require.Len(t, w.records(), 1)
			assert.Equal(t, "the rest", w.records()[0].Body().Str())
			assert.EqualValues(t, 3, w.value(t, "request_logs", ""))
			w.stop(t)
		})
	})
	t.Run("to the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, v := newValve(t, nil)
			v.refuse(errors.New("no"))
			send(t, w)
			require.NoError(t, w.logs.Shutdown(t.Context()))
			assert.EqualValues(t, 3, w.value(t, "dropped_request_logs", "shutdown"))
			assert.Equal(t, 1, w.said.FilterMessageSnippet("did not take them before the shutdown").Len())
			w.stop(t)
		})
	})
	t.Run("it blocks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := startTwin(t, nil, func(consumer.Logs) consumer.Logs { return blocked{} })
			send(t, w)
			time.Sleep(time.Minute)
			begin := time.Now()
			w.stop(t)
			assert.LessOrEqual(t, time.Since(begin), 10*time.Second)
			w.requireCount(t, "request", 3)
		})
	})
}

// blocked is a logs pipeline that waits for its deadline.
type blocked struct{ consumer.Logs }

func (blocked) ConsumeLogs(ctx context.Context, _ plog.Logs) error {
	<-ctx.Done()
	return ctx.Err()
}

// Scenario: requests end fast.
// Guarantees: batches of max_batch leave at once, others by flush_interval, those of one service
// below one resource.
func TestRequestLogBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startTwin(t, func(cfg *Config) { cfg.RequestLog.MaxBatch, cfg.RequestLog.FlushInterval = 10, time.Minute }, nil)
		for i := range byte(25) {
			service := map[string]any{"service.name": fmt.Sprint("s", i%2)}
			w.send(t, casetest.Trace(i, service, casetest.Stages("m")...))
		}
		time.Sleep(20 * time.Second)
		assert.GreaterOrEqual(t, w.log.LogRecordCount(), 10, "without waiting for flush_interval")
		time.Sleep(2 * time.Minute)
		assert.Equal(t, 25, w.log.LogRecordCount())
		for _, ld := range w.log.AllLogs() {
			assert.LessOrEqual(t, ld.LogRecordCount(), 10)
			assert.LessOrEqual(t, ld.ResourceLogs().Len(), 2)
		}
		w.stop(t)
	})
}

// Scenario: a request closes before all of it came: the rest comes late, and all of it again; another
// is evicted.
// Guarantees: one record each.
func TestRequestLogLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startTwin(t, func(cfg *Config) { cfg.Assembly.MaxTraces = 8 }, nil)
		spans := casetest.Stages("m")
		w.send(t, casetest.Trace(1, engine, spans[:4]...))
		time.Sleep(time.Minute)
		w.send(t, casetest.Trace(1, engine, spans...))
		w.send(t, casetest.Trace(1, engine, vllmCall(30, 1, 0)))
		time.Sleep(time.Minute)
		assert.Len(t, w.records(), 1)
		for i := range byte(40) {
			w.send(t, casetest.Trace(10+i, engine, spans...))
		}
		w.stop(t)
		assert.Len(t, w.records(), 41)
	})
}
