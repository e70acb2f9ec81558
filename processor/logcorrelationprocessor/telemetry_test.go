package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadatatest"
)

// Scenario: records that end in every state, numbers and ids that cannot be, a wait, a
// disagreement, a late span.
// Guarantees: the processor's own telemetry, metric by metric, as metadata.yaml documents it.
func TestTelemetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		require.Equal(t, component.NewID(metadata.Type), metadatatest.NewSettings(r.tel).ID)
		bare := metricdatatest.IgnoreTimestamp()
		r.log(batch("engine", about(1), naming(1), about(2), about(3)))
		waiting := points("", map[string]int64{"": 4})
		metadatatest.AssertEqualProcessorLogCorrelationHeldRecords(t, r.tel, waiting, bare)
		metadatatest.AssertEqualProcessorLogCorrelationBacklogBytes(t, r.tel, points("", map[string]int64{"": 0}), bare)
		time.Sleep(2 * time.Second)
		r.send(call(1))
		r.send(stage(2))
		time.Sleep(time.Millisecond)
		r.log(batch("engine",
			saying("server starting"),
			with(t, about(1), map[string]any{"output_tokens": 7, "queue_ms": "NaN", "dd.trace_id": "x"}),
		))
		late := call(1)
		late.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetSpanID(spanOf(99))
		late.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetName("other")
		late.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Clear()
		r.send(late)
		after(r.cfg.Wait)

		metadatatest.AssertEqualProcessorLogCorrelationRecords(t, r.tel, points("state", map[string]int64{"joined": 3, "no_id": 1, "partial": 1, "unmatched": 1}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationReleasedRecords(t, r.tel,
			points("cause", map[string]int64{"complete": 2, "deadline": 2, "max_held_bytes": 0, "max_held_per_trace": 0, "shutdown": 0}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationDeliveredRecords(t, r.tel, points("outcome", map[string]int64{"delivered": 4}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationDisagreements(t, r.tel, points("", map[string]int64{"": 1}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationDiscardedValues(t, r.tel, points("reason", map[string]int64{"invalid_id": 1, "invalid_field": 1}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationLateSpans(t, r.tel, points("", map[string]int64{"": 1}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationTraces(t, r.tel, points("", map[string]int64{"": 2}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationHeldRecords(t, r.tel, points("", map[string]int64{"": 0}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationHeldBytes(t, r.tel, points("", map[string]int64{"": 0}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationRefusedFacts(t, r.tel,
			points("reason", map[string]int64{"max_traces": 0, "max_spans_per_trace": 0, "max_request_ids_per_trace": 0}), bare)
		metadatatest.AssertEqualProcessorLogCorrelationWaitTime(t, r.tel,
			[]metricdata.HistogramDataPoint[float64]{{Count: 4}}, bare, metricdatatest.IgnoreValue())
		require.Equal(t, map[string]int64{"": 2}, r.numbers("request_ids", ""), "cmpl-… and without it")
	})
}

func points(key string, values map[string]int64) (all []metricdata.DataPoint[int64]) {
	for value, n := range values {
		p := metricdata.DataPoint[int64]{Value: n}
		if key != "" {
			p.Attributes = attribute.NewSet(attribute.String(key, value))
		}
		all = append(all, p)
	}
	return all
}
