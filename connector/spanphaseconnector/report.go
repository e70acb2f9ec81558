package spanphaseconnector

import (
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/requestlog"
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/assembly"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// reportInterval is how often one kind of trouble is logged at most.
const reportInterval = time.Minute

// trouble is something that an operator should know of: a number that rises.
type trouble struct {
	message string
	total   func() int64
	said    int64
	saidAt  time.Time
}

// reporter logs what the counters show, for those who read logs first. It is
// used by one goroutine.
type reporter struct {
	logger   *zap.Logger
	troubles []trouble
}

func newReporter(
	logger *zap.Logger, stats *assembly.Stats, store *series.Store, log *requestlog.Stats, t *selfTelemetry,
) *reporter {
	dropped := func() (n int64) {
		for r := range dialect.NumReasons {
			n += stats.Dropped[r].Load()
		}
		return n
	}
	limited := func(l series.Limit) func() int64 { return store.Stats.Limited[l].Load }
	return &reporter{logger: logger, troubles: []trouble{
		{message: "Durations on spans could not be right and were left out; see connector_span_phase_dropped_values by reason", total: dropped},
		{message: "Requests were observed before their time; raise assembly::max_traces and assembly::max_spans, or lower assembly::linger and assembly::idle_timeout", total: stats.Evicted[assembly.EvictedInference].Load},
		{message: "Spans beyond assembly::max_spans_per_trace were not looked at; raise it", total: stats.Refused.Load},
		{message: "Spans without a trace id or span id were not looked at; the sender is at fault", total: t.orphans.Load},
		{message: "Spans are their own ancestors; the sender is at fault", total: stats.Cycles.Load},
		{message: "Observations went to the overflow series; raise max_series, or look which label has so many values", total: limited(series.LimitSeries)},
		{message: "Observations went to the model \"other\"; raise max_models, or look who sends so many model names", total: limited(series.LimitModels)},
		{message: "Observations went to the model version \"other\"; raise max_model_versions, or look who sends so many versions", total: limited(series.LimitModelVersions)},
		{message: "Observations went to the error type \"_OTHER\"; raise max_error_types", total: limited(series.LimitErrorTypes)},
		{message: "Observations went to the value \"other\" of a dimension; raise its max_values, or look who sends so many", total: limited(series.LimitValues)},
		{message: "Request log records were dropped while the logs pipeline took none; look why it does not, or raise request_log::max_pending", total: log.Dropped[requestlog.ReasonMaxPending].Load},
		{message: "Request log records were dropped because the logs pipeline refused them for good", total: log.Dropped[requestlog.ReasonRefused].Load},
	}}
}

// report logs each trouble that grew since it was last logged.
func (r *reporter) report(now time.Time) {
	for i := range r.troubles {
		t := &r.troubles[i]
		total := t.total()
		if total == t.said || !t.saidAt.IsZero() && now.Sub(t.saidAt) < reportInterval {
			continue
		}
		r.logger.Warn(t.message, zap.Int64("new", total-t.said), zap.Int64("total", total))
		t.said, t.saidAt = total, now
	}
}
