package spanphaseconnector

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/requestlog"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// selfTelemetry shows the connector's own numbers. All but the failed flushes
// are read from where they are kept when the collector collects them.
type selfTelemetry struct {
	builder *metadata.TelemetryBuilder
	orphans atomic.Int64 // spans without ids
}

func newSelfTelemetry(
	set component.TelemetrySettings, stats *assembly.Stats, store *series.Store, log *requestlog.Stats,
) (*selfTelemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &selfTelemetry{builder: builder}
	if err := t.register(stats, store); err != nil {
		return nil, err
	}
	if err := t.registerLog(log); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *selfTelemetry) shutdown() { t.builder.Shutdown() }

func (t *selfTelemetry) register(stats *assembly.Stats, store *series.Store) error {
	b := t.builder
	for _, simple := range []struct {
		register func(metric.Int64Callback) error
		value    *atomic.Int64
	}{
		{b.RegisterConnectorSpanPhaseOpenTracesCallback, &stats.OpenTraces},
		{b.RegisterConnectorSpanPhaseOpenSpansCallback, &stats.OpenSpans},
		{b.RegisterConnectorSpanPhaseTombstonesCallback, &stats.Tombstones},
		{b.RegisterConnectorSpanPhaseIncompleteRequestsCallback, &stats.Incomplete},
		{b.RegisterConnectorSpanPhaseLateRequestsCallback, &stats.Late},
		{b.RegisterConnectorSpanPhaseDuplicateSpansCallback, &stats.Duplicates},
		{b.RegisterConnectorSpanPhaseAnnotationDisagreementsCallback, &stats.Disagreements},
		{b.RegisterConnectorSpanPhaseSpanCyclesCallback, &stats.Cycles},
		{b.RegisterConnectorSpanPhaseSeriesCallback, &store.Stats.Series},
		{b.RegisterConnectorSpanPhaseExpiredSeriesCallback, &store.Stats.Expired},
	} {
		if err := simple.register(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(simple.value.Load())
			return nil
		}); err != nil {
			return err
		}
	}
	return t.registerByReason(stats, store)
}

// registerLog shows the numbers of the request log.
func (t *selfTelemetry) registerLog(log *requestlog.Stats) error {
	var dropped []counter
	for r := range requestlog.NumReasons {
		dropped = append(dropped, newCounter("reason", r.String(), &log.Dropped[r]))
	}
	b := t.builder
	return errors.Join(
		b.RegisterConnectorSpanPhasePendingRequestLogsCallback(observing(counter{value: &log.Pending})),
		b.RegisterConnectorSpanPhaseRequestLogsCallback(observing(counter{value: &log.Sent})),
		b.RegisterConnectorSpanPhaseFailedRequestLogBatchesCallback(observing(counter{value: &log.Failed})),
		b.RegisterConnectorSpanPhaseDroppedRequestLogsCallback(observing(dropped...)),
	)
}

// observing reads counters when they are asked for.
func observing(counters ...counter) metric.Int64Callback {
	return func(_ context.Context, o metric.Int64Observer) error {
		for _, c := range counters {
			if c.attributes == nil {
				o.Observe(c.value.Load())
			} else {
				o.Observe(c.value.Load(), c.attributes)
			}
		}
		return nil
	}
}

func (t *selfTelemetry) registerByReason(stats *assembly.Stats, store *series.Store) error {
	b := t.builder
	var closed, dropped, refused, limited []counter
	evicted := []counter{
		newCounter("kind", "other", &stats.Evicted[assembly.EvictedOther]),
		newCounter("kind", "inference", &stats.Evicted[assembly.EvictedInference]),
	}
	for r := range assembly.NumReasons {
		closed = append(closed, newCounter("reason", r.String(), &stats.Closed[r]))
	}
	for r := range dialect.NumReasons {
		dropped = append(dropped, newCounter("reason", r.String(), &stats.Dropped[r]))
	}
	for r := range series.NumLimits {
		limited = append(limited, newCounter("reason", r.String(), &store.Stats.Limited[r]))
	}
	refused = append(refused,
		newCounter("reason", "max_spans_per_trace", &stats.Refused), newCounter("reason", "no_id", &t.orphans))
	for _, byReason := range []struct {
		register func(metric.Int64Callback) error
		counters []counter
	}{
		{b.RegisterConnectorSpanPhaseClosedRequestsCallback, closed},
		{b.RegisterConnectorSpanPhaseDroppedValuesCallback, dropped},
		{b.RegisterConnectorSpanPhaseRefusedSpansCallback, refused},
		{b.RegisterConnectorSpanPhaseLimitedObservationsCallback, limited},
		{b.RegisterConnectorSpanPhaseEvictedTracesCallback, evicted},
	} {
		if err := byReason.register(observing(byReason.counters...)); err != nil {
			return err
		}
	}
	return nil
}

// counter is a number with its attribute.
type counter struct {
	attributes metric.MeasurementOption
	value      *atomic.Int64
}

func newCounter(key, attr string, value *atomic.Int64) counter {
	return counter{metric.WithAttributeSet(attribute.NewSet(attribute.String(key, attr))), value}
}

// process is the instance id of a collector that has none in its resource.
var process = uuid.NewString()

// instanceID returns the configured instance id, else the collector's own, with
// the name of this connector if it has one. Without it two collectors, or two
// connectors of one, would write the same series.
func instanceID(configured string, set *connector.Settings) string {
	id := cmp.Or(configured, process)
	if own, ok := set.Resource.Attributes().Get("service.instance.id"); ok && configured == "" {
		id = cmp.Or(own.AsString(), process)
	}
	if name := set.ID.Name(); name != "" {
		id += "/" + name
	}
	return id
}
