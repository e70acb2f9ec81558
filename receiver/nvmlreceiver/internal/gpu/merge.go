package gpu

import "go.opentelemetry.io/collector/pdata/pmetric"

// merge moves the points of src into the metrics of dst with the same name. Both were built
// by builders of one configuration, so that a name means the same metric in both.
func merge(dst, src pmetric.Metrics) {
	if dst.ResourceMetrics().Len() == 0 {
		src.ResourceMetrics().MoveAndAppendTo(dst.ResourceMetrics())
		return
	}
	to := scope(dst).Metrics()
	for _, rm := range src.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				mergeMetric(to, m)
			}
		}
	}
}

func mergeMetric(to pmetric.MetricSlice, m pmetric.Metric) {
	for _, known := range to.All() {
		if known.Name() != m.Name() {
			continue
		}
		points(m).MoveAndAppendTo(points(known))
		return
	}
	m.MoveTo(to.AppendEmpty())
}
