package spanphaseconnector

import (
	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// semconvValues is how many values gen_ai.operation.name, gen_ai.provider.name, server.address and
// server.port have, each, before the rest is "other".
const semconvValues = 50

// observeSemconv records a call under the names of the semantic conventions. They have times of
// tokens for successful calls only, and an error.type for the others' durations.
func observeSemconv(o *series.Observer, r *inference.Request, c *inference.Call, band string) {
	labels := series.Labels{Band: band, Semconv: c.Semconv}
	labels.ServiceName, labels.ServiceNamespace, labels.Environment = c.Identity.ServiceName, c.Identity.ServiceNamespace, c.Identity.Environment
	labels.Dimensions = c.Identity.Dimensions
	labels.ErrorType = c.Result.ErrorType
	o.Of(labels, r.TraceID, c.SpanID)
	ok := c.Result.Outcome == inference.OutcomeOK
	if c.Role == inference.RoleServer {
		measure(o, inference.MetricGenAIServerDuration, c.Duration)
		if ok {
			measure(o, inference.MetricGenAIServerTTFT, c.TTFT)
			measure(o, inference.MetricGenAIServerTPOT, c.TPOT)
		}
		return
	}
	measure(o, inference.MetricGenAIClientDuration, c.Duration)
	for _, t := range []tokens{{"input", c.InputTokens}, {"output", c.OutputTokens}} {
		if t.count.Known() {
			o.Record(inference.MetricGenAIClientTokens, float64(t.count.N()), series.Dims{t.name})
		}
	}
}
