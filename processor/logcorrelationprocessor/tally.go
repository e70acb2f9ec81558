package logcorrelationprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
)

// tally is what telemetry will tell of a batch once it is taken. One that is refused is made
// again, and would count twice.
type tally struct {
	states    [correlate.NumStates]int64
	disagreed int64
	invalid   int64 // ids
	dropped   int64 // values of fields
	waits     []waits
}

// waits is how long some records were held.
type waits struct {
	time    time.Duration
	records int
}

func (c *correlator) count(ctx context.Context, t *tally) {
	for state, n := range t.states {
		if n > 0 {
			c.telemetry.ProcessorLogCorrelationRecords.Add(ctx, n, stateCounts[state])
		}
	}
	if t.disagreed > 0 {
		c.telemetry.ProcessorLogCorrelationDisagreements.Add(ctx, t.disagreed)
	}
	if t.invalid > 0 {
		c.telemetry.ProcessorLogCorrelationDiscardedValues.Add(ctx, t.invalid, invalidID)
	}
	if t.dropped > 0 {
		c.telemetry.ProcessorLogCorrelationDiscardedValues.Add(ctx, t.dropped, invalidField)
	}
	for _, w := range t.waits {
		for range w.records {
			c.telemetry.ProcessorLogCorrelationWaitTime.Record(ctx, w.time.Seconds())
		}
	}
}

// countDelivered counts records that were held.
func (c *correlator) countDelivered(t *tally, records int, lost bool) {
	ctx, outcome := context.Background(), lostRecords
	if !lost {
		c.count(ctx, t)
		outcome = deliveredRecords
	}
	c.telemetry.ProcessorLogCorrelationDeliveredRecords.Add(ctx, int64(records), outcome)
}

func (c *correlator) countRetry() {
	c.telemetry.ProcessorLogCorrelationDeliveryRetries.Add(context.Background(), 1)
}

var (
	refusedByBacklog = withAttr("reason", "max_backlog_bytes")
	refusedByNext    = withAttr("reason", "next_component")
	invalidID        = withAttr("reason", "invalid_id")
	invalidField     = withAttr("reason", "invalid_field")
	deliveredRecords = withAttr("outcome", "delivered")
	lostRecords      = withAttr("outcome", "lost")
	stateCounts      = func() (all [correlate.NumStates]metric.MeasurementOption) {
		for s := range all {
			all[s] = withAttr("state", correlate.State(s).String())
		}
		return all
	}()
)

func withAttr(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}
